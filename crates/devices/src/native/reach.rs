//! Which functions of an assembly name which others, in their own instructions or through tables of data.

use std::collections::{BTreeSet, HashMap};

/// The names that stand in a function, or in what lies between functions.
type Names = BTreeSet<String>;

/// What is read of an assembly, line by line.
#[derive(Default)]
pub struct Reader {
    functions: Vec<(String, Names)>,
    data: HashMap<String, Names>,
    /// The last label outside of functions that is not a compiler's own mark of a function.
    label: String,
    is_inside: bool,
    is_told: bool,
}

impl Reader {
    /// How many functions have begun.
    pub fn functions(&self) -> usize {
        self.functions.len()
    }

    /// Reads the next line.
    pub fn read(&mut self, text: &str) {
        let (mut words, rest) = (text.split_whitespace(), text.trim_start());
        match words.next() {
            Some(".section") => self.is_told = rest.contains(".debug"),
            Some(".text" | ".data" | ".bss") => self.is_told = false,
            Some(".cfi_startproc") => {
                self.functions.push((self.label.clone(), Names::new()));
                self.is_inside = true;
            }
            Some(".cfi_endproc") => self.is_inside = false,
            Some(".set") => {
                let mut both = rest[".set".len()..].split(',').map(str::trim);
                if let (Some(name), Some(other)) = (both.next(), both.next()) {
                    self.data.entry(name.into()).or_default().insert(other.into());
                }
            }
            _ if self.is_told => {}
            Some(label) if !text.starts_with(char::is_whitespace) && label.ends_with(':') => {
                let label = label.trim_end_matches(':');
                if !self.is_inside && !label.starts_with(".LF") {
                    self.label = label.into();
                }
            }
            Some(first) if !matches!(first, ".loc" | ".file" | ".size" | ".type" | ".globl" | ".weak") => {
                self.names(&rest[first.len()..]);
            }
            _ => {}
        }
    }

    fn names(&mut self, operands: &str) {
        let of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
        let is_name = |word: &&str| word.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '.'));
        let words = operands.split(|c| !of_name(c)).filter(is_name).map(String::from);
        match self.functions.last_mut().filter(|_| self.is_inside) {
            Some((_, names)) => names.extend(words),
            None => self.data.entry(self.label.clone()).or_default().extend(words),
        }
    }

    /// For each function, those that it names.
    pub fn named(&self) -> Vec<Vec<usize>> {
        let numbers: HashMap<&str, usize> =
            self.functions.iter().enumerate().map(|(number, (name, _))| (&name[..], number)).collect();
        self.functions.iter().map(|(_, names)| self.through(names, &numbers)).collect()
    }

    /// The functions that names lead to, through data as well.
    fn through(&self, names: &Names, numbers: &HashMap<&str, usize>) -> Vec<usize> {
        let (mut left, mut seen): (Vec<&String>, BTreeSet<&String>) =
            (names.iter().collect(), BTreeSet::new());
        let mut found = Vec::new();
        while let Some(name) = left.pop() {
            if !seen.insert(name) {
                continue;
            }
            found.extend(numbers.get(&name[..]));
            left.extend(self.data.get(name).into_iter().flatten());
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_through_calls_tables_and_aliases() {
        let function = |name: &str, body: &str| {
            format!("{name}:\n.LFB0:\n\t.loc 1 2 3\n\t.cfi_startproc\n{body}\tret\n\t.cfi_endproc\n")
        };
        let text = [
            function("good", ""),
            function("bad", ".L3:\n\tjmp\t.L3\n"),
            function("other", ""),
            "\t.section\t.data.rel.ro\ntable:\n\t.quad\tgood\n\t.quad\tsame\n\t.set\tsame,bad\n".into(),
            "\t.text\n".into(),
            function("main", "\tleaq\ttable(%rip), %rax\n\tcall\tpowf@PLT\n"),
            function("calls", "\tcall\tmain@PLT\n"),
            "\t.section\t.debug_info\n.Ldebug_info0:\n\t.quad\tother\n".into(),
        ]
        .concat();
        let mut reader = Reader::default();
        text.lines().for_each(|line| reader.read(line));
        assert_eq!(reader.functions(), 5);
        let mut named = reader.named();
        named.iter_mut().for_each(|all| all.sort_unstable());
        assert_eq!(named, [vec![], vec![], vec![], vec![0, 1], vec![3]]);
    }
}
