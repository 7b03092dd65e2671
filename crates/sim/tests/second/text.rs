//! Reads the programs of the tests: one instruction a line, one entry point.

use std::collections::HashMap;

#[derive(Clone, Debug)]
pub struct Ins {
    pub guard: Option<(String, bool)>,
    pub op: Vec<String>,
    pub args: Vec<String>,
}

impl Ins {
    pub fn name(&self) -> &str {
        &self.op[0]
    }

    pub fn has(&self, modifier: &str) -> bool {
        self.op.iter().any(|m| m == modifier)
    }

    /// The last type.
    pub fn ty(&self) -> &str {
        &self.op[self.op.len() - 1]
    }

    pub fn space(&self) -> &str {
        let known = ["global", "shared", "local", "const", "param"];
        known.into_iter().find(|space| self.has(space)).unwrap_or("generic")
    }
}

#[derive(Clone, Debug, Default)]
pub struct Program {
    pub code: Vec<Ins>,
    pub labels: HashMap<String, usize>,
    /// Addresses of variables in their space, and of parameters.
    pub symbols: HashMap<String, u64>,
    pub constants: Vec<u8>,
    pub shared: usize,
    pub local: usize,
}

/// The parts of `{a, b}`, or the one.
pub fn list(arg: &str) -> Vec<String> {
    let inner = arg.trim_start_matches('{').trim_end_matches('}');
    inner.split(',').map(|part| part.trim().to_owned()).collect()
}

/// Commas outside braces and brackets part operands.
fn operands(text: &str) -> Vec<String> {
    let (mut out, mut depth, mut last) = (Vec::new(), 0, String::new());
    for c in text.chars() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                out.push(std::mem::take(&mut last).trim().to_owned());
                continue;
            }
            _ => {}
        }
        last.push(c);
    }
    if !last.trim().is_empty() {
        out.push(last.trim().to_owned());
    }
    out
}

pub fn read(text: &str) -> Program {
    let mut program = Program::default();
    let mut params = 0;
    for line in text.lines().map(str::trim) {
        let line = line.trim_end_matches(';');
        if let Some(rest) = line.strip_prefix(".param ") {
            let name = rest.split_whitespace().nth(1).expect("a name").trim_end_matches([',', ')']);
            program.symbols.insert(name.to_owned(), 8 * params);
            params += 1;
        } else if line.starts_with(".shared") || line.starts_with(".local") {
            let (head, size) = line.rsplit_once('[').expect("a size");
            let name = head.rsplit(' ').next().expect("a name");
            let size: usize = size.trim_end_matches(']').parse().expect("a size");
            let top = if line.starts_with(".shared") { &mut program.shared } else { &mut program.local };
            program.symbols.insert(name.to_owned(), *top as u64);
            *top += size;
        } else if line.starts_with(".const") {
            let (head, values) = line.split_once(" = {").expect("values");
            let name = head.rsplit(' ').next().expect("a name").split('[').next().expect("a name");
            program.symbols.insert(name.to_owned(), 0);
            let values = values.trim_end_matches('}').split(',').map(|v| v.trim().parse::<u8>());
            program.constants = values.map(|v| v.expect("a byte")).collect();
        } else if let Some(label) = line.strip_suffix(':') {
            program.labels.insert(label.to_owned(), program.code.len());
        } else if line.starts_with(|c: char| c.is_ascii_lowercase() || c == '@') {
            program.code.push(instruction(line));
        }
    }
    program
}

fn instruction(line: &str) -> Ins {
    let (guard, rest) = match line.strip_prefix('@') {
        Some(rest) => {
            let (p, rest) = rest.split_once(' ').expect("an instruction");
            (Some((p.trim_start_matches('!').to_owned(), p.starts_with('!'))), rest.trim())
        }
        None => (None, line),
    };
    let (op, args) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    Ins { guard, op: op.split('.').map(str::to_owned).collect(), args: operands(args) }
}
