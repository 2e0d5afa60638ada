//! Two threads and a slot.

use slot::Mailbox;
use std::sync::Arc;
use std::thread;

/// What the other thread finds.
pub fn exchange() -> Option<u32> {
    let slot = Arc::new(Mailbox::default());
    let other = Arc::clone(&slot);
    let thread = thread::spawn(move || other.take());
    slot.put(7);
    thread.join().unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_was_put() {
        assert!(matches!(exchange(), None | Some(7)));
    }

    #[test]
    #[should_panic(expected = "is full")]
    fn a_full_slot_takes_nothing() {
        let slot = Mailbox::default();
        slot.put(1);
        slot.put(2);
    }

    #[test]
    #[should_panic]
    fn this_does_not_panic() {
        exchange();
    }

    #[test]
    fn nothing_is_always_there() -> Result<(), String> {
        exchange().map(|_| ()).ok_or("nothing".to_string())
    }

    #[test]
    #[ignore = "it fails"]
    fn this_is_not_checked() {
        panic!();
    }
}
