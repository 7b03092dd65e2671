//! Functions in Python as kernels: a script of ours calls them with tensors of PyTorch, on the processor, in a process
//! of the user's own Python and in the box of compilers.

use std::process::Command;
use std::sync::OnceLock;

use ktwin_check::{Build, Description, Device, Failure, Launch, Program, Ran, Source, SourceKind};

use crate::child::wire::{Kernel, Task};
use crate::child::{Boxed, Job};
use crate::compile::cache::Room;
use crate::compile::process::{self, Reach};
use crate::compile::python::{self, Package};
use crate::limits::Limits;
use crate::sandbox::{self, Who};

/// What calls a function, and what that sees of a card.
const SCRIPT: &str = concat!(include_str!("card.py"), include_str!("call.py"));

/// How to get PyTorch.
const GET: &str = "pip install torch (in a virtual environment that is active), or set KTWIN_PYTHON to a Python that \
                   has it";

/// The oldest version that has what the script calls.
const OLDEST: (u32, u32) = (1, 13);

/// Launches that are handed over together: loading PyTorch takes longer than most of them. Each buffer of each is open
/// at once.
const TOGETHER: usize = 128;

/// Python, with PyTorch.
pub struct Python {
    limits: Limits,
}

impl Python {
    /// The device, which is looked for when it is first asked for.
    pub fn new(limits: Limits) -> Python {
        Python { limits }
    }
}

/// PyTorch, looked for once a process.
fn found() -> Result<&'static Package, Failure> {
    static FOUND: OnceLock<Result<Package, Failure>> = OnceLock::new();
    let look = || {
        let python = python::python();
        let package = python::package(&python, "torch", "PyTorch");
        let package = package.and_then(|found| match python::is_at_least(&found.version, OLDEST) {
            true => Ok(found),
            false => Err(format!("PyTorch {} of {} is too old", found.version, python.display())),
        });
        package.map_err(|why| Failure::Absent { why, get: GET.into() })
    };
    FOUND.get_or_init(look).as_ref().map_err(Clone::clone)
}

impl Device for Python {
    fn name(&self) -> &str {
        "python"
    }

    fn about(&self) -> &str {
        "functions in Python that `ktwin judge` calls, with PyTorch on the processor"
    }

    fn probe(&self) -> Result<Description, Failure> {
        let torch = found()?;
        let (version, language, python) = (&torch.version, &torch.language, torch.python.display());
        let detail = format!("PyTorch {version} of Python {language}, {python}");
        Ok(Description { detail, features: Vec::new() })
    }

    fn accepts(&self, kind: SourceKind) -> bool {
        kind == SourceKind::Python
    }

    fn sandbox(&self) -> Option<String> {
        sandbox::seen(Who::Compiler).map(|standing| standing.to_string())
    }

    fn remembers(&self) -> bool {
        true
    }

    fn batch(&self) -> usize {
        TOGETHER
    }

    fn compile(&self, source: &Source, build: &Build) -> Result<Box<dyn Program>, Failure> {
        let (language, path, text) = (source.kind, source.path.clone(), source.text());
        let kernel = Kernel { language, path, text, bytes: Vec::new(), build: build.clone() };
        let function = Function { kernel, torch: found()?, limits: self.limits };
        function
            .with(|boxed| Job::Boxed(boxed, Task::Compile(function.kernel.clone())).compile(self.limits))??;
        Ok(Box::new(function))
    }
}

/// A function that can be imported.
struct Function {
    kernel: Kernel,
    torch: &'static Package,
    limits: Limits,
}

impl Function {
    /// Does something in a folder of its own, which is gone afterwards.
    fn with<T>(&self, run: impl FnOnce(&Boxed) -> T) -> Result<T, Failure> {
        let broken = |e: std::io::Error| Failure::Broken(format!("cannot call a function in Python: {e}"));
        let room = Room::new().map_err(broken)?;
        let mut command = Command::new(&self.torch.python);
        command.env("PYTHONDONTWRITEBYTECODE", "1").env("HOME", room.path());
        // there is no card, and what is compiled stays in the folder
        command.env("TRITON_INTERPRET", "1").env("TRITON_CACHE_DIR", room.path());
        command.env("TORCH_EXTENSIONS_DIR", room.path()).env("TORCHINDUCTOR_CACHE_DIR", room.path());
        let mut read = self.torch.folders.clone();
        read.push(room.path().to_path_buf());
        let reach = Reach { read: Vec::new(), write: Some(room.path().to_path_buf()) };
        let words = [&*self.torch.python.to_string_lossy(), "-B", "-c", SCRIPT].map(str::to_owned);
        let variables = process::variables(&command, &reach);
        let boxed = Boxed { words: words.into(), variables, read, room: room.path().to_path_buf() };
        Ok(run(&boxed))
    }
}

impl Program for Function {
    fn block(&self, _entry: &str) -> Option<[u32; 3]> {
        None
    }

    fn run(&self, launches: Vec<Launch>) -> Vec<Result<Ran, Failure>> {
        let job =
            |boxed: &Boxed| Job::Boxed(boxed, Task::Run(self.kernel.clone())).run(&launches, self.limits);
        self.with(job).unwrap_or_else(|failure| vec![Err(failure); launches.len()])
    }
}
