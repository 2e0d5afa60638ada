//! Changes that a patch cannot make, in words.

use crate::fence_text::FenceEdit;
use crate::patch::CallEdit;
use crate::sites::Operation;
use crate::strength::Strength;

/// An edit that must be made by hand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    pub line: u32,
    /// Of the call; 0 for a new fence, which concerns the whole line.
    pub column: u32,
    /// In words.
    pub change: String,
    pub reason: WhyByHand,
}

impl LeftOut {
    pub fn of_call(edit: &CallEdit, reason: WhyByHand) -> LeftOut {
        let is_fence = edit.operation == Operation::Fence;
        let name = |strength: &Strength| match is_fence && *strength == Strength::NONE {
            true => "none",
            false => strength.name(),
        };
        let names = |all: &[Strength]| all.iter().map(name).collect::<Vec<_>>().join(", ");
        let change = format!("{} → {}", names(&edit.written), names(&edit.wanted));
        LeftOut { line: edit.line, column: edit.column, change, reason }
    }

    pub fn of_fence(edit: &FenceEdit, reason: WhyByHand) -> LeftOut {
        let change = format!("new {} fence {} the accesses of this line", edit.strength, edit.side.name());
        LeftOut { line: edit.line, column: 0, change, reason }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhyByHand {
    NoFile,
    NoCall,
    NoToken,
    NoStatement,
}

impl WhyByHand {
    /// The rest of a sentence.
    pub fn words(self) -> &'static str {
        match self {
            WhyByHand::NoFile => "the source cannot be read",
            WhyByHand::NoCall => {
                "there is no call at this place: an operator has no order, so write it as a call"
            }
            WhyByHand::NoToken => "the order is no token at this place, but perhaps in a macro or a variable",
            WhyByHand::NoStatement => "the line is not a statement by itself",
        }
    }
}
