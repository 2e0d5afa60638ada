//! The results so far: a text file with one line per mutant, so that a run can be continued.
//!
//! ```text
//! NAME survived
//! NAME killed SUITE TEST
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The result for one mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// A suite failed at this test, or did not end.
    Killed {
        suite: String,
        test: String,
    },
    Survived,
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fate::Killed { suite, test } => write!(f, "killed {suite} {test}"),
            Fate::Survived => f.write_str("survived"),
        }
    }
}

impl Fate {
    fn parse(text: &str) -> Option<Fate> {
        match text.split_once(' ') {
            None => (text == "survived").then_some(Fate::Survived),
            Some(("killed", rest)) => {
                let (suite, test) = rest.split_once(' ')?;
                Some(Fate::Killed { suite: suite.into(), test: test.into() })
            }
            Some(_) => None,
        }
    }
}

pub struct Results {
    path: PathBuf,
    fates: BTreeMap<String, Fate>,
}

/// The name of the file.
pub const FILE: &str = "results.txt";

impl Results {
    /// The results of earlier runs, if any.
    pub fn open(folder: &Path) -> Result<Results, String> {
        let path = folder.join(FILE);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let parse = |line: &str| {
            let (name, fate) = line.split_once(' ')?;
            Some((name.to_string(), Fate::parse(fate)?))
        };
        let fates = text.lines().map(|line| parse(line).ok_or(line)).collect::<Result<_, _>>();
        let fates = fates.map_err(|line| format!("{}: no result: `{line}`", path.display()))?;
        Ok(Results { path, fates })
    }

    pub fn fate(&self, name: &str) -> Option<&Fate> {
        self.fates.get(name)
    }

    pub fn note(&mut self, name: &str, fate: Fate) -> Result<(), String> {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&self.path);
        file.and_then(|mut file| writeln!(file, "{name} {fate}"))
            .map_err(|error| format!("{}: {error}", self.path.display()))?;
        self.fates.insert(name.into(), fate);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fate_is_read_as_it_is_written() {
        let killed = Fate::Killed { suite: "lib".into(), test: "it does not end".into() };
        for fate in [killed, Fate::Survived] {
            assert_eq!(Fate::parse(&fate.to_string()), Some(fate));
        }
        assert_eq!(Fate::parse("killed lib"), None);
    }
}
