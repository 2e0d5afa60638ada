fn main() {
    assert_ne!(mailbox::exchange(), Some(8));
}
