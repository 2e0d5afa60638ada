//! A test of the whole package.

#[test]
fn eight_is_never_there() {
    assert_ne!(mailbox::exchange(), Some(8));
}
