//! `atropos generate`: litmus tests from cycles of relations, in the manner of diy.

use crate::args::GenerateArgs;
use crate::exit::Exit;
use crate::output;
use anyhow::{Context, Result, anyhow, bail};
use atropos_litmus::ast::{Dialect, Litmus};
use atropos_litmus::generate::{Annotation, Cycle, CycleLimits, Edge, cycles, litmus};
use std::collections::HashSet;
use std::path::Path;

pub fn generate(args: &GenerateArgs) -> Result<Exit> {
    let dialect = args.dialect;
    let limit = args.limit.unwrap_or(usize::MAX);
    let tests: Box<dyn Iterator<Item = Result<Litmus>>> = if args.cycles.is_empty() {
        // Skip cycles that the dialect cannot express.
        Box::new(cycles(config(args)?).filter_map(move |cycle| litmus(&cycle, dialect).ok()).map(Ok))
    } else {
        Box::new(args.cycles.iter().map(move |text| written(text, dialect)))
    };
    let mut tests = tests.take(limit);
    match &args.output {
        Some(directory) => write_all(&mut tests, directory)?,
        None => tests.try_for_each(|test| {
            let test = test?;
            let text = if args.list { format!("{}\n", test.name) } else { format!("{test}\n") };
            output::print(&text)
        })?,
    }
    Ok(Exit::Verified)
}

/// The test of a cycle given on the command line.
fn written(text: &str, dialect: Dialect) -> Result<Litmus> {
    let cycle: Cycle = text.parse().map_err(|reason| anyhow!("`{text}` is not a cycle: {reason}"))?;
    litmus(&cycle, dialect).map_err(|reason| anyhow!("`{text}`: {reason}"))
}

fn config(args: &GenerateArgs) -> Result<CycleLimits> {
    let default = CycleLimits::default();
    let edges = args.edges.iter().map(|word| {
        word.parse::<Edge>().map_err(|()| {
            let all: Vec<_> = Edge::all().iter().map(Edge::to_string).collect();
            anyhow!("unknown edge `{word}`: the edges are {}", all.join(", "))
        })
    });
    let edges = edges.collect::<Result<Vec<_>>>()?;
    let annotations = args.annotations.iter().map(|word| {
        word.parse::<Annotation>().map_err(|()| {
            let all = Annotation::ALL.map(|annotation| format!("{annotation:?}")).join(", ");
            anyhow!("unknown annotation `{word}`: the annotations are {all}")
        })
    });
    let annotations = annotations.collect::<Result<Vec<_>>>()?;
    Ok(CycleLimits {
        edges: if edges.is_empty() { default.edges } else { edges },
        annotations: if annotations.is_empty() { default.annotations } else { annotations },
        max_edges: args.max_edges.unwrap_or(default.max_edges),
        max_threads: args.max_threads.unwrap_or(default.max_threads),
        max_thread_accesses: args.max_accesses.unwrap_or(default.max_thread_accesses),
    })
}

fn write_all(tests: &mut dyn Iterator<Item = Result<Litmus>>, directory: &Path) -> Result<()> {
    std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let mut names = HashSet::new();
    for test in tests {
        let test = test?;
        let path = directory.join(format!("{}.litmus", test.name));
        if !names.insert(test.name.clone()) {
            bail!("two tests are called {} and would be written to the same file", test.name);
        }
        std::fs::write(&path, test.to_string())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if names.is_empty() {
        bail!("no cycle fits these bounds");
    }
    output::print(&format!("{} tests in {}\n", names.len(), directory.display()))
}
