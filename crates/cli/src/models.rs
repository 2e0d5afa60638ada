//! The memory models: their names, and `atropos models`.

use crate::args::ModelsArgs;
use crate::exit::Exit;
use crate::input::Malformed;
use crate::output;
use anyhow::Result;
use atropos_cat::Model as Cat;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A memory model, as it is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Model {
    Sc,
    Tso,
    Pso,
    Ra,
    Sra,
    Rc11,
    Wrc11,
    /// A model of the user's own.
    Custom(PathBuf),
}

impl Model {
    pub const BUILTIN: [Model; 7] =
        [Model::Sc, Model::Tso, Model::Pso, Model::Ra, Model::Sra, Model::Rc11, Model::Wrc11];

    pub fn name(&self) -> String {
        match self {
            Model::Sc => "sc".into(),
            Model::Tso => "tso".into(),
            Model::Pso => "pso".into(),
            Model::Ra => "ra".into(),
            Model::Sra => "sra".into(),
            Model::Rc11 => "rc11".into(),
            Model::Wrc11 => "wrc11".into(),
            Model::Custom(path) => path.display().to_string(),
        }
    }

    /// Models of a language, in which a data race is undefined behaviour. Those of machines know no races, and
    /// read C11's orders through a mapping.
    pub fn is_language(&self) -> bool {
        matches!(self, Model::Ra | Model::Sra | Model::Rc11 | Model::Wrc11)
    }

    fn about(&self) -> &'static str {
        match self {
            Model::Sc => "sequential consistency: threads take turns",
            Model::Tso => "total store order: one store buffer per thread, as on x86",
            Model::Pso => "partial store order: one store buffer per thread and location",
            Model::Ra => "release-acquire: every write releases, every read acquires",
            Model::Sra => "strong release-acquire: all writes fit into one global order",
            Model::Rc11 => "repaired C/C++11; --release-sequences c11 for the definition before C++20",
            Model::Wrc11 => "rc11 without an order of racing writes; for --algorithm rcmc",
            Model::Custom(_) => "a model of your own",
        }
    }
}

impl FromStr for Model {
    type Err = String;

    fn from_str(text: &str) -> Result<Model, String> {
        if let Some(model) = Model::BUILTIN.into_iter().find(|model| model.name() == text) {
            return Ok(model);
        }
        match text {
            _ if Path::new(text).extension().is_some_and(|extension| extension == "cat") => {
                Ok(Model::Custom(text.into()))
            }
            _ => {
                let names = Model::BUILTIN.map(|model| model.name()).join(", ");
                Err(format!("unknown model `{text}`: the models are {names}, or a file that ends in .cat"))
            }
        }
    }
}

/// Reads a model of the user's own.
pub fn load_cat(path: &Path) -> Result<Cat> {
    Ok(Cat::load(path).map_err(|error| Malformed(error.to_string()))?)
}

/// `atropos models`.
pub fn list(args: &ModelsArgs) -> Result<Exit> {
    let chosen = match &args.model {
        Some(name) => vec![name.parse::<Model>().map_err(anyhow::Error::msg)?],
        None => Model::BUILTIN.to_vec(),
    };
    let mut text = String::new();
    for model in chosen {
        let cat = match &model {
            Model::Custom(path) => load_cat(path)?,
            builtin => Cat::builtin(&builtin.name()).expect("every model has its file"),
        };
        writeln!(text, "{:5} {}", model.name(), model.about())?;
        for axiom in cat.axioms() {
            writeln!(text, "      {axiom}")?;
        }
        writeln!(text)?;
    }
    output::print(&text);
    Ok(Exit::Verified)
}
