//! The text of an op together with those of all ops that it calls, wherever they come from.

use std::ops::Range;

use crate::ast::{File, Ident};
use crate::diagnostic::{Diagnostic, Mistake};
use crate::parse::parse;

/// Finds the file of an op by the op's name: what messages call it, and its text.
pub type Find<'a> = &'a dyn Fn(&str) -> Option<(String, String)>;

/// Most ops that one is made of, itself among them.
const MAX_OPS: usize = 64;

/// One text that stands for itself, and which part of it is whose.
pub(crate) struct Sources {
    pub text: String,
    pub ops: Vec<File>,
    parts: Vec<(String, Range<usize>)>,
}

/// A text without the mark that some editors put before it.
fn unmarked(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

impl Sources {
    /// An op's text with those that it calls after it. What `find` does not know is left for the check to speak of.
    pub fn gather(file: &str, text: &str, find: Find) -> Result<Sources, Diagnostic> {
        let text = unmarked(text);
        let whole = 0..text.len();
        let mut all =
            Sources { text: text.to_string(), ops: Vec::new(), parts: vec![(file.to_string(), whole)] };
        loop {
            all.ops = parse(&all.text).map_err(|mistake| all.locate(mistake))?;
            if let Some(op) = all.ops.get(MAX_OPS) {
                let message = format!("an op is made of at most {MAX_OPS}, itself among them");
                return Err(all.locate(Mistake::new(op.name.span, message)));
            }
            let Some((call, file, text)) = all.missing(find) else { return Ok(all) };
            all.text.push('\n');
            let from = all.text.len();
            all.text.push_str(unmarked(&text));
            all.parts.push((file.clone(), from..all.text.len()));
            let added = parse(&all.text).map_err(|mistake| all.locate(mistake))?;
            if !added.iter().any(|op| op.name.name == call.name) {
                let message = format!("{file} does not have an op `{}`", call.name);
                return Err(all.locate(Mistake::with_help(call.span, message, "name the op as its file")));
            }
        }
    }

    /// The first op that is called and not here, if it can be found: its name in the call, its file and its text.
    fn missing(&self, find: Find) -> Option<(Ident, String, String)> {
        let known = |name: &str| self.ops.iter().any(|op| op.name.name == name);
        let called = self.ops.iter().flat_map(|op| &op.calls).map(|call| &call.op);
        let mut found = called.filter(|op| !known(&op.name)).filter_map(|op| {
            let (file, text) = find(&op.name)?;
            Some((op.clone(), file, text))
        });
        found.next()
    }

    /// A mistake as one of the file that it is in.
    pub fn locate(&self, mistake: Box<Mistake>) -> Diagnostic {
        let at = self.parts.iter().rposition(|(_, range)| range.start <= mistake.span.start).unwrap_or(0);
        let (file, range) = &self.parts[at];
        let mut mistake = mistake;
        mistake.span.start -= range.start;
        mistake.span.end = mistake.span.end.saturating_sub(range.start);
        mistake.locate(file, &self.text[range.clone()])
    }
}
