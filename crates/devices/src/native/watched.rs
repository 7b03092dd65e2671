//! A kernel that says which parts of it ran, and what it compared: what a compiler makes with calls of
//! `__sanitizer_cov_trace_pc` in every block, each call replaced by a mark in a table of bytes. It is run beside the
//! kernel itself, and its results count for nothing.

use std::collections::HashSet;

use ktwin_check::Visit;
use ktwin_check::parts::{Part, Parts};

use super::comparisons::{self, Comparison};

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
    /// Its line in the kernel's file; 0 in others.
    line: u32,
    /// The first block of its function.
    first: usize,
}

/// The blocks and the comparisons of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    blocks: Vec<Site>,
    comparisons: Vec<Comparison>,
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

/// Assembly with a mark in the place of each call, and where the blocks are: lines are those of the file of this name.
pub fn marked(assembly: &str, name: &str) -> (String, Sites) {
    let (mut out, mut sites, mut own) = (String::new(), Sites::default(), HashSet::new());
    let (mut line, mut first) = (0, 0);
    for text in assembly.lines() {
        let mut words = text.split_whitespace();
        match words.next() {
            Some(".file") => {
                let number = words.next().filter(|number| number.parse::<u32>().is_ok());
                own.extend(number.filter(|_| text.ends_with(&format!("\"{name}\""))));
            }
            Some(".loc") => {
                let mut own_line = || own.contains(words.next()?).then_some(words.next()?.parse().ok()?);
                line = own_line().unwrap_or(0);
            }
            Some(".cfi_startproc") => first = sites.blocks.len(),
            Some(call) if call.starts_with("call") => {
                let called = words.next().unwrap_or_default();
                if called.starts_with(CALLED) {
                    // it changes no register and no flag
                    out.push_str(&format!("\tmovb\t$1, .L{TABLE}+{}(%rip)\n", sites.blocks.len()));
                    sites.blocks.push(Site { line, first });
                    continue;
                }
                if let Some(text) = comparisons::call(called, line, &mut sites.comparisons) {
                    out.push_str(&text);
                    continue;
                }
            }
            _ => {}
        }
        out.push_str(text);
        out.push('\n');
    }
    out.push_str(&comparisons::functions());
    out.push_str(&format!(
        "\t.bss\n\t.balign\t8\n\t.globl\t{TABLE}\n\t.type\t{TABLE}, @object\n\t.size\t{TABLE}, {}\n\
         {TABLE}:\n.L{TABLE}:\n\t.zero\t{}\n{}",
        sites.bytes(),
        sites.marks(),
        comparisons::table(&sites.comparisons)
    ));
    (out, sites)
}

/// What a table says of so many lines.
pub fn told(sites: &Sites, table: &[u8], lines: usize) -> Visit {
    let (marks, sides) = table.split_at(sites.marks().min(table.len()));
    let parts = parts(&sites.blocks, marks, lines);
    Visit { parts, comparisons: comparisons::told(&sites.comparisons, sides, lines) }
}

/// What marks say. Of a function that was never called nothing is known: a file may hold other kernels.
fn parts(sites: &[Site], table: &[u8], lines: usize) -> Parts {
    let mut parts = Parts::default();
    let ran = |at: usize| table.get(at).is_some_and(|byte| *byte != 0);
    for (number, site) in sites.iter().enumerate() {
        if ran(site.first) && (1..=lines).contains(&(site.line as usize)) {
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
                        \t.loc 2 9 1\n\tcall\t__sanitizer_cov_trace_pc\n\tcall\tpowf@PLT\n\
                        g:\n\t.loc 1 8 2\n\t.cfi_startproc\n\tcall\t__sanitizer_cov_trace_pc@PLT\n";
        let (text, sites) = marked(assembly, "a b/k.c");
        let site = |line, first| Site { line, first };
        assert_eq!(sites.blocks, [site(4, 0), site(5, 0), site(0, 0), site(8, 3)]);
        assert!(!text.contains(CALLED) && text.contains("powf@PLT"));
        assert!(text.contains("movb\t$1, .Lktwin_parts+2(%rip)"));
        let told = told(&sites, &[1, 0, 1, 0], 9).parts;
        assert!(told.has_rare(1));
        assert_eq!(told.idle_lines(), [5], "g was not called");
    }
}
