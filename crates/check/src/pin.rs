//! Golden outputs as text that people review: what is pinned of each case, read, written and compared. The format is
//! that of insta's snapshots. Touches no file and no device.

use std::fmt::Write;

use crate::promise::hash_of;

/// Elements of a tensor that are shown.
const SHOWN: usize = 6;
/// Parts of a longer one that have a hash of their own, which tells where it changed.
const PARTS: usize = 16;
/// What stands before these hashes.
const MORE: &str = " … ";

/// What is pinned of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pinned {
    /// The kernel's file, for people.
    pub source: String,
    /// The op with the hash of its content.
    pub op: String,
    /// The cases, each as it is repeated.
    pub cases: Vec<PinnedCase>,
}

/// What is pinned of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PinnedCase {
    /// The case.
    pub case: String,
    /// `input x`, `twin y` or `sim y`, with type, shape, hash and first elements.
    pub lines: Vec<(String, String)>,
}

/// Type, shape, hash and first elements of a tensor, and of a longer one the hashes of its parts.
pub fn described(dtype: &str, shape: &[usize], bytes: &[u8], values: &[f64]) -> String {
    let first: Vec<String> = values.iter().take(SHOWN).map(|v| format!("{v:?}")).collect();
    let bits = |part: &[f64]| part.iter().flat_map(|v| v.to_bits().to_le_bytes()).collect::<Vec<u8>>();
    let parts = values.chunks(part(values.len())).map(|part| hash_of(&[&bits(part)])[..2].to_owned());
    let parts = parts.collect::<Vec<_>>().join(" ");
    let more = if values.len() > SHOWN { format!("{MORE}{parts}") } else { String::new() };
    format!("{dtype} {shape:?} {} = {}{more}", hash_of(&[bytes]), first.join(" "))
}

/// Elements of a part of a tensor of this length.
fn part(length: usize) -> usize {
    length.div_ceil(PARTS).max(1)
}

/// Which elements of a tensor changed, as far as the hashes of its parts tell; nothing where it has other parts now.
fn changed(was: &str, is: &str) -> Option<String> {
    let (head, was) = was.split_once(MORE)?;
    let (_, is) = is.split_once(MORE)?;
    let shape = head.split_once('[')?.1.split_once(']')?.0;
    let sizes = shape.split(", ").map(str::parse).collect::<Result<Vec<usize>, _>>().ok()?;
    let (length, both) = (sizes.iter().product::<usize>(), was.split(' ').zip(is.split(' ')));
    let step = part(length);
    let differ = |(at, (was, is)): (usize, (&str, &str))| (was != is).then_some(at);
    let parts: Vec<usize> = both.enumerate().filter_map(differ).collect();
    let ranges = parts.chunk_by(|a, b| a + 1 == *b).map(|run| {
        let (first, last) = (run[0] * step, ((run[run.len() - 1] + 1) * step).min(length) - 1);
        if first == last { first.to_string() } else { format!("{first} to {last}") }
    });
    let ranges = ranges.collect::<Vec<_>>().join(", ");
    (!ranges.is_empty()).then(|| format!("  changed among elements {ranges} of {length}"))
}

impl Pinned {
    /// As a snapshot's file.
    pub fn text(&self) -> String {
        let mut out = format!("---\nsource: {:?}\nexpression: {:?}\n---\n", self.source, self.op);
        for case in &self.cases {
            let _ = writeln!(out, "case {}", case.case);
            for (key, value) in &case.lines {
                let _ = writeln!(out, "  {key}: {value}");
            }
        }
        out
    }

    /// Reads a snapshot's file. The error names the line.
    pub fn parse(text: &str) -> Result<Pinned, String> {
        let mut out = Pinned::default();
        let mut marks = 0;
        for (at, line) in text.lines().enumerate() {
            let wrong =
                |what: &str| format!("line {}: {what}; `ktwin pin --accept` writes the file anew", at + 1);
            match line {
                "---" => marks += 1,
                _ if marks == 1 => {
                    let (key, value) =
                        line.split_once(':').ok_or_else(|| wrong("this is not `key: value`"))?;
                    let value = value.trim().trim_matches('"').to_string();
                    match key {
                        "source" => out.source = value,
                        "expression" => out.op = value,
                        _ => {}
                    }
                }
                _ if line.trim().is_empty() => {}
                _ => match (
                    line.strip_prefix("case "),
                    line.trim_start().split_once(": "),
                    out.cases.last_mut(),
                ) {
                    (Some(case), ..) => {
                        out.cases.push(PinnedCase { case: case.to_string(), lines: Vec::new() });
                    }
                    (None, Some((key, value)), Some(case)) => {
                        case.lines.push((key.to_string(), value.to_string()));
                    }
                    _ => return Err(wrong("this is neither a case nor an array of one")),
                },
            }
        }
        match marks {
            2 => Ok(out),
            _ => {
                Err("the file has no head between two lines of ---: `ktwin pin --accept` writes it anew"
                    .into())
            }
        }
    }

    /// What differs from what was pinned before, as lines of a difference. Lines of devices that are not among `ran`
    /// are as they were.
    pub fn drift(&self, before: &Pinned, ran: &[&str]) -> Vec<String> {
        let mut out = Vec::new();
        let differ = |out: &mut Vec<String>, case: &str, was: Option<&str>, is: Option<&str>| {
            if was != is {
                out.push(if case.is_empty() { "op".to_string() } else { format!("case {case}") });
                out.extend(was.map(|was| format!("- {was}")));
                out.extend(is.map(|is| format!("+ {is}")));
            }
        };
        if before.op != self.op {
            differ(&mut out, "", Some(&before.op), Some(&self.op));
        }
        for case in &before.cases {
            let now = self.cases.iter().find(|now| now.case == case.case);
            for (key, was) in case.lines.iter().filter(|(key, _)| is_of(key, ran)) {
                let is = now.and_then(|now| now.lines.iter().find(|(k, _)| k == key));
                // pinned before parts had hashes
                let shorter = |is: &str| was.ends_with(MORE.trim_end()) && is.starts_with(was);
                let is = is.map(|(_, is)| if shorter(is) { was } else { is });
                let said = |value: &String| format!("{key}: {value}");
                differ(&mut out, &case.case, Some(&said(was)), is.map(said).as_deref());
                out.extend(is.and_then(|is| changed(was, is)));
            }
        }
        for now in &self.cases {
            let was = before.cases.iter().find(|was| was.case == now.case);
            for (key, value) in &now.lines {
                if was.is_none_or(|was| was.lines.iter().all(|(k, _)| k != key)) {
                    differ(&mut out, &now.case, None, Some(&format!("{key}: {value}")));
                }
            }
        }
        out
    }

    /// The same with the lines of devices that did not run, as they were before.
    pub fn keeping(mut self, before: &Pinned, ran: &[&str]) -> Pinned {
        for case in &mut self.cases {
            let was = before.cases.iter().filter(|was| was.case == case.case).flat_map(|was| &was.lines);
            case.lines.extend(was.filter(|(key, _)| !is_of(key, ran)).cloned());
        }
        self
    }
}

/// Whether a line is the twin's, or of a device that ran.
fn is_of(key: &str, ran: &[&str]) -> bool {
    let who = key.split(' ').next().unwrap_or("");
    matches!(who, "input" | "twin") || ran.contains(&who)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pinned(lines: &[(&str, &str)]) -> Pinned {
        let lines = lines.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let case = PinnedCase { case: "N=3,regime=normal,seed=7".into(), lines };
        Pinned { source: "kernels/a.wgsl".into(), op: "add 0123".into(), cases: vec![case] }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let one = described("f32", &[3], &[1, 2, 3], &[0.5, f64::NAN, -0.0]);
        assert!(one.starts_with("f32 [3] ") && one.ends_with(" = 0.5 NaN -0.0"), "{one}");
        let nine = described("f32", &[9], &[], &[0.0; 9]);
        assert!(nine.contains(" = 0.0 0.0 0.0 0.0 0.0 0.0 … ") && nine.split(' ').count() == 20, "{nine}");
        let pinned = pinned(&[("input a", &one), ("sim c", &one)]);
        assert!(
            pinned
                .text()
                .starts_with("---\nsource: \"kernels/a.wgsl\"\nexpression: \"add 0123\"\n---\ncase N=3")
        );
        assert_eq!(Pinned::parse(&pinned.text()), Ok(pinned));
        assert!(Pinned::parse("case N=3\n").unwrap_err().contains("no head"));
        assert!(Pinned::parse("---\nsource: x\n---\nN=3\n").unwrap_err().starts_with("line 4: "));
    }

    #[test]
    fn where_a_long_array_changed_is_told() {
        let with = |at: &[usize]| {
            let mut values = vec![1.0; 100];
            at.iter().for_each(|at| values[*at] = 2.0);
            described("f32", &[4, 25], &at.iter().map(|at| *at as u8).collect::<Vec<_>>(), &values)
        };
        let changed = |at: &[usize]| changed(&with(&[]), &with(at)).unwrap_or_default();
        assert_eq!(changed(&[30, 99]), "  changed among elements 28 to 34, 98 to 99 of 100");
        assert_eq!(changed(&[7, 14, 15]), "  changed among elements 7 to 20 of 100");
        assert_eq!(changed(&[]), "");
        assert_eq!(super::changed("f32 [3] a = 1.0 2.0 3.0", "f32 [3] b = 1.0 2.0 4.0"), None);
    }

    #[test]
    fn drift_is_what_changed_and_nothing_else() {
        let before = pinned(&[("twin c", "1"), ("sim c", "2"), ("vulkan c", "3")]);
        let same = pinned(&[("twin c", "1"), ("sim c", "2")]);
        assert_eq!(same.drift(&before, &["sim"]), [""; 0]);
        assert_eq!(same.clone().keeping(&before, &["sim"]), before);
        let other = pinned(&[("twin c", "1"), ("sim c", "9")]);
        let drift = other.drift(&before, &["sim"]);
        assert_eq!(drift, ["case N=3,regime=normal,seed=7", "- sim c: 2", "+ sim c: 9"]);
        let without = pinned(&[("twin c", "1")]);
        assert_eq!(without.drift(&before, &[]), [""; 0], "no device ran");
        assert_eq!(without.drift(&before, &["sim"]).len(), 2, "what the kernel returned is gone");
        let more = pinned(&[("twin c", "1"), ("twin d", "4")]);
        assert_eq!(more.drift(&without, &[])[1], "+ twin d: 4");
    }
}
