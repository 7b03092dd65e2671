//! A device of one's own: an accelerator whose compiler knows kernels of one line.
use ktwin::device::{
    Argument, Build, Description, Device, Failure, Launch, Program, Ran, Source, SourceKind,
};

pub struct Accelerator;

struct Loaded(fn(f32, f32) -> f32);

impl Device for Accelerator {
    fn name(&self) -> &str {
        "accelerator"
    }
    fn probe(&self) -> Result<Description, Failure> {
        Ok(Description { detail: "a model of one, in this process".into(), features: Vec::new() })
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
    fn block(&self, _entry: &str) -> Option<[u32; 3]> {
        None
    }
    fn run(&self, launches: Vec<Launch>) -> Vec<Result<Ran, Failure>> {
        launches.into_iter().map(|launch| self.one(launch)).collect()
    }
}

impl Loaded {
    fn one(&self, mut launch: Launch) -> Result<Ran, Failure> {
        let [Argument::Buffer(x), Argument::Buffer(y), Argument::Words(words)] = &launch.steps[0].args[..]
        else {
            return Err(Failure::Mismatch("kernels here take x, y and alpha".into()));
        };
        let float = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let alpha = float(&words[0].bytes);
        let (from, to) = (launch.buffers[*x].body.clone(), launch.buffers[*y].body.clone());
        let numbers = launch.buffers[*x].bytes[from].chunks_exact(4);
        let made: Vec<u8> = numbers.flat_map(|x| self.0(alpha, float(x)).to_le_bytes()).collect();
        launch.buffers[*y].bytes[to].copy_from_slice(&made);
        let buffers = launch.buffers.into_iter().map(|buffer| buffer.bytes).collect();
        Ok(Ran { buffers, ..Ran::default() })
    }
}

fn main() {
    let file = std::env::temp_dir().join(format!("accelerator-{}.c", std::process::id()));
    let contract = "/*--- ktwin\nop = 'scale'\nargs = ['x', 'y', { alpha = 'f32' }]\n---*/\n";
    std::fs::write(&file, format!("{contract}y = alpha * x\n")).expect("a file in the temporary folder");
    ktwin::kernel(&file).device(Accelerator).quick().check();
}
