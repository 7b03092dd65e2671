//! Reads a registry: TOML with a `[[kernel]]` for every entry. Every mistake is told with its line and what to write.

use ktwin_lang::Diagnostic;
use ktwin_num::did_you_mean;

use super::{Day, Entry, Expectation, Says};
use crate::contract::reader::Reader;
use crate::contract::tree::{self, Entries, Item, Node};
use crate::finding::Kind;
use crate::kernel::LoadError;
use crate::policy::Policy;
use crate::verdict::Verdict;

const KEYS: &[&str] = &["device", "expect", "finding", "path", "policy", "until", "why"];
const FORM: &str = "[[kernel]]\npath = \"kernels/norm/*.wgsl\"\npolicy = \"allclose:rtol=1e-3,atol=1e-5\"\n\
                    why = \"the reason\"";

/// The entries of a text.
pub fn entries(file: &str, text: &str) -> Result<Vec<Entry>, LoadError> {
    let mut reader = Reader::new(file, text, text);
    let top = tree::parse(text).unwrap_or_else(|(span, message)| {
        reader.mistake(&span, message.replace('\n', "; "), "a registry is TOML");
        Entries::new()
    });
    let mut out = Vec::new();
    for (key, value) in &top {
        if key.name != "kernel" {
            reader.mistake(&key.span, format!("unknown key `{}`", key.name), format!("write {FORM}"));
            continue;
        }
        for node in reader.list(value, FORM).unwrap_or_default() {
            out.extend(Raw::read(&mut reader, node).and_then(|raw| raw.entry(&mut reader, node)));
        }
    }
    let mistakes: Vec<Diagnostic> = reader.mistakes;
    if mistakes.is_empty() { Ok(out) } else { Err(LoadError::Contract(mistakes)) }
}

/// The keys of an entry, each with its place.
#[derive(Default)]
struct Raw<'n> {
    path: Option<(String, &'n Node)>,
    why: Option<String>,
    policy: Option<(String, &'n Node)>,
    expect: Option<(String, &'n Node)>,
    finding: Option<(String, &'n Node)>,
    device: Option<(String, &'n Node)>,
    until: Option<(Day, &'n Node)>,
}

impl<'n> Raw<'n> {
    fn read(reader: &mut Reader, node: &'n Node) -> Option<Raw<'n>> {
        let (mut raw, before) = (Raw::default(), reader.mistakes.len());
        for (key, value) in reader.table(node, FORM) {
            let mut text = |wanted| reader.text(value, wanted).map(|text| (text, value));
            match key.name.as_str() {
                "path" => raw.path = text("a path or pattern in quotes, from the folder of this file"),
                "why" => raw.why = text("the reason in quotes").map(|(why, _)| why),
                "policy" => raw.policy = text("a policy in quotes, such as \"allclose:rtol=1e-3,atol=1e-5\""),
                "expect" => raw.expect = text("\"fail\", \"crash\" or \"hang\""),
                "finding" => raw.finding = text("a finding in quotes, such as \"race\""),
                "device" => raw.device = text("a device's name in quotes"),
                "until" => raw.until = until(reader, value).map(|day| (day, value)),
                _ => reader.unknown(key, "key of an entry", KEYS),
            }
        }
        (reader.mistakes.len() == before).then_some(raw)
    }

    fn entry(self, reader: &mut Reader, node: &Node) -> Option<Entry> {
        let why = self.why.as_deref().map_or("", str::trim).to_string();
        let mut mistake = |node: &Node, message: String, help: &str| {
            reader.mistake(&node.span, message, help);
        };
        let Some((path, at)) = &self.path else {
            mistake(node, "an entry needs `path`".into(), "write the path of a kernel, or a pattern");
            return None;
        };
        if why.is_empty() {
            mistake(node, format!("`{path}` needs `why`"), "write the reason, for whoever reviews it");
            return None;
        }
        if path.starts_with('/') || path.split('/').any(|part| part == "..") {
            let help = "write it from the folder of this file, downwards";
            mistake(at, format!("`{path}` leaves the folder of this file"), help);
            return None;
        }
        let pattern = match glob::Pattern::new(path.trim_start_matches("./")) {
            Ok(pattern) => pattern,
            Err(e) => {
                let help = "* is any part of a name, ** any folders, [[] a bracket";
                mistake(at, format!("`{path}` is not a pattern: {}", e.msg), help);
                return None;
            }
        };
        let (path, says) = (path.clone(), self.says(reader, node, &why)?);
        Some(Entry { path, line: reader.spot(node.span.start).line, why, says, pattern })
    }

    fn says(self, reader: &mut Reader, node: &Node, why: &str) -> Option<Says> {
        let extra = [&self.finding, &self.device].into_iter().flatten().map(|(_, node)| *node).next();
        match (self.policy, self.expect) {
            (Some(_), Some((_, at))) => {
                let help = "write two entries, each with its reason";
                reader.mistake(&at.span, "an entry has a policy or expects a failure", help);
                None
            }
            (None, None) => {
                let help = "write policy = \"…\" to name what decides, or expect = \"fail\"";
                reader.mistake(&node.span, "an entry needs `policy` or `expect`", help);
                None
            }
            (Some((text, at)), None) => {
                if let Some(node) = extra.or(self.until.map(|(_, node)| node)) {
                    let help = "remove it: only expected failures have it";
                    reader.mistake(&node.span, "a policy has neither finding, device nor date", help);
                    return None;
                }
                match Policy::parse(&text) {
                    Ok(policy) => Some(Says::Policy(policy.because(why))),
                    Err(message) => {
                        reader.mistake(&at.span, message, "`ktwin judge-rule --list` has every policy");
                        None
                    }
                }
            }
            (None, Some((verdict, at))) => {
                let expected = [Verdict::Fail, Verdict::Crash, Verdict::Hang];
                let Some(verdict) = Verdict::parse(&verdict).filter(|v| expected.contains(v)) else {
                    let help = "write \"fail\", \"crash\" or \"hang\"";
                    reader.mistake(&at.span, format!("`{verdict}` is not a failure"), help);
                    return None;
                };
                let finding = match self.finding {
                    Some((name, at)) => Some(finding(reader, &name, at)?),
                    None => None,
                };
                let device = self.device.map(|(name, _)| name);
                let until = self.until.map(|(day, _)| day);
                Some(Says::Expect(Expectation { verdict, finding, device, until }))
            }
        }
    }
}

fn finding(reader: &mut Reader, name: &str, at: &Node) -> Option<Kind> {
    let found = Kind::parse(name).filter(|kind| !kind.is_note());
    if found.is_none() {
        let known = || Kind::ALL.iter().filter(|(_, kind)| !kind.is_note()).map(|(name, _)| *name);
        let near = did_you_mean(name, known());
        let help = format!("findings are {}", known().collect::<Vec<_>>().join(", "));
        reader.mistake(&at.span, format!("no finding `{name}`{near}"), help);
    }
    found
}

fn until(reader: &mut Reader, node: &Node) -> Option<Day> {
    match node.item {
        Item::Date(day) => Some(day),
        _ => {
            let help = "write a day without quotes, such as until = 2026-12-31";
            reader.mistake(&node.span, "this is not a date", help);
            None
        }
    }
}
