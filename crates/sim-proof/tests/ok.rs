//! Every correct shader on the simulator alone: the same result and no finding at any warp width and any
//! schedule, from WGSL and from SPIR-V, and nothing found where built-in functions round as badly as they
//! may.

use ktwin_sim::{Mode, Module, Options};
use ktwin_sim_proof::shader::Shader;
use ktwin_sim_proof::simulate::{self, Outcome};
use ktwin_sim_proof::{check, registry, shader};
use libtest_mimic::{Arguments, Failed, Trial};

const WIDTHS: [u32; 6] = [1, 4, 8, 16, 32, 64];
const SEEDS: [u64; 3] = [0, 1, 0x5eed];

fn main() {
    let shaders = shader::folder("ok").and_then(|f| Ok([f, registry::builtins()?].concat()));
    let shaders = shaders.unwrap_or_else(|e| panic!("{e}"));
    assert!(shaders.len() >= 150, "only {} shaders", shaders.len());
    let trials = shaders.into_iter().flat_map(|shader| {
        let [a, b, c] = [(); 3].map(|()| shader.clone());
        [
            Trial::test(format!("schedules::{}", shader.name), move || schedules(&a)),
            Trial::test(format!("spirv::{}", shader.name), move || spirv(&b)),
            Trial::test(format!("modes::{}", shader.name), move || modes(&c)),
        ]
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

// A wrong loop ends soon.
fn options(warp: u32, seed: u64) -> Options {
    Options { warp, seed, budget: 1 << 20, ..Options::default() }
}

fn clean(module: &Module, shader: &Shader, options: &Options) -> Result<Outcome, Failed> {
    let outcome = simulate::run(module, shader, options)?;
    match outcome.errors() {
        errors if errors.is_empty() => Ok(outcome),
        errors => Err(format!("warp {}, seed {}:{errors}", options.warp, options.seed).into()),
    }
}

fn same(shader: &Shader, got: &Outcome, want: &Outcome, how: &str) -> Result<(), Failed> {
    for (i, _) in shader.outputs() {
        if got.buffers[i] != want.buffers[i] {
            let place = got.buffers[i].iter().zip(&want.buffers[i]).position(|(a, b)| a != b);
            return Err(format!("{how}: binding {i} differs from byte {place:?}").into());
        }
    }
    Ok(())
}

fn schedules(shader: &Shader) -> Result<(), Failed> {
    let module = simulate::compile(shader)?;
    for width in WIDTHS {
        let first = clean(&module, shader, &options(width, 0))?;
        let widest = clean(&module, shader, &options(WIDTHS[0], 0))?;
        if !shader.header.subgroups {
            same(shader, &first, &widest, &format!("warp {width} against {}", WIDTHS[0]))?;
        }
        for seed in SEEDS {
            let other = clean(&module, shader, &options(width, seed))?;
            same(shader, &other, &first, &format!("warp {width}, seed {seed}"))?;
        }
        let unchecked = Options { checks: false, counts: false, notes: false, ..options(width, 0) };
        same(shader, &clean(&module, shader, &unchecked)?, &first, &format!("warp {width}, no checks"))?;
    }
    Ok(())
}

fn spirv(shader: &Shader) -> Result<(), Failed> {
    match (through_spirv(shader), &shader.header.no_spirv) {
        (Ok(()), Some(why)) => Err(format!("works by way of SPIR-V, although: {why}").into()),
        (Err(_), Some(_)) => Ok(()),
        (result, None) => result,
    }
}

fn through_spirv(shader: &Shader) -> Result<(), Failed> {
    let wgsl = clean(&simulate::compile(shader)?, shader, &options(32, 0))?;
    let module = simulate::compile_spirv(shader)?;
    // Its overrides are set already.
    let mut shader = shader.clone();
    shader.header.define.clear();
    let ours = clean(&module, &shader, &options(32, 0))?;
    same(&shader, &ours, &wgsl, "SPIR-V against WGSL")
}

// Where the header allows no difference, the modes make none.
fn modes(shader: &Shader) -> Result<(), Failed> {
    let module = simulate::compile(shader)?;
    let nearest = clean(&module, shader, &options(32, 0))?;
    for (mode, seed) in [(Mode::Worst, 1), (Mode::Worst, 2), (Mode::Range, 3)] {
        let options = Options { mode, ..options(32, seed) };
        let outcome = clean(&module, shader, &options)?;
        let same_again = clean(&module, shader, &options)?;
        same(shader, &same_again, &outcome, &format!("{mode:?}, run twice"))?;
        for (i, _) in shader.outputs() {
            check::compare(shader, i, &outcome.buffers[i], &nearest.buffers[i])
                .map_err(|e| format!("{mode:?}, seed {seed}: {e}"))?;
        }
    }
    Ok(())
}
