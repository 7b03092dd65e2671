//! Scalar expressions of WGSL with the results that the standard accepts, and the shaders that compute them: one for
//! each expression, its arguments in storage. Data in `golden/intervals.tsv`, plain data out.

use ktwin_num::Float;
use ktwin_sim::{Buffer, Launch, Module, Options};
use std::fmt::Write;

const TABLE: &str = include_str!("../golden/intervals.tsv");
const WORKGROUP: usize = 64;

/// A type that arguments and results have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// A float of 16 bits.
    F16,
    /// A float of 32 bits.
    F32,
    /// A signed integer.
    I32,
    /// An unsigned integer, also used for truth values.
    U32,
}

/// One component of a result: the ranges it may lie in; none of them accepts anything.
type Ranges = Vec<(f64, f64)>;

/// One row of arguments, and what is accepted of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The bits of each argument.
    pub args: Vec<u32>,
    /// The accepted values of each component.
    pub accepted: Vec<Ranges>,
}

/// An expression, with all its cases.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The expression; `$0`, `$1` … are the arguments.
    pub text: String,
    /// The types of the arguments.
    pub args: Vec<Scalar>,
    /// The type of every component of the result.
    pub result: Scalar,
    /// The rows.
    pub cases: Vec<Case>,
}

/// A result that is not among those accepted.
#[derive(Clone, Debug)]
pub struct Outside {
    /// The row of the expression's cases.
    pub case: usize,
    /// The value found, in decimal.
    pub found: f64,
}

impl Scalar {
    fn parse(name: &str) -> Result<Scalar, String> {
        match name {
            "f16" => Ok(Scalar::F16),
            "f32" => Ok(Scalar::F32),
            "i32" => Ok(Scalar::I32),
            "u32" | "bool" => Ok(Scalar::U32),
            _ => Err(format!("no type `{name}`")),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Scalar::F16 => "f16",
            Scalar::F32 => "f32",
            Scalar::I32 => "i32",
            Scalar::U32 => "u32",
        }
    }

    fn size(self) -> usize {
        if self == Scalar::F16 { 2 } else { 4 }
    }

    fn value(self, bytes: &[u8]) -> f64 {
        let bits = bytes.iter().rev().fold(0u32, |sum, &b| sum << 8 | u32::from(b));
        match self {
            Scalar::F16 => Float::F16.decode(u64::from(bits)),
            Scalar::F32 => f64::from(f32::from_bits(bits)),
            Scalar::I32 => f64::from(bits as i32),
            Scalar::U32 => f64::from(bits),
        }
    }
}

/// Every expression of the table.
pub fn expressions() -> Result<Vec<Expression>, String> {
    let mut all: Vec<Expression> = Vec::new();
    let lines = TABLE.lines().enumerate().filter(|(_, l)| !l.starts_with('#'));
    for (number, line) in lines {
        let read = row(line).map_err(|e| format!("line {}: {e}", number + 1))?;
        let same =
            |e: &&mut Expression| e.text == read.text && e.args == read.args && e.result == read.result;
        match all.iter_mut().rev().find(same) {
            Some(known) => known.cases.extend(read.cases),
            None => all.push(read),
        }
    }
    Ok(all)
}

fn row(line: &str) -> Result<Expression, String> {
    let fields: Vec<&str> = line.split('\t').collect();
    let &[text, results, arguments, accepted] = &fields[..] else {
        return Err(format!("expected 4 columns, found {}", fields.len()));
    };
    let mut args = Vec::new();
    let mut bits = Vec::new();
    for argument in arguments.split(' ') {
        let (ty, hex) = argument.split_once(':').ok_or("an argument is written type:bits")?;
        args.push(Scalar::parse(ty)?);
        bits.push(u32::from_str_radix(hex, 16).map_err(|e| e.to_string())?);
    }
    let components = results.split(',').count();
    let result = Scalar::parse(results.split(',').next().unwrap_or(""))?;
    let case = Case { args: bits, accepted: ranges(accepted, components)? };
    Ok(Expression { text: text.to_owned(), args, result, cases: vec![case] })
}

fn ranges(text: &str, components: usize) -> Result<Vec<Ranges>, String> {
    let mut all = vec![Ranges::new(); components];
    for alternative in text.split('|') {
        let parts: Vec<&str> = alternative.split(';').collect();
        if parts.len() != components {
            return Err(format!("expected {components} components, found {}", parts.len()));
        }
        for (ranges, part) in all.iter_mut().zip(parts) {
            ranges.push(range(part)?);
        }
    }
    Ok(all)
}

fn range(text: &str) -> Result<(f64, f64), String> {
    let number = |s: &str| s.parse::<f64>().map_err(|_| format!("no number: `{s}`"));
    match text.split_once("..") {
        _ if text == "*" => Ok((f64::NEG_INFINITY, f64::INFINITY)),
        Some((low, high)) => Ok((number(low)?, number(high)?)),
        None => number(text).map(|n| (n, n)),
    }
}

fn accepts(ranges: &Ranges, value: f64) -> bool {
    ranges.iter().any(|&(low, high)| {
        let anything = low == f64::NEG_INFINITY && high == f64::INFINITY;
        anything || (low <= value && value <= high)
    })
}

impl Case {
    fn accepts(&self, component: usize, value: f64) -> bool {
        accepts(&self.accepted[component], value)
    }
}

impl Expression {
    fn components(&self) -> usize {
        self.cases[0].accepted.len()
    }

    /// A shader that computes the expression for one row a lane.
    pub fn shader(&self) -> String {
        let mut text = String::from("enable f16;\n");
        let mut body = self.text.clone();
        for (i, ty) in self.args.iter().enumerate() {
            let _ = writeln!(text, "@group(0) @binding({i}) var<storage, read> a{i}: array<{}>;", ty.name());
            body = body.replace(&format!("${i}"), &format!("a{i}[id.x]"));
        }
        let (n, ty, rows) = (self.args.len(), self.result.name(), self.cases.len());
        let ty = match self.components() {
            1 => ty.to_owned(),
            components => format!("vec{components}<{ty}>"),
        };
        let _ = write!(
            text,
            "@group(0) @binding({n}) var<storage, read_write> r: array<{ty}>;
@compute @workgroup_size({WORKGROUP}) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    if id.x < {rows} {{
        r[id.x] = {body};
    }}
}}
"
        );
        text
    }

    fn launch(&self) -> Launch {
        let mut launch = Launch::new([self.cases.len().div_ceil(WORKGROUP) as u32, 1, 1]);
        for (i, ty) in self.args.iter().enumerate() {
            let mut bytes: Vec<u8> =
                self.cases.iter().flat_map(|c| c.args[i].to_le_bytes()[..ty.size()].to_vec()).collect();
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            launch = launch.buffer(Buffer::input(0, i as u32, bytes));
        }
        let bytes = self.cases.len() * self.components() * self.result.size();
        launch.buffer(Buffer::output(0, self.args.len() as u32, bytes.next_multiple_of(16)))
    }

    /// Compiles the shader.
    pub fn compile(&self) -> Result<Module, String> {
        Module::from_wgsl(&self.shader()).map_err(|e| e.rendered)
    }

    /// Runs all rows and returns those whose results are not accepted.
    pub fn run(&self, module: &Module, options: &Options) -> Result<Vec<Outside>, String> {
        let mut launch = self.launch();
        let run = module.run(&mut launch, options).map_err(|e| e.to_string())?;
        if let Some(error) = run.errors().next() {
            return Err(error.to_string());
        }
        let size = self.result.size();
        let results = launch.buffers[self.args.len()].bytes.chunks(size).map(|b| self.result.value(b));
        let components = self.components();
        let used = results.take(self.cases.len() * components).enumerate();
        let outside = used.filter(|&(i, v)| !self.cases[i / components].accepts(i % components, v));
        Ok(outside.map(|(i, found)| Outside { case: i / components, found }).collect())
    }

    /// A case in words.
    pub fn show(&self, outside: &Outside) -> String {
        let case = &self.cases[outside.case];
        let mut text = self.text.clone();
        for (i, (ty, bits)) in self.args.iter().zip(&case.args).enumerate() {
            text =
                text.replace(&format!("${i}"), &format!("{:?}", ty.value(&bits.to_le_bytes()[..ty.size()])));
        }
        let wanted: Vec<String> = case.accepted.iter().map(|r| format!("{r:?}")).collect();
        format!("{} {text}: expected {}, found {:?}", self.result.name(), wanted.join("; "), outside.found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_and_hold_from_both_sides() {
        let one = ranges("-1..2.5|7..7", 1).unwrap();
        assert!([-1.0, 2.5, 7.0].iter().all(|&v| accepts(&one[0], v)));
        assert!([-1.5, 6.0, f64::NAN, f64::INFINITY].iter().all(|&v| !accepts(&one[0], v)));
        let two = ranges("0..0;-inf..inf", 2).unwrap();
        assert!(accepts(&two[0], -0.0) && accepts(&two[1], f64::NAN));
        assert!(accepts(&ranges("*", 1).unwrap()[0], f64::NAN));
        assert_eq!(ranges("0..0;1..1", 1), Err("expected 1 components, found 2".to_owned()));
    }

    #[test]
    fn another_function_is_outside() {
        let all = expressions().unwrap();
        for (text, other) in [("exp($0)", "exp2($0)"), ("sqrt($0)", "($0)"), ("(($0)+($1))", "(($0)-($1))")] {
            for known in all.iter().filter(|e| e.text == text) {
                let wrong = Expression { text: other.to_owned(), ..known.clone() };
                let outside = wrong.run(&wrong.compile().unwrap(), &Options::default()).unwrap();
                assert!(outside.len() > 5, "{other} for {text}: {} outside", outside.len());
            }
        }
    }
}
