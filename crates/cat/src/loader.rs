//! From the text of a model to the flat list of its statements: the implicit prelude, then the file with its includes
//! inserted.
//!
//! The loader itself reads no file: a [`Resolver`] does, and the built-in models replace what it does not find, so
//! `include "rc11-hb.cat"` works without a file system.

use std::io;

use crate::ast::Statement;
use crate::parser;
use atropos_event::{Diagnostic, Fault, Span, Text, Texts};

/// Finds an included file: called with the name of the including source and the name in quotes. `Ok(None)` means "not
/// here"; the built-in models are tried next.
pub type Resolver<'r> = dyn Fn(&str, &str) -> io::Result<Option<Text>> + 'r;

/// The maximum number of includes of one model. Bounds the work if files include each other twice.
const MAX_INCLUDES: usize = 64;

/// Spans are 32 bits wide, and a larger model would be too slow to evaluate anyway.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// The models of the `models/` folder by file name, without the prelude.
const BUILTIN: [(&str, &str); 11] = [
    ("sc.cat", include_str!("../models/sc.cat")),
    ("tso.cat", include_str!("../models/tso.cat")),
    ("pso.cat", include_str!("../models/pso.cat")),
    ("ra.cat", include_str!("../models/ra.cat")),
    ("sra.cat", include_str!("../models/sra.cat")),
    ("rc11.cat", include_str!("../models/rc11.cat")),
    ("rc11-c11.cat", include_str!("../models/rc11-c11.cat")),
    ("wrc11.cat", include_str!("../models/wrc11.cat")),
    ("relaxed.cat", include_str!("../models/relaxed.cat")),
    ("rc11-hb.cat", include_str!("../models/rc11-hb.cat")),
    ("rc11-axioms.cat", include_str!("../models/rc11-axioms.cat")),
];

const PRELUDE: &str = include_str!("../models/prelude.cat");

/// The names accepted by [`crate::Model::builtin`], from the strongest model to the weakest where comparable. The
/// parts that they include are not models themselves.
pub const BUILTIN_MODELS: [&str; 8] = ["sc", "tso", "pso", "sra", "ra", "rc11", "rc11-c11", "wrc11"];

/// The text of a built-in file; `file` is a name such as `tso.cat`.
pub(crate) fn builtin_source(file: &str) -> Option<Text> {
    let (name, text) = BUILTIN.iter().find(|(name, _)| *name == file)?;
    Some(Text { name: format!("models/{name}"), text: text.to_string() })
}

/// Everything a model consists of.
pub(crate) struct Loaded {
    pub sources: Texts,
    pub title: Option<String>,
    pub statements: Vec<Statement>,
}

pub(crate) fn load(source: Text, resolver: &Resolver<'_>) -> Result<Loaded, Diagnostic> {
    let mut loader = Loader { resolver, sources: Texts::default(), open: Vec::new(), statements: Vec::new() };
    let prelude = Text { name: "models/prelude.cat".to_string(), text: PRELUDE.to_string() };
    let loaded = loader.file(prelude).and_then(|_| loader.file(source));
    match loaded {
        Ok(title) => Ok(Loaded { sources: loader.sources, title, statements: loader.statements }),
        Err(fault) => Err(loader.sources.error(fault)),
    }
}

struct Loader<'r> {
    resolver: &'r Resolver<'r>,
    sources: Texts,
    /// The files being read, outermost first.
    open: Vec<String>,
    statements: Vec<Statement>,
}

impl Loader<'_> {
    /// Appends the statements of a file and returns its title.
    fn file(&mut self, mut source: Text) -> Result<Option<String>, Fault> {
        let file = self.sources.0.len() as u32;
        let is_too_large = source.text.len() > MAX_TEXT_BYTES;
        if is_too_large {
            source.text.clear();
        }
        let name = source.name.clone();
        self.sources.0.push(source);
        if is_too_large {
            return Fault::err(
                Span { file, ..Span::default() },
                format!("larger than {MAX_TEXT_BYTES} bytes"),
            );
        }
        let parsed = parser::parse(file, &self.sources.0[file as usize].text)?;
        self.open.push(name);
        for statement in parsed.statements {
            match statement {
                Statement::Include(wanted) => self.include(&wanted.name, wanted.span)?,
                statement => self.statements.push(statement),
            }
        }
        self.open.pop();
        Ok(parsed.title)
    }

    fn include(&mut self, wanted: &str, span: Span) -> Result<(), Fault> {
        let including = &self.open[self.open.len() - 1];
        let source = match (self.resolver)(including, wanted) {
            Ok(found) => found.or_else(|| builtin_source(wanted)),
            Err(error) => return Fault::err(span, format!("cannot read `{wanted}`: {error}")),
        };
        let Some(source) = source else {
            return Fault::err(
                span,
                format!("cannot find `{wanted}`, neither as a file nor as a built-in model"),
            );
        };
        if self.open.contains(&source.name) {
            return Fault::err(span, format!("`{}` includes itself", source.name));
        }
        if self.sources.0.len() > MAX_INCLUDES {
            return Fault::err(span, format!("more than {MAX_INCLUDES} includes"));
        }
        self.file(source).map(|_| ())
    }
}
