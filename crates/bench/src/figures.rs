//! The figures of a paper or of our own run: `executions 576, duplicates 98`.

use std::fmt;
use std::str::FromStr;

/// Missing figures are not compared.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Figures {
    pub executions: Option<u64>,
    /// Executions that end with a thread that waits forever, and source-DPOR's sleep-set blocked traces.
    pub blocked: Option<u64>,
    /// RCMC: complete executions visited again.
    pub duplicates: Option<u64>,
    pub is_violated: Option<bool>,
    /// The seconds that the paper's tool took on the paper's machine. Shown beside ours, never compared.
    pub time_s: Option<f64>,
}

impl Figures {
    /// Whether there is a figure to compare.
    pub(crate) fn has_counts(&self) -> bool {
        Figures { time_s: None, ..self.clone() } != Figures::default()
    }

    /// Whether `found` has all the figures of `self`.
    pub fn agree_with(&self, found: &Figures) -> bool {
        fn agrees<T: PartialEq>(expected: Option<T>, found: Option<T>) -> bool {
            expected.is_none() || expected == found
        }
        agrees(self.executions, found.executions)
            && agrees(self.blocked, found.blocked)
            && agrees(self.duplicates, found.duplicates)
            && agrees(self.is_violated, found.is_violated)
    }

    /// The amount of work, as far as the figures show it.
    pub fn total(&self) -> u64 {
        [self.executions, self.blocked, self.duplicates].into_iter().flatten().sum()
    }
}

impl FromStr for Figures {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut figures = Figures::default();
        for figure in text.split(',').map(str::trim) {
            let (name, value) =
                figure.split_once(' ').ok_or_else(|| format!("expected `NAME VALUE`, found `{figure}`"))?;
            let number = || value.parse().map_err(|_| format!("expected a number, found `{value}`"));
            match (name, value) {
                ("executions", _) => figures.executions = Some(number()?),
                ("blocked", _) => figures.blocked = Some(number()?),
                ("duplicates", _) => figures.duplicates = Some(number()?),
                ("verdict", "verified") => figures.is_violated = Some(false),
                ("verdict", "violation") => figures.is_violated = Some(true),
                ("time", _) => {
                    let seconds = value.parse().ok().filter(|seconds: &f64| seconds.is_finite());
                    figures.time_s = Some(seconds.ok_or_else(|| format!("`{value}` is not a time"))?);
                }
                _ => return Err(format!("`{figure}` is not a figure")),
            }
        }
        Ok(figures)
    }
}

/// Short, for a cell of a table: `576 + 98 duplicates`.
impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = self.is_violated.map(|is| if is { "violation" } else { "verified" }.to_string());
        let mut parts = Vec::new();
        parts.extend(self.executions.map(|n| n.to_string()));
        parts.extend(self.blocked.map(|n| format!("{n} blocked")));
        parts.extend(self.duplicates.map(|n| format!("{n} duplicates")));
        let counts = Some(parts.join(" + ")).filter(|counts| !counts.is_empty());
        let both: Vec<String> = verdict.into_iter().chain(counts).collect();
        f.write_str(&if both.is_empty() { "-".to_string() } else { both.join(", ") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(text: &str) -> Figures {
        text.parse().expect("it is well-formed")
    }

    #[test]
    fn all_figures_are_read_and_shown() {
        let all = figures("verdict verified, executions 3, blocked 2, duplicates 1, time 0.5");
        assert_eq!(all.to_string(), "verified, 3 + 2 blocked + 1 duplicates");
        assert_eq!((all.total(), all.time_s), (6, Some(0.5)));
        assert_eq!(figures("time 7").to_string(), "-");
    }

    #[test]
    fn what_is_no_figure_is_refused() {
        for text in
            ["", "executions", "executions many", "verdict maybe", "traces 5", "time NaN", "blocked -1"]
        {
            assert!(text.parse::<Figures>().is_err(), "{text}");
        }
    }

    #[test]
    fn only_what_is_given_is_compared() {
        let found = figures("executions 3, blocked 2, duplicates 0, verdict verified");
        for text in ["executions 3", "blocked 2, time 9", "verdict verified, duplicates 0"] {
            assert!(figures(text).agree_with(&found), "{text}");
        }
        for text in ["executions 4", "executions 3, blocked 1", "verdict violation", "duplicates 1"] {
            assert!(!figures(text).agree_with(&found), "{text}");
        }
        assert!(!figures("time 9").has_counts() && figures("blocked 0").has_counts());
    }
}
