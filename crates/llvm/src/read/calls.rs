//! Calls: callee, arguments, and the attributes after them.

use super::lexer::TokenKind;
use super::parser::{Parsed, Parser};
use super::values::Attributes;
use crate::ast::{Arg, Call, OtherType, Type, Typed, Value};
use atropos_event::GapKind;

/// Attributes of functions that may follow a call; others are in groups, or have a prefix below.
const FUNCTION_ATTRIBUTES: [&str; 48] = [
    "alignstack",
    "allocsize",
    "allockind",
    "alwaysinline",
    "argmemonly",
    "builtin",
    "cold",
    "convergent",
    "coro_only_destroy_when_complete",
    "disable_sanitizer_instrumentation",
    "fn_ret_thunk_extern",
    "hot",
    "hybrid_patchable",
    "inaccessiblemem_or_argmemonly",
    "inaccessiblememonly",
    "inlinehint",
    "jumptable",
    "memory",
    "minsize",
    "mustprogress",
    "naked",
    "nobuiltin",
    "nocallback",
    "nocf_check",
    "noduplicate",
    "nofree",
    "noimplicitfloat",
    "noinline",
    "nomerge",
    "nonlazybind",
    "noprofile",
    "norecurse",
    "noredzone",
    "noreturn",
    "nosync",
    "nounwind",
    "null_pointer_is_valid",
    "optnone",
    "presplitcoroutine",
    "readnone",
    "readonly",
    "returns_twice",
    "shadowcallstack",
    "skipprofile",
    "strictfp",
    "uwtable",
    "willreturn",
    "writeonly",
];
const FUNCTION_ATTRIBUTE_PREFIXES: [&str; 7] =
    ["sanitize_", "nosanitize_", "ssp", "speculat", "opt", "safestack", "vscale_range"];

fn is_function_attribute(word: &str) -> bool {
    FUNCTION_ATTRIBUTES.contains(&word)
        || FUNCTION_ATTRIBUTE_PREFIXES.iter().any(|prefix| word.starts_with(prefix))
}

impl Parser<'_> {
    pub(crate) fn call(&mut self) -> Parsed<Call> {
        self.skip_to_type()?;
        let ty = self.ty()?;
        let callee = self.value(&Type::Ptr)?;
        self.expect("(")?;
        let mut args = Vec::new();
        while !self.accept(")") {
            args.push(self.argument()?);
            if !self.peek().is(")") {
                self.expect(",")?;
            }
        }
        self.skip_call_attributes()?;
        Ok(match ty {
            Type::Function(ty) => {
                let n_fixed = ty.params.len();
                Call { result: ty.result.clone(), variadic: ty.variadic, n_fixed, callee, args }
            }
            result => Call { result, variadic: false, n_fixed: args.len(), callee, args },
        })
    }

    /// Attribute groups, attributes by name, and operand bundles.
    fn skip_call_attributes(&mut self) -> Parsed<()> {
        loop {
            let token = self.peek();
            let is_group =
                token.kind == TokenKind::Attribute && token.text.bytes().all(|byte| byte.is_ascii_digit());
            let is_known = token.kind == TokenKind::Word && is_function_attribute(token.text);
            match token.kind {
                _ if is_group => {
                    self.next();
                }
                _ if is_known => {
                    self.next();
                    self.skip_parentheses()?;
                    if self.accept("=") {
                        self.next();
                    }
                }
                // `"key"="value"`, but not the label of a block.
                TokenKind::String if !self.peek_behind().is(":") => {
                    self.next();
                    if self.accept("=") {
                        self.expect_kind(TokenKind::String, "the value of an attribute")?;
                    }
                }
                _ if token.is("[") => self.skip_group("[", "]")?,
                _ => return Ok(()),
            }
        }
    }

    fn argument(&mut self) -> Parsed<Arg> {
        let ty = self.ty()?;
        if ty == Type::Other(OtherType::Metadata) {
            self.skip_metadata()?;
            return Ok(Arg {
                value: Typed { ty, value: Value::Other(GapKind::Constant.of("metadata").into()) },
                byval: None,
                noundef: true,
                element: None,
            });
        }
        let Attributes { byval, noundef, element } = self.attributes()?;
        let value = self.value(&ty)?;
        Ok(Arg { value: Typed { ty, value }, byval, noundef, element })
    }

    /// The text of an argument that is metadata, and may be a value with its type.
    fn skip_metadata(&mut self) -> Parsed<()> {
        loop {
            match self.peek().text {
                "," | ")" => return Ok(()),
                _ if self.peek().kind == TokenKind::End => return Ok(()),
                "{" => self.skip_braces()?,
                "(" => self.skip_parentheses()?,
                "<" => self.skip_group("<", ">")?,
                "[" => self.skip_group("[", "]")?,
                _ => {
                    self.next();
                }
            }
        }
    }
}
