//! Both algorithms behind one function: program and machine in, counts out.

use atropos_event::{Mapping, Program, Refusal};
use atropos_explore::dpor::{Buffers, Dpor, DporVariant};
use atropos_explore::{Config, Control, Execution, Observer, Report, SearchResult};

/// Only counts.
#[derive(Debug, Default)]
pub struct Count;

impl Observer for Count {
    fn violation(&mut self, report: Report, _execution: Execution<'_>) {
        panic!("{report:?}");
    }

    fn refused(&mut self, refusal: Refusal) {
        panic!("the program is refused: {refusal:?}");
    }
}

pub fn buffers_of(model: &str) -> Buffers {
    match model {
        "sc" => Buffers::None,
        "tso" => Buffers::PerThread,
        "pso" => Buffers::PerLocation,
        _ => panic!("no machine for {model}"),
    }
}

pub fn search<O>(
    program: &dyn Program,
    variant: DporVariant,
    model: &str,
    mapping: Mapping,
) -> SearchResult<O>
where
    O: Observer + Default + Send,
{
    let config = Config { keep_going: true, ..Config::default() };
    let control = Control::default();
    let dpor = Dpor { variant, buffers: buffers_of(model), mapping };
    atropos_explore::search(program, &dpor, config, &control, 1, O::default)
}
