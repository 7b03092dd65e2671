//! A kernel compiled for a device: once for every set of constants that its cases ask for.

use crate::bench::{Answer, Timing};
use crate::case::Case;
use crate::device::{Constant, Device, Failure, Launch, Number, Program, Ran};
use crate::inputs::prepare;
use crate::kernel::Kernel;
use crate::launch::blocks_agree;
use crate::signature;
use crate::source::Source;

/// The constants that a program is compiled with: names and values.
type Constants = Vec<(String, String)>;

/// Programs by what they are compiled with.
pub(crate) struct Programs<'a> {
    kernel: &'a Kernel,
    device: &'a dyn Device,
    all: Vec<(Constants, Box<dyn Program>)>,
}

impl<'a> Programs<'a> {
    /// None yet.
    pub(crate) fn new(kernel: &'a Kernel, device: &'a dyn Device) -> Programs<'a> {
        Programs { kernel, device, all: Vec::new() }
    }

    /// Compiles for every set of constants that the cases ask for.
    pub(crate) fn compile(&mut self, cases: &[Case]) -> Result<(), Failure> {
        cases.iter().try_for_each(|case| self.number(case).map(drop))
    }

    /// The number of the program of a case, compiled if it is the first of its kind.
    pub(crate) fn number(&mut self, case: &Case) -> Result<usize, Failure> {
        let constants = self.constants(case).map_err(Failure::Mismatch)?;
        if let Some(found) = self.all.iter().position(|(known, _)| *known == constants) {
            return Ok(found);
        }
        if let Some(why) = signature::miscounted(self.kernel) {
            return Err(Failure::Mismatch(why));
        }
        let prepared = prepare(self.kernel, case).map_err(Failure::Mismatch)?;
        let (launch, _) = prepared.launch(0).map_err(Failure::Mismatch)?;
        let build = prepared.build(&launch).map_err(Failure::Mismatch)?;
        let program = self.device.compile(&self.kernel.source, &build);
        let told = |failure| instead_of_a_kernel(with_reals(failure, &build.defines), &self.kernel.source);
        let program = program.map_err(told)?;
        blocks_agree(&launch.steps, &*program)?;
        self.all.push((constants, program));
        Ok(self.all.len() - 1)
    }

    /// The program of a case, compiled if it is the first of its kind.
    pub(crate) fn of(&mut self, case: &Case) -> Result<&dyn Program, Failure> {
        let number = self.number(case)?;
        Ok(&*self.all[number].1)
    }

    /// The program of a case, if it is compiled already.
    pub(crate) fn known(&self, case: &Case) -> Option<&dyn Program> {
        self.known_number(case).map(|number| &*self.all[number].1)
    }

    /// The number of the program of a case, if it is compiled already.
    pub(crate) fn known_number(&self, case: &Case) -> Option<usize> {
        let constants = self.constants(case).ok()?;
        self.all.iter().position(|(known, _)| *known == constants)
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// Runs launches with the program of this number.
    pub(crate) fn run(&self, number: usize, launches: Vec<Launch>) -> Vec<Result<Ran, Failure>> {
        self.all[number].1.run(launches)
    }

    /// Measures launches with the program of this number.
    pub(crate) fn measure(
        &self,
        number: usize,
        launches: Vec<Launch>,
        timing: &Timing,
    ) -> Result<Answer, Failure> {
        self.all[number].1.measure(launches, timing)
    }

    /// Every program.
    pub(crate) fn all(&self) -> impl Iterator<Item = &dyn Program> {
        self.all.iter().map(|(_, program)| &**program)
    }

    fn constants(&self, case: &Case) -> Result<Constants, String> {
        let at = case.bind(&self.kernel.op).map_err(|e| e.to_string())?;
        let all = self.kernel.contract.define.iter();
        all.map(|(name, define)| Ok((name.text.clone(), self.kernel.constant(define, &at)?.to_string())))
            .collect()
    }
}

/// What a compiler refuses, with the constants that came out as real numbers where whole ones may be meant.
fn with_reals(failure: Failure, defines: &[(String, Constant)]) -> Failure {
    let Failure::Compile { mut message, line } = failure else { return failure };
    let whole = |x: f64| x.fract() == 0.0;
    for (name, value) in defines {
        if matches!(value, Constant::Number(Number::Real(x)) if whole(*x)) {
            message
                .push_str(&format!("\n({name} is the real number {value}; int(...) makes it a whole one)"));
        }
    }
    Failure::Compile { message, line }
}

/// What a compiler refuses, or finds nothing in, with what the file is instead.
fn instead_of_a_kernel(failure: Failure, source: &Source) -> Failure {
    let text = if source.kind.is_binary() { None } else { Some(source.text()) };
    let hint = || text.as_deref().and_then(crate::instead::of);
    match failure {
        Failure::Compile { message, line } => match hint() {
            Some(hint) => Failure::Compile { message: format!("{hint}\n{message}"), line },
            None => Failure::Compile { message, line },
        },
        Failure::Mismatch(why) => match hint() {
            Some(hint) => Failure::Mismatch(format!("{why}; {hint}")),
            None => Failure::Mismatch(why),
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_kernel_is_called_what_it_is() {
        let text = "array<{{ type }}>";
        let source = Source { kind: crate::SourceKind::Wgsl, path: "k.wgsl".into(), bytes: text.into() };
        let told = |failure| instead_of_a_kernel(failure, &source).to_string();
        let refused = told(Failure::Compile { message: "expected a type".into(), line: Some(1) });
        assert!(refused.starts_with("does not compile: line 1 has `{{ type }}`"), "{refused}");
        assert!(refused.ends_with("\nexpected a type"), "{refused}");
        assert!(
            told(Failure::Mismatch("no kernel".into()))
                .starts_with("the contract does not fit the kernel: no kernel; line")
        );
        assert_eq!(told(Failure::Crash("here".into())), "crashed: here");
    }

    #[test]
    fn a_real_constant_is_named_where_nothing_compiles() {
        let refused = || Failure::Compile { message: "size is not an integer".into(), line: Some(3) };
        let constant = |number| [("BLOCKS".to_owned(), Constant::Number(number))];
        let told = |number| with_reals(refused(), &constant(number)).to_string();
        assert!(told(Number::Real(4.0)).contains("BLOCKS is the real number 4.0; int(...)"));
        assert!(!told(Number::Real(0.5)).contains("BLOCKS") && !told(Number::Int(4)).contains("BLOCKS"));
    }
}
