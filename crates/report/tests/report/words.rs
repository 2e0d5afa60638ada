//! The documentation's promises about violations.

use atropos_event::{AbortCause, EndOfLife, FreeError, MisuseReason, SyncClass, ViolationKind, WaitReason};

#[test]
fn every_name_that_scripts_see_is_documented() {
    let document = include_str!("../../../../docs/CLI.md");
    let names = ViolationKind::ALL.iter().map(|kind| kind.name());
    let names = names
        .chain(EndOfLife::ALL.iter().map(|end| end.name()))
        .chain(FreeError::ALL.iter().map(|error| error.name()))
        .chain(MisuseReason::ALL.iter().map(|reason| reason.name()))
        .chain(SyncClass::ALL.iter().map(|class| class.name()))
        .chain(AbortCause::ALL.iter().map(|cause| cause.name()))
        .chain(WaitReason::ALL.iter().map(|reason| reason.name()));
    let missing: Vec<_> = names.filter(|name| !document.contains(&format!("`{name}`"))).collect();
    assert_eq!(missing, Vec::<&str>::new());
}
