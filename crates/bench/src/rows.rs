//! What is measured: members of families, each under a model and up to an equivalence, with the count that a
//! paper prints. These are the only numbers of the benchmarks that are written down.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    Sc,
    Tso,
    Pso,
    Ra,
    Sra,
    Rc11,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UpTo {
    Co,
    Rf,
}

/// A program with the question asked about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    pub family: String,
    pub parameter: u64,
    pub model: Model,
    pub up_to: UpTo,
}

/// Members of a family that a paper gives counts for.
pub struct Series {
    pub family: &'static str,
    pub model: Model,
    pub up_to: UpTo,
    /// Where the counts are printed.
    pub source: &'static str,
    /// Parameters, with the number of complete executions.
    pub counts: &'static [(u64, u64)],
    pub note: &'static str,
    /// The note says why our counts are not those of the source.
    pub is_explained: bool,
    /// More than a second, though the counts are small.
    pub is_slow: bool,
}

/// One line of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    pub case: Case,
    pub expected: u64,
    pub source: &'static str,
    pub note: &'static str,
    pub is_explained: bool,
    /// Under a second.
    pub is_quick: bool,
}

/// All rows of `series`, in its order.
pub fn rows(series: &[Series]) -> Vec<Row> {
    let row = |series: &Series, &(parameter, expected): &(u64, u64)| {
        let Series { family, model, up_to, source, note, is_explained, is_slow, .. } = *series;
        let case = Case { family: family.to_string(), parameter, model, up_to };
        Row { case, expected, source, note, is_explained, is_quick: expected <= 50_000 && !is_slow }
    };
    series.iter().flat_map(|series| series.counts.iter().map(move |count| row(series, count))).collect()
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}) {} {}", self.family, self.parameter, self.model, self.up_to)
    }
}

const MODELS: [(Model, &str); 6] = [
    (Model::Sc, "sc"),
    (Model::Tso, "tso"),
    (Model::Pso, "pso"),
    (Model::Ra, "ra"),
    (Model::Sra, "sra"),
    (Model::Rc11, "rc11"),
];

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = MODELS.iter().find(|(model, _)| model == self);
        f.write_str(named.map_or("", |(_, name)| name))
    }
}

impl FromStr for Model {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = MODELS.iter().find(|(_, name)| *name == text);
        named.map(|(model, _)| *model).ok_or_else(|| format!("no model is called `{text}`"))
    }
}

impl fmt::Display for UpTo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UpTo::Co => "co",
            UpTo::Rf => "rf",
        })
    }
}

impl FromStr for UpTo {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "co" => Ok(UpTo::Co),
            "rf" => Ok(UpTo::Rf),
            _ => Err(format!("expected `co` or `rf`, found `{text}`")),
        }
    }
}
