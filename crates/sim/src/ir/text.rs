//! Programs as text, and back. The passes are tested in this form: text in, text out.
//!
//! ```text
//! rules: wgsl
//! mem x: Global 64 binding 0 1        a buffer of 64 bytes; `ro` where it is read only
//! r0: U32 = 4                         a constant; `var` for a variable
//! r1: U32
//! loop b1..b3                         from the first block to the one before the last
//! b0:
//!   r1 = Bin(Add,U32) r0 r0           results, operation, operands
//!   Store(Word) r0 r1 mem=x imm=8     what else an instruction has, by name
//!   branch r2 b1 b2
//! ```

use super::program::RegInfo;
use super::{Block, Ins, MemObject, MemSpace, NONE, Op, Program, Reg, Rules, Term, Ty};
use std::fmt::Write as _;

const RULES: &[(&str, Rules)] = &[("ptx", Rules::PTX), ("spirv", Rules::SPIRV), ("wgsl", Rules::WGSL)];
const SPACES: &[(&str, MemSpace)] = &[
    ("Constant", MemSpace::Constant),
    ("Global", MemSpace::Global),
    ("Private", MemSpace::Private),
    ("Shared", MemSpace::Shared),
];

/// A program as text. The source's lines and what belongs to a launch of PTX are left out.
pub fn print(prog: &Program) -> String {
    let mut out = String::new();
    if let Some((name, _)) = RULES.iter().find(|(_, rules)| *rules == prog.rules) {
        let _ = writeln!(out, "rules: {name}");
    }
    for mem in &prog.mems {
        let space = SPACES.iter().find(|(_, space)| *space == mem.space).map_or("", |(name, _)| name);
        let _ = write!(out, "mem {}: {space} {}", mem.name, mem.size);
        if let Some((group, binding)) = mem.binding {
            let _ = write!(out, " binding {group} {binding}");
        }
        let _ = writeln!(out, "{}", if mem.writable { "" } else { " ro" });
    }
    for (reg, info) in prog.regs.iter().enumerate() {
        let _ = write!(out, "r{reg}: {}", ron(&info.ty));
        if let Some((_, bits)) = prog.consts.iter().find(|c| c.0 as usize == reg) {
            let _ = write!(out, " = {bits}");
        }
        let _ = writeln!(out, "{}", if info.var { " var" } else { "" });
    }
    for (start, end) in &prog.loops {
        let _ = writeln!(out, "loop b{start}..b{end}");
    }
    for (b, block) in prog.blocks.iter().enumerate() {
        let _ = writeln!(out, "b{b}:");
        for ins in &block.ins {
            let _ = writeln!(out, "  {}", instruction(prog, ins));
        }
        let _ = writeln!(out, "  {}", end(block.term));
    }
    out
}

fn ron<T: serde::Serialize>(value: &T) -> String {
    ron::to_string(value).unwrap_or_else(|error| error.to_string())
}

fn instruction(prog: &Program, ins: &Ins) -> String {
    let list = |regs: &mut dyn Iterator<Item = Reg>| regs.map(|r| format!("r{r} ")).collect::<String>();
    let mut out = list(&mut ins.defs());
    if !out.is_empty() {
        out += "= ";
    }
    out += &format!("{} {}", ron(&ins.op), list(&mut ins.uses()));
    if let Some(mem) = prog.mems.get(ins.mem as usize) {
        out += &format!("mem={} ", mem.name);
    }
    for (name, value) in [("imm", ins.imm), ("imm2", ins.imm2), ("at", ins.at)] {
        if value != 0 {
            out += &format!("{name}={value} ");
        }
    }
    if ins.masked {
        out += "masked ";
    }
    if !ins.tracked {
        out += "untracked";
    }
    out.trim_end().to_owned()
}

fn end(term: Term) -> String {
    let flag = |on: bool, name: &str| if on { format!("{name} ") } else { String::new() };
    match term {
        Term::Jump(to) => format!("jump b{to}"),
        Term::Branch(condition, yes, no) => format!("branch r{condition} b{yes} b{no}"),
        Term::Barrier { shared, global, next } => {
            format!("barrier {}{}b{next}", flag(shared, "shared"), flag(global, "global"))
        }
        Term::Named { id, count, next } => format!("named {id} {count} b{next}"),
        Term::Return => "return".to_owned(),
    }
}

/// Reads a program; the error names the line.
pub fn parse(text: &str) -> Result<Program, String> {
    let mut prog = Program::default();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if !line.is_empty() {
            read(&mut prog, line).map_err(|error| format!("line {}: {error}: `{line}`", i + 1))?;
        }
    }
    Ok(prog)
}

fn read(prog: &mut Program, line: &str) -> Result<(), String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["rules:", name] => prog.rules = of(RULES, name)?,
        ["mem", name, space, size, ref rest @ ..] => prog.mems.push(memory(name, space, size, rest)?),
        ["loop", range] => {
            let (start, end) = range.split_once("..").ok_or("expected b0..b1")?;
            prog.loops.push((number(start, "b")?, number(end, "b")?));
        }
        [label] if label.starts_with('b') && label.ends_with(':') => {
            if number::<usize>(label.trim_end_matches(':'), "b")? != prog.blocks.len() {
                return Err("blocks must be in order".to_owned());
            }
            prog.blocks.push(Block { ins: Vec::new(), term: Term::Return, at: 0 });
        }
        [reg, ty, ref rest @ ..] if reg.ends_with(':') => register(prog, reg, ty, rest)?,
        _ => {
            let ins = if let Some(term) = terminator(&words)? { Err(term) } else { Ok(ins(prog, &words)?) };
            let block = prog.blocks.last_mut().ok_or("it is outside every block")?;
            match ins {
                Ok(ins) => block.ins.push(ins),
                Err(term) => block.term = term,
            }
        }
    }
    Ok(())
}

fn of<T: Copy>(all: &[(&str, T)], name: &str) -> Result<T, String> {
    all.iter().find(|(other, _)| *other == name).map(|(_, value)| *value).ok_or(format!("unknown `{name}`"))
}

fn number<T: std::str::FromStr>(word: &str, before: &str) -> Result<T, String> {
    let digits = word.strip_prefix(before).and_then(|digits| digits.parse().ok());
    digits.ok_or_else(|| format!("expected {before} and a number, found `{word}`"))
}

fn memory(name: &str, space: &str, size: &str, rest: &[&str]) -> Result<MemObject, String> {
    let binding = match rest {
        ["binding", group, binding, ..] => Some((number(group, "")?, number(binding, "")?)),
        _ => None,
    };
    Ok(MemObject {
        name: name.trim_end_matches(':').to_owned(),
        space: of(SPACES, space)?,
        binding,
        size: number(size, "")?,
        zeroed: true,
        writable: !rest.contains(&"ro"),
        dynamic: false,
        in_place: false,
        words: Vec::new(),
    })
}

fn register(prog: &mut Program, reg: &str, ty: &str, rest: &[&str]) -> Result<(), String> {
    if number::<usize>(reg.trim_end_matches(':'), "r")? != prog.regs.len() {
        return Err("registers must be in order".to_owned());
    }
    let ty: Ty = ron::from_str(ty).map_err(|error| error.to_string())?;
    let reg = prog.regs.len() as Reg;
    prog.regs.push(RegInfo { ty, var: rest.contains(&"var") });
    if let ["=", bits, ..] = rest {
        prog.consts.push((reg, number(bits, "")?));
    }
    Ok(())
}

fn terminator(words: &[&str]) -> Result<Option<Term>, String> {
    let block = |word: &&str| number(word, "b");
    Ok(Some(match words {
        ["jump", to] => Term::Jump(block(to)?),
        ["branch", condition, yes, no] => Term::Branch(number(condition, "r")?, block(yes)?, block(no)?),
        ["barrier", flags @ .., next] => Term::Barrier {
            shared: flags.contains(&"shared"),
            global: flags.contains(&"global"),
            next: block(next)?,
        },
        ["named", id, count, next] => {
            Term::Named { id: number(id, "")?, count: number(count, "")?, next: block(next)? }
        }
        ["return"] => Term::Return,
        _ => return Ok(None),
    }))
}

fn ins(prog: &Program, words: &[&str]) -> Result<Ins, String> {
    let equals = words.iter().position(|&word| word == "=");
    let regs = |words: &[&str]| words.iter().map(|word| number(word, "r")).collect::<Result<Vec<Reg>, _>>();
    let dst = regs(&words[..equals.unwrap_or(0)])?;
    let rest = &words[equals.map_or(0, |at| at + 1)..];
    let (op, rest) = rest.split_first().ok_or("it has no operation")?;
    let op: Op = ron::from_str(op).map_err(|error| error.to_string())?;
    let is_reg = |word: &&&str| word.strip_prefix('r').is_some_and(|d| d.parse::<Reg>().is_ok());
    let count = rest.iter().take_while(is_reg).count();
    let src = regs(&rest[..count])?;
    if dst.len() > 4 || src.len() > 5 {
        return Err("too many registers".to_owned());
    }
    let mut ins = Ins::new(op, &dst, &src, 0);
    for word in &rest[count..] {
        match word.split_once('=') {
            Some(("imm", value)) => ins.imm = number(value, "")?,
            Some(("imm2", value)) => ins.imm2 = number(value, "")?,
            Some(("at", value)) => ins.at = number(value, "")?,
            Some(("mem", name)) => {
                let found = prog.mems.iter().position(|mem| mem.name == name);
                ins.mem = found.map_or(NONE, |at| at as u32);
            }
            None if *word == "masked" => ins.masked = true,
            None if *word == "untracked" => ins.tracked = false,
            _ => return Err(format!("unknown `{word}`")),
        }
    }
    Ok(ins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::launch::{Launch, Param};
    use crate::api::options::Options;
    use crate::front::Front;

    /// Every instruction that front ends make of real kernels is read back as it was.
    #[test]
    fn what_is_printed_is_read_back() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../sim-proof/shaders/ok");
        let mut seen = 0;
        for entry in std::fs::read_dir(folder).expect("the folder") {
            let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a text");
            let Ok(wgsl) = crate::wgsl::parse(&text) else { continue };
            let launch = Launch::new([1, 1, 1]);
            for point in wgsl.entry_points() {
                let Ok(prog) = wgsl.lower(&point.name, &launch, &Options::default()) else { continue };
                let text = print(&prog);
                let read = parse(&text).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(print(&read), text);
                seen += 1;
            }
        }
        assert!(seen > 100, "{seen}");
    }

    #[test]
    fn every_operation_of_ptx_is_read_back() {
        let text = include_str!("../../tests/ptx/misc.ptx");
        let ptx = crate::ptx::Ptx::new(text, None).expect("it compiles");
        for point in ptx.entry_points() {
            let mut launch = Launch::new([1, 1, 1]).block([32, 1, 1]);
            launch.params = point.params.iter().map(|p| Param::bytes(vec![0; p.size as usize])).collect();
            let Ok(prog) = ptx.lower(&point.name, &launch, &Options::default()) else { continue };
            let text = print(&prog);
            assert_eq!(print(&parse(&text).unwrap_or_else(|error| panic!("{error}"))), text);
        }
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_line() {
        for (text, why) in [
            ("r0: U32\nr2: U32", "line 2: registers must be in order"),
            ("b0:\n  r0 = Bin(Add,U99) r1 r1", "line 2"),
            ("  return", "line 1: it is outside every block"),
            ("rules: fortran", "unknown `fortran`"),
        ] {
            let error = parse(text).expect_err("it is refused");
            assert!(error.contains(why), "{error}");
        }
    }
}
