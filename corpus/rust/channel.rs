//! A channel. The bug: the program expects that messages of two senders come in a certain order.
// check: rc11 rf verified
// check: --cfg=bug rc11 rf violation assertion
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let other = cfg!(bug).then(|| {
        let sender = sender.clone();
        thread::spawn(move || sender.send(2).unwrap())
    });
    let thread = thread::spawn(move || sender.send(1).unwrap());
    assert_eq!(receiver.recv().unwrap(), 1);
    thread.join().unwrap();
    other.map(|other| other.join().unwrap());
}
