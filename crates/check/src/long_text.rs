//! A text that may become very long, in pieces: it is never copied, so it takes no more memory than its own.

/// How long a piece is, at most, unless it is a single text.
const PIECE: usize = 1 << 20;

/// A long text, the end of which is added again and again.
#[derive(Default)]
pub struct LongText {
    pieces: Vec<String>,
}

impl LongText {
    /// Adds a text at the end.
    pub(crate) fn push(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(last) if last.len() + text.len() <= last.capacity() => last.push_str(text),
            _ => {
                let mut piece = String::with_capacity(PIECE.max(text.len()));
                piece.push_str(text);
                self.pieces.push(piece);
            }
        }
    }

    pub(crate) fn append(&mut self, mut other: LongText) {
        self.pieces.append(&mut other.pieces);
    }

    /// The pieces in their order.
    pub fn pieces(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_what_was_added() {
        let (mut all, mut expected) = (LongText::default(), String::new());
        for round in 0..3 {
            let mut text_of_round = LongText::default();
            for n in 0..400_000 {
                let text = format!("{round}.{n} ");
                text_of_round.push(&text);
                expected.push_str(&text);
            }
            let long = "long ".repeat(PIECE);
            text_of_round.push(&long);
            expected.push_str(&long);
            all.append(text_of_round);
        }
        assert_eq!(all.pieces().collect::<String>(), expected);
        assert!(all.pieces().all(|piece| piece.len() <= PIECE || piece.starts_with("long")));
    }
}
