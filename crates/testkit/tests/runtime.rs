//! The oracle for the thread library on programs whose behaviour POSIX clearly decides.

use atropos_testkit::oracle::runtime::{Behaviour, MisuseKind, RuntimeConfig, RuntimeProgram, behaviour};

fn behaviour_of(text: &str) -> Behaviour {
    let program: RuntimeProgram = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    let written = program.to_string();
    assert_eq!(written.parse(), Ok(program.clone()), "what is written is read back");
    behaviour(&program, RuntimeConfig::default()).expect("a small program")
}

/// Checks the results of the main thread, for programs in which it alone has any.
fn check(text: &str, results: &[&[i64]], misuses: &[MisuseKind], may_deadlock: bool) {
    let found = behaviour_of(text);
    let of_main: std::collections::BTreeSet<_> =
        found.outcomes.iter().map(|outcome| outcome[0].clone()).collect();
    assert_eq!(of_main, results.iter().map(|results| results.to_vec()).collect(), "{text}");
    assert_eq!(found.misuses, misuses.iter().copied().collect(), "{text}");
    assert_eq!(found.may_deadlock, may_deadlock, "{text}");
}

#[test]
fn a_mutex_answers_its_owner_by_its_type() {
    check("thread\nmutex_lock 0\nmutex_lock 0", &[], &[], true);
    check("thread\nmutex_lock 0\nmutex_trylock 0", &[&[0, 16]], &[], false);
    check("thread\nmutex_lock 0\nmutex_timedlock 0 0", &[&[0, 110]], &[], false);
    check("thread\nmutex_lock 0\nmutex_timedlock 0 1", &[&[0, 22]], &[], false);
    check("thread\nmutex_timedlock 0 1", &[&[0]], &[], false);
    check("mutexes adaptive\nthread\nmutex_lock 0\nmutex_lock 0", &[], &[], true);
    check("mutexes errorcheck\nthread\nmutex_lock 0\nmutex_lock 0", &[&[0, 35]], &[], false);
    check("mutexes errorcheck\nthread\nmutex_lock 0\nmutex_trylock 0", &[&[0, 16]], &[], false);
    check("mutexes errorcheck\nthread\nmutex_unlock 0", &[&[1]], &[], false);
    check("mutexes recursive\nthread\nmutex_unlock 0", &[&[1]], &[], false);
    let twice = "mutexes recursive\nthread\nmutex_lock 0\nmutex_lock 0\nmutex_unlock 0\nmutex_unlock 0\nmutex_unlock 0";
    check(twice, &[&[0, 0, 0, 0, 1]], &[], false);
    check("thread\nmutex_unlock 0", &[], &[MisuseKind::Lock], false);
}

#[test]
fn objects_have_a_life() {
    check("thread\nmutex_init 0 0\nmutex_init 0 0", &[], &[MisuseKind::Lock], false);
    check("thread\nmutex_destroy 0\nmutex_lock 0", &[], &[MisuseKind::Lock], false);
    check("thread\nmutex_destroy 0\nmutex_init 0 1\nmutex_lock 0", &[&[0, 0, 0]], &[], false);
    check("thread\nmutex_lock 0\nmutex_destroy 0", &[], &[MisuseKind::Lock], false);
    check("thread\nrwlock_rdlock 0\nrwlock_destroy 0", &[], &[MisuseKind::Lock], false);
    check("thread\ncond_destroy 0\ncond_signal 0", &[], &[MisuseKind::Lock], false);
    for uninitialised in ["spin_lock 0", "sem_post 0", "barrier_wait 0", "getspecific 0", "barrier_destroy 0"]
    {
        check(&format!("thread\n{uninitialised}"), &[], &[MisuseKind::Lock], false);
    }
    check("thread\nbarrier_init 0 0", &[&[22]], &[], false);
    check("thread\nbarrier_init 0 1\nbarrier_wait 0\nbarrier_destroy 0", &[&[0, -1, 0]], &[], false);
    check("thread\nsem_init 0 2147483647\nsem_post 0", &[&[0, 75]], &[], false);
    check("thread\nsem_init 0 2147483648", &[&[22]], &[], false);
    check("thread\nsem_init 0 0\nsem_trywait 0\nsem_getvalue 0", &[&[0, 11, 100]], &[], false);
}

#[test]
fn joins_end_with_the_thread_and_happen_once() {
    check("thread\nthread_create 1 0\nthread_join 1\nthread\nreturn 7", &[&[0, 107]], &[], false);
    let twice = "thread\nthread_create 1 0\nthread_join 1\nthread_join 1\nthread\nreturn 7";
    check(twice, &[], &[MisuseKind::Join], false);
    check("thread\nthread_create 1 1\nthread_join 1\nthread", &[], &[MisuseKind::Join], false);
    check("thread\nthread_detach 0\nthread_detach 0", &[], &[MisuseKind::Join], false);
    check("thread\nthread_join 0", &[], &[MisuseKind::Join], false);
    let cycle = "thread\nthread_create 1 0\nthread_join 1\nthread\nthread_join 0";
    check(cycle, &[], &[], true);
    let joins_main = "thread\nthread_create 1 0\npthread_exit 3\nthread\nthread_join 0";
    assert!(behaviour_of(joins_main).outcomes.contains(&vec![vec![0], vec![103]]));
    // A thread that waits when the program has ended is not an error.
    let ends = "thread\nthread_create 1 0\nreturn 0\nthread\nthread_join 0";
    assert!(!behaviour_of(ends).may_deadlock);
}

#[test]
fn exit_ends_the_program_and_leaves_other_threads_where_they_are() {
    let found = behaviour_of("thread\nthread_create 1 0\nthread_join 1\nthread\nexit 3");
    assert!(found.outcomes.is_empty() && found.is_correct() && found.may_end_early);
    let by_main = behaviour_of("thread\nload 0\nexit 3");
    assert!(by_main.outcomes.contains(&vec![vec![0]]));
}

#[test]
fn threads_that_only_spin_or_join_do_not_terminate_and_others_deadlock() {
    let hangs = |text: &str| (behaviour_of(text).may_spin_forever, behaviour_of(text).may_deadlock);
    assert_eq!(hangs("thread\nawait 0"), (true, false));
    assert_eq!(hangs("thread\nthread_create 1 0\nthread_join 1\nthread\nawait 0"), (true, false));
    let beside_a_lock =
        "thread\nmutex_lock 0\nthread_create 1 0\nthread_join 1\nthread\nmutex_lock 0\nawait 0";
    assert_eq!(hangs(beside_a_lock), (false, true));
    let both = "thread\nmutex_lock 0\nthread_create 1 0\nawait 0\nthread\nmutex_lock 0";
    assert_eq!(hangs(both), (false, true));
    assert_eq!(hangs("thread\nthread_create 1 0\nstore 0 1\nthread\nawait 0"), (false, false));
}

#[test]
fn condition_variables_wake_the_right_threads() {
    let lost =
        "thread\nthread_create 1 0\nmutex_lock 0\ncond_wait 0 0\nmutex_unlock 0\nthread\ncond_signal 0";
    check(lost, &[&[0, 0, 0, 0]], &[], true);
    let awaited = "thread\nthread_create 1 0\nmutex_lock 0\ncond_await 0 0\nmutex_unlock 0\nthread\nmutex_lock 0\nstore 0 1\ncond_signal 0\nmutex_unlock 0";
    check(awaited, &[&[0, 0, 0, 0]], &[], false);
    check("thread\nmutex_lock 0\ncond_timedwait 0 0", &[&[0, 110]], &[], false);
    check("mutexes errorcheck\nthread\ncond_wait 0 0", &[&[1]], &[], false);
    check("thread\ncond_wait 0 0", &[], &[MisuseKind::Lock], false);
}

#[test]
fn destructors_run_in_four_rounds_and_not_for_deleted_keys() {
    let rounds = "thread\nkey_create 0 2\nthread_create 1 0\nthread_join 1\nload 0\nthread\nsetspecific 0 9";
    check(rounds, &[&[0, 0, 100, 4]], &[], false);
    let once = "thread\nkey_create 0 1\nthread_create 1 0\nthread_join 1\nload 0\nthread\nsetspecific 0 5";
    check(once, &[&[0, 0, 100, 5]], &[], false);
    let deleted = "thread\nkey_create 0 1\nthread_create 1 0\nthread_join 1\nload 0\nthread\nsetspecific 0 5\nkey_delete 0";
    check(deleted, &[&[0, 0, 100, 0]], &[], false);
    let ordered = "thread\nkey_create 1 1\nkey_create 0 1\nthread_create 1 0\nload 0\nthread\nsetspecific 0 2\nsetspecific 1 1";
    check(ordered, &[&[0, 0, 0, 0], &[0, 0, 0, 1], &[0, 0, 0, 3]], &[], false);
    let main = "thread\nkey_create 0 1\nsetspecific 0 5\npthread_exit 0";
    check(main, &[&[0, 0]], &[], false);
}
