//! `--unroll`: bounds of loops.

use anyhow::{Result, bail};
use atropos_vm::LoopBound;
use std::str::FromStr;

/// A value of `--unroll`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unroll {
    /// A bound for all loops that have no other one.
    Every(u32),
    At(LoopBound),
}

impl FromStr for Unroll {
    type Err = String;

    fn from_str(text: &str) -> Result<Unroll, String> {
        let number = |text: &str| text.parse::<u32>().map_err(|_| format!("`{text}` is not a number"));
        let Some((place, times)) = text.rsplit_once('=') else { return number(text).map(Unroll::Every) };
        match place.rsplit_once(':') {
            Some((file, line)) if !file.is_empty() => {
                let (file, line) = (file.to_string(), number(line)?);
                Ok(Unroll::At(LoopBound { file, line, times: number(times)? }))
            }
            _ => Err("write the place of a loop as FILE:LINE=N".to_string()),
        }
    }
}

impl Unroll {
    /// The bound for all loops that have no other one.
    pub fn every(given: &[Unroll]) -> Option<u32> {
        given.iter().find_map(|given| if let Unroll::Every(times) = given { Some(*times) } else { None })
    }

    pub fn loop_bounds(given: &[Unroll]) -> Vec<LoopBound> {
        let bounds =
            given.iter().filter_map(|given| if let Unroll::At(bound) = given { Some(bound) } else { None });
        bounds.cloned().collect()
    }

    /// # Errors
    /// If two values are about the same loops.
    pub fn refuse_repetition(given: &[Unroll]) -> Result<()> {
        let place = |given: &Unroll| match given {
            Unroll::Every(_) => None,
            Unroll::At(bound) => Some((bound.file.clone(), bound.line)),
        };
        for (index, one) in given.iter().enumerate() {
            if given[..index].iter().any(|other| place(other) == place(one)) {
                match place(one) {
                    None => bail!("--unroll bounds all loops twice"),
                    Some((file, line)) => bail!("--unroll bounds the loop at {file}:{line} twice"),
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_name_all_loops_or_those_of_a_line() {
        let at = |file: &str, line, times| Ok(Unroll::At(LoopBound { file: file.to_string(), line, times }));
        assert_eq!("3".parse(), Ok(Unroll::Every(3)));
        assert_eq!("src/p.c:12=0".parse(), at("src/p.c", 12, 0));
        assert_eq!("C:\\p.c:1=4".parse(), at("C:\\p.c", 1, 4));
        for wrong in ["", "-1", "p.c", "p.c:3", "p.c=3", ":3=1", "p.c:x=1", "p.c:3="] {
            assert!(wrong.parse::<Unroll>().is_err(), "{wrong}");
        }
    }
}
