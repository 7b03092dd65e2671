//! A kernel that says which parts of it ran, and what it compared: what a compiler makes with calls of
//! `__sanitizer_cov_trace_pc` in every block, each call replaced by a mark in a table of bytes. It is run beside the
//! kernel itself, and its results count for nothing.

use std::collections::{HashMap, HashSet};

use ktwin_check::Visit;
use ktwin_check::parts::{Part, Parts};

use super::comparisons::{self, Comparison};
use super::reach::Reader;

/// The table, as the library exports it.
pub const TABLE: &str = "ktwin_parts";

/// What makes compilers call a function in every block, and before every comparison.
pub const FLAGS: [&str; 4] = ["-S", "-O0", "-fsanitize-coverage=trace-pc", comparisons::FLAG];
const CALLED: &str = "__sanitizer_cov_trace_pc";

/// The processors whose assembly is understood.
pub const IS_KNOWN: bool = cfg!(all(target_arch = "x86_64", target_os = "linux"));

/// A block of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its line in the kernel's file, or the one that includes its file; 0 in others.
    line: u32,
    /// The number of its function.
    function: usize,
}

/// The blocks and the comparisons of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    blocks: Vec<Site>,
    comparisons: Vec<Comparison>,
    /// For each function, those that it names.
    named: Vec<Vec<usize>>,
}

impl Sites {
    /// The bytes of the table that says what was seen of them.
    pub fn bytes(&self) -> usize {
        self.marks() + comparisons::bytes(&self.comparisons)
    }

    /// The bytes of the marks of blocks: whole words.
    fn marks(&self) -> usize {
        self.blocks.len().max(1).next_multiple_of(8)
    }
}

/// A text whose lines are its own, whatever it says of them.
pub fn own_lines(text: &str) -> String {
    let is_line = |line: &str| {
        let line = line.trim_start();
        let rest = line.strip_prefix('#').or_else(|| line.strip_prefix("%:")).map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with("line") || rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    text.split_inclusive('\n').map(|line| if is_line(line) { "\n" } else { line }).collect()
}

/// Which line of a kernel's file code counts as: its own, or for a header beside the kernel the one that includes it.
pub struct Lines {
    /// The kernel's file, as assembly quotes it.
    name: String,
    /// The file that each line includes in quotes.
    included: Vec<(String, u32)>,
}

impl Lines {
    /// Those of a text that is the file of this name.
    pub fn of(text: &str, name: &str) -> Lines {
        let included = |line: &str| {
            let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
            let path = rest.trim_start().strip_prefix('"')?.split('"').next()?;
            Some(format!("{}\"", path.rsplit('/').next()?))
        };
        let included = text.lines().zip(1..).filter_map(|(line, number)| Some((included(line)?, number)));
        Lines { name: format!("\"{name}\""), included: included.collect() }
    }

    /// What a line of a file counts as; 0 if nothing is known of the file.
    fn line(&self, file: &str, line: u32) -> u32 {
        if file.ends_with(&self.name) {
            return line;
        }
        let base = file.rsplit(['/', ' ']).next().unwrap_or_default().trim_start_matches('"');
        self.included.iter().find(|(included, _)| included == base).map_or(0, |(_, line)| *line)
    }
}

/// Assembly with a mark in the place of each call, and where the blocks are.
pub fn marked(assembly: &str, lines: &Lines) -> (String, Sites) {
    let mut marker = Marker::new(lines);
    assembly.lines().for_each(|line| marker.read(line));
    marker.finish()
}

/// What is known so far of an assembly, and its text with marks.
struct Marker<'a> {
    lines: &'a Lines,
    /// What assembly says of each file that it numbers.
    files: HashMap<u32, String>,
    reader: Reader,
    line: u32,
    out: String,
    /// Where in the text the function began.
    start: usize,
    sites: Sites,
}

impl<'a> Marker<'a> {
    fn new(lines: &'a Lines) -> Self {
        let (files, reader, sites) = (HashMap::new(), Reader::default(), Sites::default());
        Marker { lines, files, reader, line: 0, out: String::new(), start: 0, sites }
    }

    fn read(&mut self, text: &str) {
        self.reader.read(text);
        let mut words = text.split_whitespace();
        match words.next() {
            Some(".file") => {
                let number = words.next().and_then(|number| number.parse().ok());
                self.files.extend(number.map(|number| (number, text.into())));
            }
            Some(".loc") => {
                let mut numbers = words.map_while(|word| word.parse::<u32>().ok());
                let (file, line) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
                self.line = self.files.get(&file).map_or(0, |name| self.lines.line(name, line));
            }
            Some(".cfi_startproc") => self.start = self.out.len() + text.len() + 1,
            Some(".cfi_endproc") => self.mark_unwatched(),
            Some(call) if call.starts_with("call") || call == "jmp" => {
                if let Some(instead) = self.instead(words.next().unwrap_or_default()) {
                    self.out.push_str(&instead);
                    if call == "jmp" {
                        self.out.push_str("\tret\n");
                    }
                    return;
                }
            }
            _ => {}
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// What takes the place of a call, where it is one that a compiler adds.
    fn instead(&mut self, called: &str) -> Option<String> {
        if called.starts_with(CALLED) {
            return Some(self.mark());
        }
        comparisons::call(called, self.line, &mut self.sites.comparisons)
    }

    /// A mark for the block that begins here. It changes no register and no flag.
    fn mark(&mut self) -> String {
        let mark = format!("\tmovb\t$1, .L{TABLE}+{}(%rip)\n", self.sites.blocks.len());
        self.sites.blocks.push(Site { line: self.line, function: self.reader.functions().saturating_sub(1) });
        mark
    }

    /// Marks the beginning of the function that ends here, where its compiler was told to leave it alone.
    fn mark_unwatched(&mut self) {
        let function = self.reader.functions().saturating_sub(1);
        if self.sites.blocks.last().is_none_or(|site| site.function != function) {
            let mark = self.mark();
            self.out.insert_str(self.start, &mark);
        }
    }

    fn finish(mut self) -> (String, Sites) {
        let sites = Sites { named: self.reader.named(), ..self.sites };
        self.out.push_str(&comparisons::functions());
        self.out.push_str(&format!(
            "\t.bss\n\t.balign\t8\n\t.globl\t{TABLE}\n\t.type\t{TABLE}, @object\n\t.size\t{TABLE}, {}\n\
             {TABLE}:\n.L{TABLE}:\n\t.zero\t{}\n{}",
            sites.bytes(),
            sites.marks(),
            comparisons::table(&sites.comparisons)
        ));
        (self.out, sites)
    }
}

/// What a table says of so many lines.
pub fn told(sites: &Sites, table: &[u8], lines: usize) -> Visit {
    let (marks, sides) = table.split_at(sites.marks().min(table.len()));
    let parts = parts(sites, marks, lines);
    Visit { parts, comparisons: comparisons::told(&sites.comparisons, sides, lines) }
}

/// What marks say. Of a function that nothing which ran leads to nothing is known: a file may hold other kernels.
fn parts(sites: &Sites, table: &[u8], lines: usize) -> Parts {
    let mut parts = Parts::default();
    let ran = |at: usize| table.get(at).is_some_and(|byte| *byte != 0);
    let mut left: Vec<usize> =
        (0..sites.blocks.len()).filter(|at| ran(*at)).map(|at| sites.blocks[at].function).collect();
    let mut known = HashSet::new();
    while let Some(function) = left.pop() {
        if known.insert(function) {
            left.extend(sites.named.get(function).into_iter().flatten());
        }
    }
    for (number, site) in sites.blocks.iter().enumerate() {
        if known.contains(&site.function) && (1..=lines).contains(&(site.line as usize)) {
            parts.add(Part { line: site.line, number: number as u32 }, ran(number));
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_become_marks() {
        let assembly = "\t.file 0 \"/x\" \"<stdin>\"\n\t.file 1 \"a b/k.c\"\n\t.file 2 \"/usr/h.h\"\n\
                        f:\n\t.loc 1 4 2\n\t.cfi_startproc\n\tcall\t__sanitizer_cov_trace_pc@PLT\n\
                        \t.loc 1 5 2 discriminator 1\n\tcall __sanitizer_cov_trace_pc@PLT\n\
                        \t.loc 2 9 1\n\tcall\t__sanitizer_cov_trace_pc\n\tcall\tpowf@PLT\n\t.cfi_endproc\n\
                        g:\n\t.loc 1 8 2\n\t.cfi_startproc\n\tjmp\t__sanitizer_cov_trace_pc@PLT\n";
        let (text, sites) = marked(assembly, &Lines::of("", "a b/k.c"));
        let site = |line, function| Site { line, function };
        assert_eq!(sites.blocks, [site(4, 0), site(5, 0), site(0, 0), site(8, 1)]);
        assert!(!text.contains(CALLED) && text.contains("powf@PLT"));
        assert!(text.contains("movb\t$1, .Lktwin_parts+2(%rip)"));
        assert!(text.contains("movb\t$1, .Lktwin_parts+3(%rip)\n\tret\n"), "a call at the end is a jump");
        let told = told(&sites, &[1, 0, 1, 0], 9).parts;
        assert!(told.has_rare(1));
        assert_eq!(told.idle_lines(), [5], "nothing leads to g");
    }

    #[test]
    fn functions_that_could_be_called_are_known() {
        let call = "\tcall\t__sanitizer_cov_trace_pc@PLT\n";
        let table = "\t.section\t.data.rel.ro\ntable:\n\t.quad\tbad\n\t.text\n";
        let assembly = format!(
            "\t.file 1 \"k.c\"\n\t.file 2 \"/home/h.h\"\n\
             bad:\n\t.loc 1 4 2\n\t.cfi_startproc\n\tret\n\t.cfi_endproc\n\
             other:\n\t.loc 1 6 2\n\t.cfi_startproc\n{call}\t.cfi_endproc\n{table}\
             f:\n\t.loc 1 8 2\n\t.cfi_startproc\n{call}\tleaq\ttable(%rip), %rax\n\
             \t.loc 2 90 2\n{call}\t.cfi_endproc\n"
        );
        let (text, sites) = marked(&assembly, &Lines::of("int a;\n# include \"inc/h.h\"\n", "k.c"));
        assert!(text.contains(".cfi_startproc\n\tmovb\t$1, .Lktwin_parts+0(%rip)\n\tret"), "{text}");
        let told = told(&sites, &[0, 0, 1, 0], 9).parts;
        assert_eq!(told.idle_lines(), [2, 4], "a header counts as the line that includes it");
    }

    #[test]
    fn a_text_cannot_say_that_its_lines_are_others() {
        let text = "#line 1 \"m.h\"\n  # 3 \"n.h\"\n%: line 9\n#define line 1\nint a = 1; // #line\n";
        assert_eq!(own_lines(text), "\n\n\n#define line 1\nint a = 1; // #line\n");
    }
}
