//! The counts of the quick rows; times are nobody's business here.

use crate::families::FAMILIES;
use crate::measure::{Measurement, measure};
use crate::papers::SERIES;
use crate::rows::{Row, rows};

/// Tests are not built for speed: what is done here is a part of what `make bench --quick` does.
const LARGEST: u64 = 5000;

fn small_rows() -> impl Iterator<Item = Row> {
    rows(SERIES).into_iter().filter(|row| row.expected <= LARGEST && row.is_quick && !row.is_explained)
}

#[test]
fn counts_are_those_of_the_papers() {
    for row in small_rows() {
        let measured = measure(&row.case, 1).expect("the program is right");
        assert_eq!(measured.executions, row.expected, "{}, {}", row.case, row.source);
    }
}

#[test]
fn counts_do_not_depend_on_the_number_of_workers() {
    for row in small_rows().filter(|row| row.expected > 1000) {
        let measured = measure(&row.case, 3).expect("the program is right");
        assert_eq!(measured.executions, row.expected, "{}, {}", row.case, row.source);
    }
}

#[test]
fn every_family_has_a_row_and_every_row_a_family() {
    let rows = rows(SERIES);
    for family in FAMILIES {
        assert!(rows.iter().any(|row| row.case.family == family.name), "{} is never run", family.name);
    }
    for row in rows {
        assert!(FAMILIES.iter().any(|family| family.name == row.case.family), "{} is unknown", row.case);
    }
}

#[test]
fn measurements_survive_the_way_from_the_child() {
    let measured = Measurement { executions: 1, blocked: 2, events: 3, wall_ns: 4, cpu_ns: 5, peak_kib: 6 };
    assert_eq!(measured.to_string().parse(), Ok(measured));
    assert!("1 2 3".parse::<Measurement>().is_err());
}
