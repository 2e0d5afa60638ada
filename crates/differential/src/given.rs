//! The options of the commands that compare: each has a value.

/// An option as written.
pub struct GivenOption {
    pub name: String,
    pub value: String,
}

impl GivenOption {
    /// The value as a number.
    ///
    /// # Errors
    /// If it is none.
    pub fn number(&self) -> Result<u64, String> {
        self.value.parse().map_err(|error| format!("{} {}: {error}", self.name, self.value))
    }

    /// The complaint about an option that the command does not have.
    pub fn complaint(&self) -> String {
        format!("unknown option {} {}", self.name, self.value)
    }
}

/// The options of this process. The last one is an error if it has no value.
pub fn options() -> impl Iterator<Item = Result<GivenOption, String>> {
    pairs(std::env::args().skip(1))
}

fn pairs(mut words: impl Iterator<Item = String>) -> impl Iterator<Item = Result<GivenOption, String>> {
    std::iter::from_fn(move || {
        let name = words.next()?;
        Some(match words.next() {
            Some(value) => Ok(GivenOption { name, value }),
            None => Err(format!("{name} needs a value")),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_values() {
        let words = ["--from", "3", "--style", "locks", "--count"].map(String::from);
        let given: Vec<_> = pairs(words.into_iter()).collect();
        let [Ok(from), Ok(style), Err(complaint)] = &given[..] else { panic!("two options and an error") };
        assert_eq!((from.number(), style.value.as_str()), (Ok(3), "locks"));
        assert!(style.number().unwrap_err().starts_with("--style locks: "));
        assert_eq!(complaint, "--count needs a value");
    }
}
