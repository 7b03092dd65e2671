//! Checks .op files one after another: all mistakes are shown, each at its place.

use std::path::PathBuf;

use ktwin::catalogue;
use ktwin::explain::visible;
use ktwin_lang::Op;

use crate::outcome::{DONE, Failure, Outcome, USAGE, say};

/// Checks every file; one that is not an op makes the whole a failure.
pub fn files(paths: &[PathBuf]) -> Outcome {
    let mut good = true;
    for path in paths {
        let shown = visible(&path.display().to_string());
        match catalogue::file(path) {
            Ok(op) => match mistake(&op, &shown) {
                Some(message) => {
                    crate::outcome::tell(&message);
                    good = false;
                }
                None => say(&format!("{shown}: op {}, no mistakes\n", op.name)),
            },
            Err(error) => {
                crate::outcome::tell(&format!("{error}"));
                good = false;
            }
        }
    }
    if good { Ok(DONE) } else { Err(Failure { message: None, code: USAGE }) }
}

/// What no reading of the text shows: definitions that cannot be evaluated, forms that differ.
fn mistake(op: &Op, shown: &str) -> Option<String> {
    let never = op.does_not_evaluate().map(|mistake| mistake.to_string());
    never.or_else(|| Some(format!("{shown}: {}", op.disagreement()?)))
}
