#[test]
fn nobody_puts_eight() {
    assert_ne!(mailbox::exchange(), Some(8));
}
