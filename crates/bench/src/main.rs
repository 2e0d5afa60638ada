//! `make bench`.
use atropos_event::{Mapping, Run};
use atropos_explore::{Co, Config, Control, Execution, Observer, Report, Rf, parallel::explore};
use atropos_model::{MemoryModel, Pso, Ra, Rc11, Sc, Sra, Tso};
use std::time::Instant;
mod families;

struct Nothing;
impl<R: Run> Observer<R> for Nothing {
    fn violation(&mut self, report: Report, _e: Execution<'_, R>) {
        panic!("{report:?}")
    }
    fn refused(&mut self, reason: String, _e: Execution<'_, R>) {
        panic!("{reason}")
    }
}

fn run<M: MemoryModel + Clone + Sync>(vm: &atropos_vm::Vm, model: &M, eq: &str, jobs: usize, races: bool) {
    let control = Control::default();
    let config = Config { detect_races: races, ..Config::default() };
    let start = Instant::now();
    let stats = if eq == "co" {
        explore::<_, M, Co, _>(vm, model, config, &control, jobs, || Nothing).stats
    } else {
        explore::<_, M, Rf, _>(vm, model, config, &control, jobs, || Nothing).stats
    };
    let t = start.elapsed().as_secs_f64();
    let rss = std::fs::read_to_string("/proc/self/status")
        .unwrap()
        .lines()
        .find(|l| l.starts_with("VmHWM"))
        .unwrap()
        .to_string();
    println!(
        "{} execs {} blocked, {:.3}s, {:.0} ns/exec, {:.2} events/exec, {:.1} ns/event, dead/exec {:.2} revisits/exec {:.2} {}",
        stats.executions,
        stats.blocked,
        t,
        t * 1e9 / stats.executions as f64,
        stats.events as f64 / stats.executions as f64,
        t * 1e9 / stats.events as f64,
        stats.dead as f64 / stats.executions as f64,
        stats.revisits as f64 / stats.executions as f64,
        rss
    );
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let family = families::FAMILIES.iter().find(|f| f.name == args[1]).unwrap();
    let text = (family.program)(args[2].parse().unwrap());
    let module = atropos_vm::text::parse("bench.vm", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let vm = atropos_vm::Vm::new(module, atropos_vm::Config::default()).unwrap();
    let eq = args.get(4).map_or("co", |s| s);
    let jobs = args.get(5).map_or(1, |s| s.parse().unwrap());
    match args[3].as_str() {
        "rc11" => run(&vm, &Rc11::default(), eq, jobs, true),
        "ra" => run(&vm, &Ra::default(), eq, jobs, true),
        "sra" => run(&vm, &Sra::default(), eq, jobs, true),
        "sc" => run(&vm, &Sc::default(), eq, jobs, false),
        "tso" => run(&vm, &Tso::new(Mapping::Raw), eq, jobs, false),
        "pso" => run(&vm, &Pso::new(Mapping::Raw), eq, jobs, false),
        _ => panic!(),
    }
}
