//! Programs over the thread library as C.
//!
//! Many programs share a file, each with its own names: program 7 starts at `p7_main`, and `p7_r1_2` receives the
//! result of statement 2 of its thread 1. With `-DNATIVE` the file is a complete program (`native.h`), which runs each
//! of its programs many times and prints the outcomes.

use atropos_testkit::oracle::runtime::{
    Call, Class, Destructor, End, JOINED, MutexKind, NOT_EXECUTED, Op, RuntimeProgram, RuntimeStmt,
    UNKNOWN_THREAD,
};
use std::fmt::Write;

/// A C file with these programs and their numbers.
pub(crate) fn to_c<'a>(programs: impl IntoIterator<Item = (u64, &'a RuntimeProgram)>) -> String {
    let mut text = String::from(include_str!("prelude.h"));
    let mut table = String::new();
    for (number, program) in programs {
        Writer { program, number, text: &mut text }.write();
        let results = results(program);
        let cells: String =
            results.iter().map(|(thread, index)| format!(", &p{number}_r{thread}_{index}")).collect();
        let n = results.len();
        writeln!(table, "    {{{number}, p{number}_main, {n}, (long *[]){{0{cells}}}}},").expect("a string");
    }
    write!(text, "\n#ifdef NATIVE\nstatic struct program programs[] = {{\n{table}}};\n").expect("a string");
    text += include_str!("native.h");
    text += "#endif\n";
    text
}

/// All results of a program, by thread and statement.
pub fn results(program: &RuntimeProgram) -> Vec<(usize, usize)> {
    let threads = program.threads.iter().enumerate();
    threads.flat_map(|(thread, of)| (0..of.body.len()).map(move |index| (thread, index))).collect()
}

/// The name of a program's entry function.
pub fn entry(number: u64) -> String {
    format!("p{number}_main")
}

struct Writer<'a> {
    program: &'a RuntimeProgram,
    number: u64,
    text: &'a mut String,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        let name = format!("p{}_", self.number);
        self.text.push_str(&line.replace('@', &name));
        self.text.push('\n');
    }

    fn write(mut self) {
        self.declare();
        let n_threads = self.program.threads.len();
        for thread in (0..n_threads).rev() {
            self.thread(thread);
        }
    }

    fn declare(&mut self) {
        self.line("");
        for (index, kind) in self.program.mutexes.into_iter().enumerate() {
            let initialiser = match kind {
                MutexKind::Normal => "PTHREAD_MUTEX_INITIALIZER",
                MutexKind::Recursive => "PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP",
                MutexKind::Errorcheck => "PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP",
                MutexKind::Adaptive => "PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP",
                MutexKind::Robust | MutexKind::RobustRecursive => {
                    unreachable!("robust mutexes have no static initialiser")
                }
            };
            self.line(&format!("pthread_mutex_t @m{index} = {initialiser};"));
        }
        for index in 0..2 {
            self.line(&format!("pthread_cond_t @c{index} = PTHREAD_COND_INITIALIZER;"));
            self.line(&format!("pthread_rwlock_t @w{index} = PTHREAD_RWLOCK_INITIALIZER;"));
            self.line(&format!("pthread_spinlock_t @s{index};"));
            self.line(&format!("sem_t @e{index};"));
            self.line(&format!("pthread_barrier_t @b{index};"));
            self.line(&format!("pthread_once_t @o{index} = PTHREAD_ONCE_INIT;"));
            self.line(&format!("pthread_key_t @k{index};"));
            self.line(&format!("_Atomic long @x{index};"));
            self.line(&format!("void @f{index}(void) {{ atomic_fetch_add(&@x{index}, 1); }}"));
        }
        for (thread, index) in results(self.program) {
            self.line(&format!("long @r{thread}_{index} = {NOT_EXECUTED};"));
        }
        for thread in 0..self.program.threads.len() {
            self.line(&format!("pthread_t @t{thread}; _Atomic int @known{thread};"));
        }
        for call in self.program.calls().filter(|call| call.op == Op::KeyCreate) {
            self.destructor(call);
        }
    }

    fn destructor(&mut self, call: Call) {
        let key = call.object;
        let again = |goal: usize| {
            format!("ADD(&@x0, 1); if ((long)v > 1) pthread_setspecific(@k{goal}, (void *)((long)v - 1));")
        };
        let body = match Destructor::of(call.argument) {
            Destructor::None => return,
            Destructor::Add => "ADD(&@x0, (long)v);".to_string(),
            Destructor::Again => again(key),
            Destructor::Other => again(1 - key),
        };
        self.line(&format!("void @d{key}(void *v) {{ {body} }}"));
    }

    fn thread(&mut self, me: usize) {
        let thread = &self.program.threads[me];
        match me {
            0 => self.line("int @main(void) {"),
            _ => self.line(&format!("void *@thread{me}(void *unused) {{")),
        }
        if me == 0 && self.program.threads.iter().enumerate().any(|(at, _)| at > 0 && self.looks_for(at, 0)) {
            self.line("  @t0 = pthread_self(); atomic_store(&@known0, 1);");
        }
        for (index, RuntimeStmt { guard, call }) in thread.body.iter().enumerate() {
            let guard = guard.map(|(on, value)| format!("if (r{on} == {value}) ")).unwrap_or_default();
            let value = self.value(me, index, *call);
            self.line(&format!("  long r{index} = {NOT_EXECUTED};"));
            let publish = match call.op {
                Op::Create if self.is_published(call.object) => {
                    format!(" atomic_store(&@known{}, 1);", call.object)
                }
                _ => String::new(),
            };
            self.line(&format!(
                "  {guard}{{ PAUSE(); r{index} = {value}; @r{me}_{index} = r{index};{publish} }}"
            ));
        }
        match (thread.end, me) {
            (End::Return(_), 0) => self.line("  return 0;"),
            (End::Return(value), _) => self.line(&format!("  return (void *){value}L;")),
            (End::Exit(value), _) => self.line(&format!("  pthread_exit((void *){value}L);")),
            (End::Quit(value), _) => self.line(&format!("  exit({value});")),
        }
        self.line("}");
    }

    /// Whether a thread joins or detaches another one.
    fn looks_for(&self, thread: usize, target: usize) -> bool {
        let is_about = |call: Call| refers_to_thread(call.op) && call.object == target;
        self.program.threads[thread].body.iter().any(|stmt| is_about(stmt.call))
    }

    /// Whether a thread refers to one that it may not have created before.
    fn is_published(&self, target: usize) -> bool {
        self.program.threads.iter().enumerate().any(|(thread, of)| {
            thread != target && (0..of.body.len()).any(|index| self.is_uncertain(thread, index, target))
        })
    }

    fn is_uncertain(&self, thread: usize, index: usize, target: usize) -> bool {
        let body = &self.program.threads[thread].body;
        let is_create = |stmt: &RuntimeStmt| {
            stmt.call.op == Op::Create && stmt.call.object == target && stmt.guard.is_none()
        };
        let call = body[index].call;
        refers_to_thread(call.op) && call.object == target && !body[..index].iter().any(is_create)
    }

    fn value(&self, me: usize, index: usize, call: Call) -> String {
        let Call { op, object, argument } = call;
        let deadline = if argument == 0 { "SOON" } else { "NEVER_A_TIME" };
        match op {
            Op::Create => {
                let function = if argument == 1 { "create_detached" } else { "create" };
                format!("{function}(&@t{object}, @thread{object})")
            }
            Op::TestCancel => "(pthread_testcancel(), 0)".to_string(),
            Op::SetCancelState => format!("set_cancel_state({argument})"),
            Op::Join | Op::Detach | Op::Cancel => {
                let function = match op {
                    Op::Join => "join",
                    Op::Detach => "pthread_detach",
                    _ => "pthread_cancel",
                };
                if object == me {
                    format!("{function}(pthread_self())")
                } else if self.is_uncertain(me, index, object) {
                    format!("atomic_load(&@known{object}) ? {function}(@t{object}) : {UNKNOWN_THREAD}")
                } else {
                    format!("{function}(@t{object})")
                }
            }
            Op::MutexInit => format!("mutex_init_{}(&@m{object})", MutexKind::of(argument).name()),
            Op::MutexTimedlock => timed("pthread_mutex_timedlock", &format!("&@m{object}"), deadline, index),
            Op::CondInit => format!("pthread_cond_init(&@c{object}, NULL)"),
            Op::CondWait => format!("pthread_cond_wait(&@c{object}, &@m{argument})"),
            Op::CondTimedwait => {
                timed("pthread_cond_timedwait", &format!("&@c{object}, &@m{argument}"), "SOON", index)
            }
            Op::CondAwait => format!("cond_await(&@x{object}, &@c{object}, &@m{argument})"),
            Op::RwlockInit => format!("pthread_rwlock_init(&@w{object}, NULL)"),
            Op::Timedrdlock | Op::Timedwrlock => {
                timed(&format!("pthread_{}", op.name()), &format!("&@w{object}"), deadline, index)
            }
            Op::SpinInit => format!("pthread_spin_init(&@s{object}, 0)"),
            Op::SemInit => format!("sem_init(&@e{object}, 0, {argument}u) ? errno : 0"),
            Op::SemTimedwait => {
                timed("sem_timedwait", &format!("&@e{object}"), deadline, index) + " ? errno : 0"
            }
            Op::SemGetvalue => format!("getvalue(&@e{object})"),
            Op::BarrierInit => format!("pthread_barrier_init(&@b{object}, NULL, {argument})"),
            Op::Once => format!("pthread_once(&@o{object}, @f{object})"),
            Op::KeyCreate if Destructor::of(argument) == Destructor::None => {
                format!("pthread_key_create(&@k{object}, NULL)")
            }
            Op::KeyCreate => format!("pthread_key_create(&@k{object}, @d{object})"),
            Op::KeyDelete => format!("pthread_key_delete(@k{object})"),
            Op::SetSpecific => format!("pthread_setspecific(@k{object}, (void *){argument}L)"),
            Op::GetSpecific => format!("(long)pthread_getspecific(@k{object})"),
            Op::Load => format!("atomic_load(&@x{object})"),
            Op::Store => format!("(atomic_store(&@x{object}, {argument}), 0)"),
            Op::Add => format!("ADD(&@x{object}, {argument})"),
            Op::Await => format!("await(&@x{object})"),
            _ => self.plain(call),
        }
    }

    /// A call whose only operand is its object.
    fn plain(&self, call: Call) -> String {
        let (name, object) = (call.op.name(), call.object);
        match call.op.class() {
            Class::Mutex => format!("pthread_{name}(&@m{object})"),
            Class::Cond => format!("pthread_{name}(&@c{object})"),
            Class::Rwlock => format!("pthread_{name}(&@w{object})"),
            Class::Spin => format!("pthread_{name}(&@s{object})"),
            Class::Barrier => format!("pthread_{name}(&@b{object})"),
            _ => format!("{name}(&@e{object}) ? errno : 0"),
        }
    }
}

/// Whether the object of a call is a thread that exists.
fn refers_to_thread(op: Op) -> bool {
    matches!(op, Op::Join | Op::Detach | Op::Cancel)
}

/// A call with a deadline; every second one names the clock.
fn timed(function: &str, operands: &str, deadline: &str, index: usize) -> String {
    match index % 2 {
        0 => format!("{function}({operands}, {deadline})"),
        _ => format!("{}({operands}, CLOCK_REALTIME, {deadline})", function.replace("timed", "clock")),
    }
}

const _: () = assert!(JOINED == 100, "as in prelude.h");
