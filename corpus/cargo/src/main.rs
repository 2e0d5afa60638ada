//! The program of the package.

fn main() {
    assert_ne!(mailbox::exchange(), Some(8));
}
