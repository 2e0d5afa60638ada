//! The memory models: their names, and `atropos models`.

use crate::args::ModelsArgs;
use crate::exit::Exit;
use crate::output;
use anyhow::Result;
use atropos_cat::Model as Cat;
use atropos_event::Diagnostics;
use atropos_explore::catalogue::ModelName;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A memory model as named on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Model {
    Builtin(ModelName),
    /// The user's own model.
    Custom(PathBuf),
}

impl Model {
    pub fn name(&self) -> String {
        match self {
            Model::Builtin(model) => model.name().into(),
            Model::Custom(path) => path.display().to_string(),
        }
    }

    /// See [`ModelName::is_language`].
    pub fn is_language(&self) -> bool {
        matches!(self, Model::Builtin(model) if model.is_language())
    }

    fn about(&self) -> &'static str {
        match self {
            Model::Builtin(ModelName::Sc) => "sequential consistency: threads take turns",
            Model::Builtin(ModelName::Tso) => "total store order: one store buffer per thread, as on x86",
            Model::Builtin(ModelName::Pso) => "partial store order: one store buffer per thread and location",
            Model::Builtin(ModelName::Ra) => "release-acquire: every write releases, every read acquires",
            Model::Builtin(ModelName::Sra) => "strong release-acquire: all writes fit into one global order",
            Model::Builtin(ModelName::Rc11) => {
                "repaired C/C++11; --release-sequences c11 for the definition before C++20"
            }
            Model::Builtin(ModelName::Wrc11) => {
                "rc11 without an order of racing writes; for --algorithm rcmc"
            }
            Model::Custom(_) => "a model of your own",
        }
    }
}

impl FromStr for Model {
    type Err = String;

    fn from_str(text: &str) -> Result<Model, String> {
        if let Some(model) = ModelName::ALL.into_iter().find(|model| model.name() == text) {
            return Ok(Model::Builtin(model));
        }
        match text {
            _ if Path::new(text).extension().is_some_and(|extension| extension == "cat") => {
                Ok(Model::Custom(text.into()))
            }
            _ => {
                let names = ModelName::ALL.map(ModelName::name).join(", ");
                Err(format!("unknown model: the models are {names}, or a file that ends in .cat"))
            }
        }
    }
}

/// Reads the user's own model.
pub fn load_cat(path: &Path) -> Result<Cat> {
    Ok(Cat::load(path).map_err(Diagnostics::from)?)
}

/// How the model reads the orders of C11: the columns of the table in docs/models.md.
const ORDERS: [[&str; 5]; 11] = [
    ["in the program", "sc", "tso, pso", "ra, sra", "rc11, wrc11"],
    ["load, any order", "read", "read", "acquire read", "as written"],
    ["plain, relaxed store", "write", "write", "release write", "as written"],
    ["release store", "write", "write; under `pso` not before earlier stores", "release write", "as written"],
    ["seq_cst store", "write", "write that drains the buffer", "release write", "as written"],
    ["read-modify-write", "atomic read and write", "drains the buffer", "acquire and release", "as written"],
    ["failed CAS", "read", "read that drains the buffer", "acquire read", "the failure order"],
    ["seq_cst fence", "nothing", "drains the buffer", "nothing", "as written"],
    ["release, acq_rel fence", "nothing", "under `pso` keeps stores in order", "nothing", "as written"],
    ["acquire fence", "nothing", "nothing", "nothing", "as written"],
    ["spawn, join", "synchronise", "drain the buffer", "synchronise", "synchronise"],
];

/// The table of orders, in columns.
fn write_orders(text: &mut String) -> std::fmt::Result {
    let width =
        |column: usize| ORDERS.iter().map(|row| row[column].replace('`', "").len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    writeln!(text, "How the memory orders of a C or C++ program are read:\n")?;
    for row in ORDERS {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{:width$}", cell.replace('`', "")));
        writeln!(text, "      {}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    writeln!(
        text,
        "\nFor sc, tso and pso this is --mapping compiled, what a compiler for such a machine emits. With"
    )?;
    writeln!(
        text,
        "--mapping raw, orders of loads and stores are ignored and every fence is a full one. Races on plain"
    )?;
    writeln!(text, "accesses are errors under ra, sra, rc11 and wrc11.")
}

/// `atropos models`.
pub fn list(args: &ModelsArgs) -> Result<Exit> {
    let chosen = match &args.model {
        Some(model) => vec![model.clone()],
        None => ModelName::ALL.map(Model::Builtin).to_vec(),
    };
    let mut text = String::new();
    for model in chosen {
        let cat = match &model {
            Model::Custom(path) => load_cat(path)?,
            Model::Builtin(model) => Cat::builtin(model.name()).expect("every model has its file"),
        };
        writeln!(text, "{:5} {}", model.name(), model.about())?;
        for axiom in cat.axioms() {
            writeln!(text, "      {axiom}")?;
        }
        writeln!(text)?;
    }
    if args.model.is_none() {
        write_orders(&mut text)?;
    }
    output::print(&text)?;
    Ok(Exit::Verified)
}

#[cfg(test)]
mod tests {
    use super::ORDERS;

    #[test]
    fn the_table_of_orders_is_that_of_the_document() {
        let document = include_str!("../../../docs/models.md");
        let rows: Vec<String> = ORDERS.iter().map(|row| format!("| {} |", row.join(" | "))).collect();
        for row in rows {
            let quoted = row.replace(
                "| sc | tso, pso | ra, sra | rc11, wrc11 |",
                "| `sc` | `tso`, `pso` | `ra`, `sra` | `rc11`, `wrc11` |",
            );
            assert!(document.contains(&quoted), "docs/models.md has no row `{quoted}`");
        }
    }
}
