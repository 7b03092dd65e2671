//! Answers as text: for the terminal, for a pull request, for programs.

use std::fmt::Write;

use ktwin::explain::visible;
use ktwin_check::audit::Answer;
use serde_json::json;

use super::{Audit, is_open};

/// For people.
pub fn terminal(found: &Audit, allowed: &[String]) -> String {
    let mut out = format!("{}  {}\n", visible(&found.kernel), found.op);
    for item in &found.items {
        let word = if is_open(item, allowed) { "open" } else { item.answer.name() };
        let _ = writeln!(out, "{word:<5}  {:<11}  {}", item.key, item.question);
        for line in &item.evidence {
            let _ = writeln!(out, "                    {}", visible(line));
        }
        for line in &item.gaps {
            let _ = writeln!(out, "                    gap: {}", visible(line));
        }
    }
    for line in &found.left_out {
        let _ = writeln!(out, "left out by the plan: {}", visible(line));
    }
    for command in &found.commands {
        let _ = writeln!(out, "repeat: {}", visible(command));
    }
    let _ = writeln!(out, "{}", counted(found, allowed));
    out
}

/// For a pull request.
pub fn markdown(found: &Audit, allowed: &[String]) -> String {
    let mut out =
        format!("# Audit of {} ({})\n\n{}\n\n", cell(&found.kernel), found.op, counted(found, allowed));
    out.push_str("| | name | question | evidence |\n|---|---|---|---|\n");
    for item in &found.items {
        let word = if is_open(item, allowed) { "open" } else { item.answer.name() };
        let gaps = item.gaps.iter().map(|gap| format!("**gap:** {}", cell(gap)));
        let lines: Vec<String> = item.evidence.iter().map(|line| cell(line)).chain(gaps).collect();
        let _ = writeln!(out, "| {word} | `{}` | {} | {} |", item.key, item.question, lines.join("<br>"));
    }
    let list = |out: &mut String, title: &str, lines: &[String], mark: &str| {
        if !lines.is_empty() {
            let _ = write!(out, "\n{title}\n\n");
            for line in lines {
                let _ = writeln!(out, "- {mark}{}{mark}", visible(line));
            }
        }
    };
    list(&mut out, "Left out by the plan:", &found.left_out, "");
    list(&mut out, "Repeat with:", &found.commands, "`");
    out
}

/// For programs.
pub fn json(found: &Audit, allowed: &[String]) -> String {
    let open: Vec<&str> =
        found.items.iter().filter(|item| is_open(item, allowed)).map(|item| item.key).collect();
    let document = json!({
        "kernel": found.kernel,
        "op": found.op,
        "answer": found.answer(allowed),
        "items": found.items,
        "open": open,
        "left_out": found.left_out,
        "commands": found.commands,
    });
    format!("{document}\n")
}

fn counted(found: &Audit, allowed: &[String]) -> String {
    let of = |answer| found.items.iter().filter(|i| i.answer == answer && !is_open(i, allowed)).count();
    let open = found.items.iter().filter(|item| is_open(item, allowed)).count();
    let mut parts = vec![format!("{} shown", of(Answer::Shown))];
    let more = [(of(Answer::Wrong), "wrong"), (of(Answer::Gap), "not shown"), (open, "allowed to be open")];
    parts.extend(more.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
    parts.join(", ")
}

/// A text in a table's cell.
fn cell(text: &str) -> String {
    visible(text).replace('|', "\\|").replace('<', "&lt;")
}
