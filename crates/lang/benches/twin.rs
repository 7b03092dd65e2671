//! The twin (value and error bar of every element) beside NumPy in float64 (value alone), on the same data,
//! in turn, in one
//! run. `cargo bench -p ktwin-lang --bench twin`; the Python with NumPy is $KTWIN_PYTHON, or python3.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use ktwin_lang::{Case, Elements, Meaning, Op, Progress, Promise, Value};
use ktwin_num::{DType, Fill, Float, Language, Regime, Tensor};

const TURNS: usize = 7;
/// The threads of NumPy's BLAS spin for a while once they are done, on the processors that the next turn needs.
const PAUSE: Duration = Duration::from_millis(200);

struct Bench {
    title: &'static str,
    op: &'static str,
    dims: &'static [(&'static str, i64)],
    scalars: &'static [(&'static str, Value)],
    /// The NumPy expression over the inputs' names; none where only the time counts.
    numpy: Option<&'static str>,
    /// The most that the ratio to NumPy, or the time in seconds, may be.
    limit: f64,
    elements: usize,
}

const BENCHES: &[Bench] = &[
    Bench {
        title: "gemm 1024^3",
        op: "gemm",
        dims: &[("M", 1024), ("N", 1024), ("K", 1024)],
        scalars: &[],
        numpy: Some("a @ b"),
        limit: 6.0,
        elements: 0,
    },
    Bench {
        title: "softmax 4096x4096",
        op: "softmax",
        dims: &[("R", 4096), ("D", 4096)],
        scalars: &[],
        numpy: Some("(lambda e: e / e.sum(-1, keepdims=True))(np.exp(x - x.max(-1, keepdims=True)))"),
        limit: 0.5,
        elements: 0,
    },
    Bench {
        title: "rmsnorm 4096x4096",
        op: "rmsnorm",
        dims: &[("R", 4096), ("D", 4096)],
        scalars: &[],
        numpy: Some("x / np.sqrt((x ** 2).mean(-1, keepdims=True) + 1e-5) * w"),
        limit: 0.5,
        elements: 0,
    },
    Bench {
        title: "attention H=8 S=T=1024 D=64",
        op: "attention",
        dims: &[("H", 8), ("G", 8), ("S", 1024), ("T", 1024), ("D", 64)],
        scalars: &[("scale", Value::Real(0.125)), ("causal", Value::Bool(false))],
        numpy: Some(
            "(lambda e: (e / e.sum(-1, keepdims=True)) @ v)\
             ((lambda z: np.exp(z - z.max(-1, keepdims=True)))(0.125 * (q @ k.transpose(0, 2, 1))))",
        ),
        limit: 3.0,
        elements: 0,
    },
    Bench {
        title: "gemm 4096x4096x14336, 65536 elements",
        op: "gemm",
        dims: &[("M", 4096), ("N", 4096), ("K", 14336)],
        scalars: &[],
        numpy: None,
        limit: 4.0,
        elements: 65536,
    },
];

const NUMPY: &str = "
import sys, time, numpy as np
names, shapes, expression = eval(sys.argv[1]), eval(sys.argv[2]), sys.argv[3]
for name, shape in zip(names, shapes):
    globals()[name] = np.fromfile(sys.argv[4] + '/' + name + '.bin').reshape(shape)
run = eval('lambda: ' + expression)
for line in sys.stdin:
    start, cpu = time.perf_counter(), time.process_time()
    out = run()
    print(time.perf_counter() - start, time.process_time() - cpu, flush=True)
    del out
";

/// NumPy in a process of its own, which runs once for each line it is sent.
struct Numpy {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Numpy {
    fn start(case: &Case, expression: &str, folder: &std::path::Path) -> std::io::Result<Numpy> {
        let python = std::env::var("KTWIN_PYTHON").unwrap_or_else(|_| "python3".into());
        let names: Vec<&str> = case.op.inputs.iter().map(|t| t.name.as_str()).collect();
        let mut child = Command::new(python)
            .args(["-c", NUMPY, &format!("{names:?}"), &format!("{:?}", case.input_shapes), expression])
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (to, from) = (child.stdin.take(), child.stdout.take());
        match (to, from) {
            (Some(to), Some(from)) => Ok(Numpy { child, to, from: BufReader::new(from) }),
            _ => Err(std::io::Error::other("no pipe to Python")),
        }
    }

    /// Seconds of the wall's clock, and of all processors.
    fn run(&mut self) -> std::io::Result<(f64, f64)> {
        self.to.write_all(b"go\n")?;
        let mut line = String::new();
        self.from.read_line(&mut line)?;
        let mut times = line.split_whitespace().map(str::parse);
        match (times.next(), times.next()) {
            (Some(Ok(wall)), Some(Ok(cpu))) => Ok((wall, cpu)),
            _ => Err(std::io::Error::other("Python gave no time: is NumPy there?")),
        }
    }
}

fn inputs(case: &Case, dtype: DType) -> Vec<Tensor> {
    let fill = |(at, shape): (usize, &Vec<usize>)| {
        let fill = Fill { stream: at as u64, ..Fill::new(Regime::Normal, 1) };
        ktwin_num::fill(&fill, dtype, shape)
    };
    case.input_shapes.iter().enumerate().map(fill).collect()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Seconds that all processors spent on this process so far.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or("").split_whitespace();
    fields.skip(11).take(2).filter_map(|t| t.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn peak_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or("0");
    line.trim().trim_end_matches(" kB").trim().parse::<f64>().unwrap_or(0.0) / 1024.0
}

fn run(bench: &Bench) -> Result<(), Box<dyn std::error::Error>> {
    let path = format!("{}/../../ops/{}.op", env!("CARGO_MANIFEST_DIR"), bench.op);
    let op = Op::parse(&path, &std::fs::read_to_string(&path)?)?;
    let case = op.bind(bench.dims, bench.scalars)?;
    let storage = if bench.numpy.is_some() { Float::F64 } else { Float::F32 };
    let inputs = inputs(&case, DType::Float(storage));
    let mut promise = Promise::new(&op, Language::Wgsl, Float::F32, Float::F32);
    promise.structured = false;
    // the data are what an f32 kernel would read: no rounding on reading
    promise.inputs = vec![Some(Float::F32); inputs.len()];
    let meaning = Meaning::Bars(promise);
    let size: usize = case.output_shapes[0].iter().product();
    let places: Vec<usize> =
        (0..bench.elements).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) % size).collect();
    let of = if places.is_empty() { Elements::All } else { Elements::Of(0, &places) };
    let held = RefCell::new(Vec::new());
    let twin = || -> Result<f64, ktwin_lang::EvalError> {
        let over = held.take();
        let start = Instant::now();
        let out = case.evaluate_over(&inputs, &meaning, of, &Progress::default(), over)?;
        let time = start.elapsed().as_secs_f64();
        held.replace(out);
        Ok(time)
    };
    let before = peak_mib();
    twin()?;
    let memory = peak_mib() - before;
    let Some(expression) = bench.numpy else {
        let time = median((0..3).map(|_| twin()).collect::<Result<_, _>>()?);
        println!("{:<38} twin {:7.3} s   limit {} s   peak +{memory:.0} MiB", bench.title, time, bench.limit);
        return Ok(());
    };
    side_by_side(bench, &case, &inputs, expression, memory, &twin)
}

/// Runs NumPy and the twin in turn and prints the ratio of their medians.
fn side_by_side(
    bench: &Bench,
    case: &Case,
    inputs: &[Tensor],
    expression: &str,
    memory: f64,
    twin: &dyn Fn() -> Result<f64, ktwin_lang::EvalError>,
) -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("ktwin-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    for (tensor, info) in inputs.iter().zip(&case.op.inputs) {
        std::fs::write(folder.join(format!("{}.bin", info.name)), &*tensor.bytes)?;
    }
    let mut numpy = Numpy::start(case, expression, &folder)?;
    numpy.run()?;
    let (mut ours, mut theirs, mut their_cpu) = (Vec::new(), Vec::new(), 0.0);
    let mut our_cpu = 0.0;
    for _ in 0..TURNS {
        std::thread::sleep(PAUSE);
        let (wall, cpu) = numpy.run()?;
        std::thread::sleep(PAUSE);
        theirs.push(wall);
        their_cpu += cpu / TURNS as f64;
        let before = cpu_seconds();
        ours.push(twin()?);
        our_cpu += (cpu_seconds() - before) / TURNS as f64;
    }
    numpy.child.kill()?;
    std::fs::remove_dir_all(&folder)?;
    let (ours, theirs) = (median(ours), median(theirs));
    let size: usize = case.output_shapes[0].iter().product();
    let outputs = size as f64 * 16.0 / 1048576.0;
    println!(
        "{:<38} twin {:7.3} s   numpy {:7.3} s   ratio {:5.2}   limit {:4}   \
         processor {:.3} s and {:.3} s   peak +{:.0} MiB (outputs {:.0})",
        bench.title,
        ours,
        theirs,
        ours / theirs,
        bench.limit,
        our_cpu,
        their_cpu,
        memory,
        outputs
    );
    Ok(())
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    for bench in BENCHES {
        if !wanted.is_empty() && !wanted.iter().any(|w| bench.title.contains(w.as_str())) {
            continue;
        }
        if let Err(error) = run(bench) {
            eprintln!("{}: {error}", bench.title);
            std::process::exit(1);
        }
    }
}
