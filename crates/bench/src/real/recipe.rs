//! How to check real code, in the first comment of its driver:
//!
//! ```text
//! // package: NAME            a Debian package, whose headers are found by themselves unless a flag names it
//! // source: NAME             a Debian source package
//! // prepare: NAME | COMMAND  for the shell, once, in the folder of a source package: what its build generates
//! // file: $NAME/PATH         another file of the program
//! // flags: FLAGS             for clang, in every check
//! // check: OPTIONS [-- FLAGS] | VERDICT
//! // changed: FILE | OLD | NEW | OPTIONS [-- FLAGS] | VERDICT
//! ```
//!
//! `$NAME` is the folder of a package. A verdict is `verified, N executions` or the kind of a violation; if `--unroll`
//! has cut executions off, it is `verified up to a bound, N executions`. A changed check replaces OLD, which FILE has exactly once, by NEW; `\n` is the end of a line, `\t` a tabulator.

use std::path::{Path, PathBuf};

/// A driver with its recipe.
#[derive(Clone, PartialEq, Debug)]
pub struct Recipe {
    pub driver: PathBuf,
    pub packages: Vec<Package>,
    pub files: Vec<String>,
    pub flags: Vec<String>,
    pub checks: Vec<RealCheck>,
}

/// Where code comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Package {
    pub name: String,
    pub is_source: bool,
    /// A command for the shell that makes what the build of a source package generates.
    pub prepare: Option<String>,
}

/// One check of a driver.
#[derive(Clone, PartialEq, Debug)]
pub struct RealCheck {
    /// The line of the recipe, counted from 0.
    pub line: usize,
    pub change: Option<Change>,
    pub options: Vec<String>,
    pub flags: Vec<String>,
    pub expected: RealVerdict,
}

/// Other text in a file of a package: a bug put in, or one mended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    pub file: String,
    pub old: String,
    pub new: String,
}

/// What Atropos says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RealVerdict {
    Verified {
        n_executions: u64,
        /// Whether a bound on loops has cut executions off.
        is_bounded: bool,
    },
    /// The kind of the first violation.
    Violation(String),
}

/// Reads the recipe of a driver.
///
/// # Errors
/// What is wrong, with file and line.
pub fn parse(driver: &Path, text: &str) -> Result<Recipe, String> {
    let mut recipe = Recipe {
        driver: driver.to_path_buf(),
        packages: Vec::new(),
        files: Vec::new(),
        flags: Vec::new(),
        checks: Vec::new(),
    };
    for (line, text) in text.lines().enumerate() {
        let Some(text) = text.strip_prefix("// ") else { break };
        let Some((key, value)) = text.split_once(": ") else { continue };
        add(&mut recipe, key, value.trim(), line)
            .map_err(|error| format!("{}:{}: {error}", driver.display(), line + 1))?;
    }
    match (recipe.packages.is_empty(), recipe.checks.is_empty()) {
        (true, _) => Err(format!("{}: no line `// package: NAME` or `// source: NAME`", driver.display())),
        (_, true) => Err(format!("{}: no line `// check: OPTIONS | VERDICT`", driver.display())),
        _ => Ok(recipe),
    }
}

fn add(recipe: &mut Recipe, key: &str, value: &str, line: usize) -> Result<(), String> {
    match key {
        "package" | "source" => {
            recipe.packages.push(Package {
                name: value.to_string(),
                is_source: key == "source",
                prepare: None,
            });
        }
        "prepare" => {
            let (name, command) = value.split_once(" | ").ok_or("expected `NAME | COMMAND`")?;
            let package =
                recipe.packages.iter_mut().find(|package| package.name == name && package.is_source);
            let package = package.ok_or_else(|| format!("no line `// source: {name}` before this one"))?;
            package.prepare = Some(command.to_string());
        }
        "file" => recipe.files.push(value.to_string()),
        "flags" => recipe.flags.extend(words(value)),
        "check" => recipe.checks.push(check(None, value, line)?),
        "changed" => {
            let fields = fields(value);
            let [file, old, new, rest] = fields.iter().map(|field| field.trim()).collect::<Vec<_>>()[..]
            else {
                return Err("expected `FILE | OLD | NEW | OPTIONS | VERDICT`".to_string());
            };
            let letters = |text: &str| text.replace("\\n", "\n").replace("\\t", "\t");
            let change = Change { file: file.to_string(), old: letters(old), new: letters(new) };
            recipe.checks.push(check(Some(change), rest, line)?);
        }
        _ => {}
    }
    Ok(())
}

/// The first three fields and the rest. C's `||` separates nothing.
fn fields(text: &str) -> Vec<String> {
    let (mut fields, mut last): (Vec<String>, usize) = (Vec::new(), 0);
    let is_bar = |at: usize| text.as_bytes().get(at) == Some(&b'|');
    for at in (0..text.len()).filter(|&at| is_bar(at)) {
        let is_doubled = is_bar(at + 1) || at.checked_sub(1).is_some_and(is_bar);
        if !is_doubled && fields.len() < 3 {
            fields.push(text[last..at].to_string());
            last = at + 1;
        }
    }
    fields.push(text[last..].to_string());
    fields
}

fn check(change: Option<Change>, text: &str, line: usize) -> Result<RealCheck, String> {
    let (command, expected) = text.rsplit_once('|').ok_or("expected `OPTIONS | VERDICT`")?;
    let (options, flags) = command.split_once("-- ").unwrap_or((command, ""));
    Ok(RealCheck {
        line,
        change,
        options: words(options),
        flags: words(flags),
        expected: verdict(expected.trim())?,
    })
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}

const VERIFIED: &str = "verified";
const BOUNDED: &str = "verified up to a bound";

fn verdict(text: &str) -> Result<RealVerdict, String> {
    match text.split_once(", ") {
        None if !text.is_empty() && text != VERIFIED && text != BOUNDED => {
            Ok(RealVerdict::Violation(text.to_string()))
        }
        Some((VERIFIED | BOUNDED, count)) => {
            let number = count.strip_suffix(" executions").or_else(|| count.strip_suffix(" execution"));
            let n_executions = number.and_then(|number| number.parse().ok());
            let n_executions =
                n_executions.ok_or_else(|| format!("expected `N executions`, found `{count}`"))?;
            Ok(RealVerdict::Verified { n_executions, is_bounded: text.starts_with(BOUNDED) })
        }
        _ => Err(format!("expected `verified, N executions` or the kind of a violation, found `{text}`")),
    }
}

impl std::fmt::Display for RealVerdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RealVerdict::Verified { n_executions, is_bounded } => {
                let verified = if *is_bounded { BOUNDED } else { VERIFIED };
                let ending = if *n_executions == 1 { "" } else { "s" };
                write!(f, "{verified}, {n_executions} execution{ending}")
            }
            RealVerdict::Violation(kind) => write!(f, "{kind}"),
        }
    }
}

/// The text of the driver with another verdict for a check.
pub fn with_verdict(text: &str, check: &RealCheck, found: &RealVerdict) -> String {
    let lines = text.lines().enumerate().map(|(number, line)| match line.rsplit_once('|') {
        Some((start, _)) if number == check.line => format!("{start}| {found}\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
// A ring: what comes out went in.
// package: libck-dev
// source: musl
// prepare: musl | ./configure
// file: $musl/lock.c
// flags: -DA -I $musl/src
// check: --model sc -- -DB | verified, 16 executions
// changed: $musl/lock.c | a || b;\\n | | | race
int main(void) {}
";

    #[test]
    fn a_recipe_has_its_parts() {
        let recipe = parse(Path::new("ring.c"), TEXT).unwrap();
        let prepare = Some("./configure".to_string());
        assert_eq!(recipe.packages[1], Package { name: "musl".to_string(), is_source: true, prepare });
        assert_eq!((recipe.files.len(), recipe.flags.len(), recipe.checks.len()), (1, 3, 2));
        let [as_it_is, changed] = &recipe.checks[..] else { panic!("two checks") };
        assert_eq!(
            (&as_it_is.options[..], &as_it_is.flags[..]),
            (&words("--model sc")[..], &words("-DB")[..])
        );
        assert_eq!(as_it_is.expected, RealVerdict::Verified { n_executions: 16, is_bounded: false });
        let change = changed.change.as_ref().unwrap();
        assert_eq!((&*change.old, &*change.new), ("a || b;\n", ""));
        assert_eq!(changed.expected, RealVerdict::Violation("race".to_string()));
    }

    #[test]
    fn a_verdict_is_replaced_where_it_stands() {
        let recipe = parse(Path::new("ring.c"), TEXT).unwrap();
        let found = RealVerdict::Verified { n_executions: 1, is_bounded: false };
        let text = with_verdict(TEXT, &recipe.checks[1], &found);
        assert!(
            text.contains("16 executions\n") && text.contains("| | | verified, 1 execution\nint main"),
            "{text}"
        );
        assert_eq!(parse(Path::new("ring.c"), &text).unwrap().checks[1].expected, found);
    }

    #[test]
    fn a_verdict_up_to_a_bound_is_another_one() {
        let bounded = RealVerdict::Verified { n_executions: 5, is_bounded: true };
        assert_eq!(bounded.to_string(), "verified up to a bound, 5 executions");
        assert_eq!(verdict(&bounded.to_string()), Ok(bounded));
        assert_eq!(
            verdict("verified, 5 executions"),
            Ok(RealVerdict::Verified { n_executions: 5, is_bounded: false })
        );
    }

    #[test]
    fn a_malformed_recipe_is_refused_with_its_place() {
        let wrong = [
            "check: verified",
            "prepare: p | make",
            "check: | verified",
            "check: | verified up to a bound",
            "check: | verified, many executions",
            "changed: a | b",
        ];
        for line in wrong {
            let error = parse(Path::new("a.c"), &format!("// package: p\n// {line}\n")).unwrap_err();
            assert!(error.starts_with("a.c:2: "), "{error}");
        }
        assert!(parse(Path::new("a.c"), "// package: p\n").is_err());
        assert!(parse(Path::new("a.c"), "// check: | race\n").is_err());
    }
}
