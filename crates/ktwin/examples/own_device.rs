//! A device of one's own: an accelerator whose compiler knows kernels of one line.
use ktwin::device::{Build, Call, Device, Failure, Launch, Program, Ran, Source, SourceKind};

pub struct Accelerator;

struct Loaded(fn(f32, f32) -> f32);

impl Device for Accelerator {
    fn name(&self) -> &str {
        "accelerator"
    }
    fn accepts(&self, kind: SourceKind) -> bool {
        kind == SourceKind::C
    }
    fn compile(&self, source: &Source, _: &Build) -> Result<Box<dyn Program>, Failure> {
        match source.text() {
            text if text.contains("y = alpha * x") => Ok(Box::new(Loaded(|alpha, x| alpha * x))),
            text if text.contains("y = alpha + x") => Ok(Box::new(Loaded(|alpha, x| alpha + x))),
            _ => Err(Failure::Compile { message: "write y = alpha * x".into(), line: None }),
        }
    }
}

impl Program for Loaded {
    fn one(&self, mut launch: Launch) -> Result<Ran, Failure> {
        let mut call = Call::of(&mut launch, 0);
        call.takes(&["x", "y", "alpha"])?;
        let (alpha, x) = (call.value("alpha") as f32, call.read("x"));
        let y: Vec<f64> = x.iter().map(|x| f64::from(self.0(alpha, *x as f32))).collect();
        call.write("y", &y);
        Ok(Ran::of(launch))
    }
}

fn main() {
    let file = std::env::temp_dir().join(format!("accelerator-{}.c", std::process::id()));
    let kernel = "/*--- ktwin\nop = 'scale'\nargs = ['x', 'y', { alpha = 'f32' }]\n---*/\ny = alpha * x\n";
    std::fs::write(&file, kernel).expect("a file in the temporary folder");
    ktwin::kernel(&file).device(Accelerator).quick().check();
}
