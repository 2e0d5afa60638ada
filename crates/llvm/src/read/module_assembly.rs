//! Assembly outside of functions, as far as it changes nothing for a checked program: directives about symbols and
//! sections, and the content of sections that no program reads, such as notes for debuggers.

/// Directives that neither define nor place anything.
const HARMLESS: [&str; 12] = [
    ".symver",
    ".ident",
    ".file",
    ".globl",
    ".global",
    ".type",
    ".size",
    ".hidden",
    ".align",
    ".balign",
    ".p2align",
    ".cfi_sections",
];

/// Directives with data.
const DATA: [&str; 16] = [
    ".byte", ".2byte", ".4byte", ".8byte", ".value", ".short", ".word", ".int", ".long", ".quad", ".zero",
    ".ascii", ".asciz", ".string", ".uleb128", ".sleb128",
];

/// The sections that no program reads, by how their names start.
const UNREAD: [&str; 5] = [".note", ".comment", ".debug", ".stapsdt", ".gnu.warning"];

/// The sections that the assembly so far has entered.
#[derive(Default)]
pub(crate) struct ModuleAssembly {
    /// Whether each of them is one that no program reads, the current one last.
    are_unread: Vec<bool>,
}

impl ModuleAssembly {
    /// Whether these lines change nothing.
    pub(crate) fn is_harmless(&mut self, text: &str) -> bool {
        text.split(['\n', ';']).all(|statement| self.statement(statement.trim()))
    }

    fn statement(&mut self, statement: &str) -> bool {
        let is_unread = self.are_unread.last().copied().unwrap_or(false);
        let word = statement.split([' ', '\t']).next().unwrap_or_default();
        match word {
            "" => {}
            _ if word.starts_with('#') => {}
            ".section" | ".pushsection" => {
                let name = statement[word.len()..].trim().trim_start_matches('"');
                let enters_unread = UNREAD.iter().any(|start| name.starts_with(start));
                if word == ".section" {
                    self.are_unread.pop();
                }
                self.are_unread.push(enters_unread);
            }
            ".popsection" | ".previous" => drop(self.are_unread.pop()),
            ".text" | ".data" => self.are_unread.clear(),
            _ if HARMLESS.contains(&word) => {}
            _ => return is_unread && (DATA.contains(&word) || word.ends_with(':')),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::ModuleAssembly;

    #[test]
    fn only_what_defines_something_matters() {
        let is_harmless = |lines: &[&str]| {
            let mut assembly = ModuleAssembly::default();
            lines.iter().all(|line| assembly.is_harmless(line))
        };
        assert!(is_harmless(&[".symver f, f@VERSION_2", "", "# a comment", "\t.ident \"x\""]));
        let script = ".pushsection \".debug_gdb_scripts\", \"MS\",@progbits,1";
        assert!(is_harmless(&[script, ".byte 4", ".ascii \"gdb\"; .byte 0", ".popsection"]));
        assert!(is_harmless(&[".section .note.GNU-stack,\"\",@progbits\n.text"]));
        assert!(!is_harmless(&[".globl f", "f: ret"]));
        assert!(!is_harmless(&[".byte 4"]));
        assert!(!is_harmless(&[script, ".popsection", ".byte 4"]));
        assert!(!is_harmless(&[".section .init_array", ".quad f"]));
        assert!(!is_harmless(&[".set f, g"]));
    }
}
