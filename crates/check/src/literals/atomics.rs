//! Where a source leaves an order to chance.

use super::token::{self, Token};
use crate::kernel::Kernel;
use crate::languages::Code;

/// The lines in which lanes read, change and write a number as one: `atomicAdd(`, `atom.global.add`. Only the order in
/// which they come to these is left to chance.
pub fn atomics(kernel: &Kernel) -> Vec<u32> {
    let row = kernel.source.kind.row();
    let (Some(comments), false) = (row.comments, row.code == Code::Machine) else { return Vec::new() };
    let is_call = |pair: &[Token]| {
        let [Token::Word(word), Token::Mark("(")] = pair else { return false };
        let word = word.to_lowercase();
        word.contains("atomic") && !word.ends_with("load") && !word.ends_with("store")
    };
    let is_ptx = |first: Option<&Token>| {
        row.code == Code::Ptx && matches!(first, Some(Token::Word(word)) if word == "atom" || word == "red")
    };
    let changes = |line: &str| {
        let tokens = token::cut(line, comments);
        tokens.windows(2).any(is_call) || is_ptx(tokens.first())
    };
    let text = kernel.source.text();
    (1..).zip(text.lines()).filter(|(_, line)| changes(line)).map(|(number, _)| number).collect()
}
