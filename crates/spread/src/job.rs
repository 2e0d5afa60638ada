//! What a search is about: records count only for the same program, model and options.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The description of a search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The version of Atropos: another one may search in another way.
    version: String,
    /// What is checked, by content.
    program: String,
    /// Everything else that decides which executions there are and how they are found, by name.
    settings: Vec<(String, String)>,
}

impl Job {
    /// A search of `version` of Atropos in a program that is given by its text.
    pub fn new(version: &str, program: &str, settings: Vec<(String, String)>) -> Job {
        let digest = Sha256::digest(program);
        let program = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Job { version: version.to_string(), program, settings }
    }

    /// A name for it, for folders.
    pub fn id(&self) -> String {
        let text = serde_json::to_string(self).expect("text becomes JSON");
        Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Why this version cannot take part in the search of this program, if so.
    pub fn refusal(&self, version: &str, program: &str) -> Option<String> {
        if self.version != version {
            return Some(format!("this is Atropos {version}, the server is {}", self.version));
        }
        let is_same = Job::new(version, program, Vec::new()).program == self.program;
        (!is_same).then(|| "the program was damaged on the way".to_string())
    }

    /// How this search differs from the one with the records, as clauses; empty if it is the same.
    pub fn differences(&self, recorded: &Job) -> Vec<String> {
        let mut clauses = Vec::new();
        if self.version != recorded.version {
            clauses.push(format!("this is Atropos {}, it was {}", self.version, recorded.version));
        }
        if self.program != recorded.program {
            clauses.push("the program has changed".to_string());
        }
        let value = |job: &Job, name: &str| {
            let found = job.settings.iter().find(|(other, _)| other == name);
            found.map_or_else(|| "absent".to_string(), |(_, value)| value.clone())
        };
        let mut names: Vec<&String> =
            self.settings.iter().chain(&recorded.settings).map(|(name, _)| name).collect();
        names.sort();
        names.dedup();
        for name in names {
            let (now, then) = (value(self, name), value(recorded, name));
            if now != then {
                clauses.push(format!("{name} is {now}, it was {then}"));
            }
        }
        clauses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named() {
        let job = |version, program, model: &str| {
            Job::new(version, program, vec![("the model".to_string(), model.to_string())])
        };
        let recorded = job("1", "main", "rc11");
        assert_eq!(recorded.differences(&recorded), Vec::<String>::new());
        let expected =
            ["this is Atropos 2, it was 1", "the program has changed", "the model is tso, it was rc11"];
        assert_eq!(job("2", "other", "tso").differences(&recorded), expected);
        assert_eq!(recorded.refusal("1", "main"), None);
        let refusals = [recorded.refusal("2", "main"), recorded.refusal("1", "other")].map(Option::unwrap);
        assert_eq!(refusals, ["this is Atropos 2, the server is 1", "the program was damaged on the way"]);
    }
}
