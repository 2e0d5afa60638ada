//! The number of consistent executions of small programs, by brute force over all (rf, co): the golden
//! figures of ALGORITHMS.md §C.7, which GenMC confirms, and the inclusions between models of its §B.

mod common;

use atropos_cat::{BUILTIN_MODELS, Model, Structure};
use common::{candidates, rf_candidates};

fn count(model: &str, candidates: &[Structure]) -> usize {
    let model = Model::builtin(model).unwrap();
    candidates.iter().filter(|candidate| model.is_consistent(candidate).unwrap()).count()
}

/// Expected: (rf, co) executions under SC, TSO, PSO, SRA and RA.
#[track_caller]
fn check(program: &str, expected: [usize; 5]) {
    let all = candidates(program);
    assert_eq!(["sc", "tso", "pso", "sra", "ra"].map(|model| count(model, &all)), expected, "{program}");

    // ALGORITHMS.md §B: RC11 is RA if every access is release or acquire, and SC if every one is sc.
    let with_orders = |read, write, update| {
        let order = |event: &str| match &event[..1] {
            "R" => format!("{event}.{read}"),
            "W" => format!("{event}.{write}"),
            "U" => format!("{event}.{update}"),
            _ => event.to_string(),
        };
        candidates(&program.split_whitespace().map(order).collect::<Vec<_>>().join(" "))
    };
    for model in ["rc11", "rc11-c11"] {
        assert_eq!(count(model, &with_orders("acq", "rel", "acqrel")), expected[4], "{program} rel/acq");
        assert_eq!(count(model, &with_orders("sc", "sc", "sc")), expected[0], "{program} sc");
    }
}

#[test]
fn golden_counts() {
    check("Rx || Wx || Wx", [6, 6, 6, 6, 6]);
    check("Rx || Wx Wx", [3, 3, 3, 3, 3]);
    check("Wx Ry || Wy Rx", [3, 4, 4, 4, 4]);
    check("Wx Wy || Ry Rx", [3, 3, 4, 3, 3]);
    check("Rx Wy || Ry Wx", [3, 3, 3, 3, 3]);
    check("Wx Wy || Wy Wx", [3, 3, 4, 3, 4]);
    check("Wx Wy || Ry Wx", [3, 3, 4, 3, 3]);
    check("Wx || Wy || Rx Ry || Ry Rx", [15, 15, 15, 16, 16]);
    check("Wx Rx || Wx Rx", [4, 4, 4, 4, 4]);
    check("Rx || Wx || Ry Wx || Ry Wx", [24, 24, 24, 24, 24]);
    check("Wx Rx || Wx", [3, 3, 3, 3, 3]);
    check("Wx || Wx || Rx Rx || Rx Rx", [72, 72, 72, 72, 72]);
    check("Wx || Wx || Rx Rx Rx", [20, 20, 20, 20, 20]);
    check("Wx Wy || Wx Wy Rx || Wx Wy Ry", [98, 144, 144, 144, 144]);
    check("Wx Rx Wy || Wx Wy Ry Wx", [12, 12, 16, 12, 13]);
    check("Ux || Ux || Wx", [6, 6, 6, 6, 6]);
    check("Ux || Ux || Ux", [6, 6, 6, 6, 6]);
}

#[test]
fn weak_rc11_counts_reads_from_only() {
    let model = Model::builtin("wrc11").unwrap();
    assert!(model.base_names().all(|name| name != "co"), "WRC11 has no coherence order");
    // RCMC §2.3: 49 executions of CORR2, of which 47 are coherent.
    assert_eq!(count("wrc11", &rf_candidates("Wx || Wx || Rx Rx || Rx Rx")), 49);
    // RCMC §5: one execution of N racing writes.
    assert_eq!(count("wrc11", &rf_candidates("Wx || Wx || Wx")), 1);
}

/// casw(n): thread i does CAS(x, 0, i); x := i + 3. A compare-and-swap succeeds exactly when it reads the
/// initial write, so every subset of successful threads is a program of its own.
fn casw(n_threads: u32, candidates: fn(&str) -> Vec<Structure>) -> Vec<Structure> {
    let mut all = Vec::new();
    for winners in 0..1 << n_threads {
        let is_winner = |thread: u32| winners >> thread & 1 == 1;
        let thread = |thread| if is_winner(thread) { "Ux Wx" } else { "Cx Wx" };
        let program = (0..n_threads).map(thread).collect::<Vec<_>>().join(" || ");
        let is_execution = |structure: &Structure| {
            let rf = structure.get_relation(atropos_cat::BaseRelation::Rf).unwrap();
            let reads_initial = |read: usize| rf.contains(0, read);
            // Event 0 is the initial write; a winner has three events, a loser two.
            let mut event = 1;
            (0..n_threads).all(|thread| {
                let read = event;
                event += if is_winner(thread) { 3 } else { 2 };
                reads_initial(read) == is_winner(thread)
            })
        };
        all.extend(candidates(&program).into_iter().filter(is_execution));
    }
    all
}

#[test]
fn compare_and_swap_and_write() {
    // ALGORITHMS.md §C.7.
    assert_eq!(count("wrc11", &casw(3, rf_candidates)), 24);
    assert_eq!(count("wrc11", &casw(4, rf_candidates)), 200);
    let all = casw(3, candidates);
    for model in ["sc", "tso", "pso", "sra", "ra", "rc11", "rc11-c11"] {
        assert_eq!(count(model, &all), 66, "{model}");
    }
}

#[test]
fn inclusions() {
    let programs = [
        "Wx Ry || Wy Rx",
        "Wx Wy || Wy Wx",
        "Wx || Wy || Rx Ry || Ry Rx",
        "Wx Rx Wy || Wx Wy Ry Wx",
        "Ux Ry || Uy Rx",
        "Wx Uy || Ry Wx Rx",
    ];
    let models = BUILTIN_MODELS.map(|name| (name, Model::builtin(name).unwrap()));
    let weakest = Model::weakest();
    for program in programs {
        for candidate in candidates(program) {
            let accepted = |wanted| {
                let (_, model) = models.iter().find(|(name, _)| *name == wanted).unwrap();
                model.is_consistent(&candidate).unwrap()
            };
            let included = [
                ("sc", "tso"),
                ("tso", "pso"),
                ("tso", "sra"),
                ("sra", "ra"),
                ("rc11-c11", "rc11"),
                ("rc11", "wrc11"),
            ];
            for (stronger, weaker) in included {
                assert!(!accepted(stronger) || accepted(weaker), "{stronger} ⊆ {weaker}: {program}");
            }
            let is_weakest = weakest.is_consistent(&candidate).unwrap();
            for (name, model) in models.iter().filter(|(name, _)| *name != "wrc11") {
                let is_stronger = is_weakest || !model.is_consistent(&candidate).unwrap();
                assert!(is_stronger, "{name} ⊆ relaxed: {program}");
            }
        }
    }
}
