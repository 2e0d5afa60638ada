//! Channels, as in [`std::sync::mpsc`].
//!
//! ```
//! use atropos::sync::mpsc::channel;
//! use atropos::thread;
//!
//! atropos::model(|| {
//!     let (sender, receiver) = channel();
//!     thread::spawn(move || sender.send(42).unwrap());
//!     assert_eq!(receiver.recv(), Ok(42));
//!     assert!(receiver.recv().is_err());
//! });
//! ```

use super::{Arc, Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::time::Duration;

#[derive(Debug)]
struct State<T> {
    messages: VecDeque<T>,
    n_senders: usize,
    has_receiver: bool,
    /// The number of messages taken out.
    n_received: usize,
    n_sent: usize,
}

#[derive(Debug)]
struct Channel<T> {
    state: Mutex<State<T>>,
    /// The capacity; `None` if it is unlimited.
    capacity: Option<usize>,
    has_message: Condvar,
    has_room: Condvar,
}

impl<T> Channel<T> {
    #[track_caller]
    fn new(capacity: Option<usize>) -> Arc<Channel<T>> {
        let messages = VecDeque::new();
        let state = State { messages, n_senders: 1, has_receiver: true, n_received: 0, n_sent: 0 };
        let (has_message, has_room) = (Condvar::new(), Condvar::new());
        Arc::new(Channel { state: Mutex::new(state), capacity, has_message, has_room })
    }

    #[track_caller]
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    #[track_caller]
    fn wait<'a>(condition: &Condvar, state: MutexGuard<'a, State<T>>) -> MutexGuard<'a, State<T>> {
        condition.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Whether a message must wait.
    fn is_full(&self, state: &State<T>) -> bool {
        self.capacity.is_some_and(|most| state.messages.len() >= most.max(1))
    }

    #[track_caller]
    fn send(&self, message: T) -> Result<(), SendError<T>> {
        let mut state = self.lock();
        while state.has_receiver && self.is_full(&state) {
            state = Self::wait(&self.has_room, state);
        }
        if !state.has_receiver {
            return Err(SendError(message));
        }
        state.messages.push_back(message);
        state.n_sent += 1;
        let number = state.n_sent;
        self.has_message.notify_one();
        // Without capacity, a message is handed over.
        while self.capacity == Some(0) && state.has_receiver && state.n_received < number {
            state = Self::wait(&self.has_room, state);
        }
        Ok(())
    }

    #[track_caller]
    fn add_sender(&self) {
        self.lock().n_senders += 1;
    }

    #[track_caller]
    fn remove_sender(&self) {
        let mut state = self.lock();
        state.n_senders -= 1;
        if state.n_senders == 0 {
            self.has_message.notify_one();
        }
    }

    fn take(&self, state: &mut State<T>) -> Option<T> {
        let message = state.messages.pop_front()?;
        state.n_received += 1;
        if self.capacity.is_some() {
            self.has_room.notify_all();
        }
        Some(message)
    }
}

/// The sending side of a [`channel`].
///
/// ```
/// use atropos::sync::mpsc::channel;
///
/// atropos::model(|| {
///     let (sender, receiver) = channel();
///     let other = sender.clone();
///     sender.send(1).unwrap();
///     other.send(1).unwrap();
///     assert_eq!(receiver.recv(), Ok(1));
///     assert_eq!(receiver.recv(), Ok(1));
/// });
/// ```
#[derive(Debug)]
pub struct Sender<T>(Arc<Channel<T>>);

/// The sending side of a [`sync_channel`].
///
/// ```
/// use atropos::sync::mpsc::sync_channel;
///
/// atropos::model(|| {
///     let (sender, receiver) = sync_channel(1);
///     sender.send(1).unwrap();
///     assert!(sender.try_send(2).is_err());
///     assert_eq!(receiver.recv(), Ok(1));
/// });
/// ```
#[derive(Debug)]
pub struct SyncSender<T>(Arc<Channel<T>>);

/// The receiving side of a channel.
///
/// ```
/// use atropos::sync::mpsc::{TryRecvError, channel};
///
/// atropos::model(|| {
///     let (sender, receiver) = channel::<u32>();
///     assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
///     drop(sender);
///     assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
/// });
/// ```
#[derive(Debug)]
pub struct Receiver<T>(Arc<Channel<T>>);

/// A channel with unlimited capacity.
///
/// ```
/// use atropos::sync::mpsc::channel;
/// use atropos::thread;
///
/// atropos::model(|| {
///     let (sender, receiver) = channel();
///     thread::spawn(move || sender.send(1).unwrap());
///     assert_eq!(receiver.recv(), Ok(1));
/// });
/// ```
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let channel = Channel::new(None);
    (Sender(Arc::clone(&channel)), Receiver(channel))
}

/// A channel with room for `bound` messages. If `bound` is 0, messages are handed over directly.
///
/// ```
/// use atropos::sync::mpsc::sync_channel;
/// use atropos::thread;
///
/// atropos::model(|| {
///     let (sender, receiver) = sync_channel(0);
///     let thread = thread::spawn(move || sender.send(1).unwrap());
///     assert_eq!(receiver.recv(), Ok(1));
///     thread.join().unwrap();
/// });
/// ```
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let channel = Channel::new(Some(bound));
    (SyncSender(Arc::clone(&channel)), Receiver(channel))
}

impl<T> Sender<T> {
    /// Sends a message.
    ///
    /// # Errors
    /// The message, if the receiver is gone.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.0.send(message)
    }
}

impl<T> SyncSender<T> {
    /// Sends a message; waits until there is room.
    ///
    /// # Errors
    /// The message, if the receiver is gone.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.0.send(message)
    }

    /// Sends a message if there is room.
    ///
    /// # Errors
    /// The message, if there is none, or if the receiver is gone.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        let mut state = self.0.lock();
        if !state.has_receiver {
            return Err(TrySendError::Disconnected(message));
        }
        if self.0.capacity == Some(0) || self.0.is_full(&state) {
            return Err(TrySendError::Full(message));
        }
        state.messages.push_back(message);
        state.n_sent += 1;
        self.0.has_message.notify_one();
        Ok(())
    }
}

impl<T> Clone for Sender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.0.add_sender();
        Sender(Arc::clone(&self.0))
    }
}

impl<T> Clone for SyncSender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        self.0.add_sender();
        SyncSender(Arc::clone(&self.0))
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.remove_sender();
    }
}

impl<T> Drop for SyncSender<T> {
    fn drop(&mut self) {
        self.0.remove_sender();
    }
}

impl<T> Receiver<T> {
    /// Waits for a message.
    ///
    /// # Errors
    /// If there is none, and all senders are gone.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        let mut state = self.0.lock();
        loop {
            if let Some(message) = self.0.take(&mut state) {
                return Ok(message);
            }
            if state.n_senders == 0 {
                return Err(RecvError);
            }
            state = Channel::wait(&self.0.has_message, state);
        }
    }

    /// Takes a message, if there is one.
    ///
    /// # Errors
    /// If there is none; and whether all senders are gone.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let mut state = self.0.lock();
        match self.0.take(&mut state) {
            Some(message) => Ok(message),
            None if state.n_senders == 0 => Err(TryRecvError::Disconnected),
            None => Err(TryRecvError::Empty),
        }
    }

    /// Waits for a message, and may time out at any moment.
    ///
    /// # Errors
    /// If it times out, or if there is no message and all senders are gone.
    #[track_caller]
    pub fn recv_timeout(&self, _timeout: Duration) -> Result<T, RecvTimeoutError> {
        self.try_recv().map_err(|error| match error {
            TryRecvError::Empty => RecvTimeoutError::Timeout,
            TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
        })
    }

    /// The messages, until all senders are gone.
    #[track_caller]
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| self.recv().ok())
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.has_receiver = false;
        let messages = std::mem::take(&mut state.messages);
        self.0.has_room.notify_all();
        drop(state);
        drop(messages);
    }
}
