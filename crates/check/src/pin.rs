//! Golden outputs as text that people review: what is pinned of each case, read, written and compared. The format is
//! that of insta's snapshots. Touches no file and no device.

use std::fmt::Write;

use crate::promise::hash_of;

/// Elements of a tensor that are shown.
const SHOWN: usize = 6;

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

/// Type, shape, hash and first elements of a tensor.
pub fn described(dtype: &str, shape: &[usize], bytes: &[u8], values: &[f64]) -> String {
    let first: Vec<String> = values.iter().take(SHOWN).map(|v| format!("{v:?}")).collect();
    let more = if values.len() > SHOWN { " …" } else { "" };
    format!("{dtype} {shape:?} {} = {}{more}", hash_of(&[bytes]), first.join(" "))
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
        let mut differ = |case: &str, was: Option<&str>, is: Option<&str>| {
            if was != is {
                out.push(if case.is_empty() { "op".to_string() } else { format!("case {case}") });
                out.extend(was.map(|was| format!("- {was}")));
                out.extend(is.map(|is| format!("+ {is}")));
            }
        };
        if before.op != self.op {
            differ("", Some(&before.op), Some(&self.op));
        }
        for case in &before.cases {
            let now = self.cases.iter().find(|now| now.case == case.case);
            for (key, was) in case.lines.iter().filter(|(key, _)| is_of(key, ran)) {
                let is = now.and_then(|now| now.lines.iter().find(|(k, _)| k == key));
                let said = |value: &str| format!("{key}: {value}");
                differ(&case.case, Some(&said(was)), is.map(|(_, is)| said(is)).as_deref());
            }
        }
        for now in &self.cases {
            let was = before.cases.iter().find(|was| was.case == now.case);
            for (key, value) in &now.lines {
                if was.is_none_or(|was| was.lines.iter().all(|(k, _)| k != key)) {
                    differ(&now.case, None, Some(&format!("{key}: {value}")));
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
        assert!(described("f32", &[9], &[], &[0.0; 9]).ends_with("0.0 …"));
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
