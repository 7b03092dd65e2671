//! GLSL through the trait: push constants, specialisation constants and macros, on the simulated GPU and on a driver,
//! and what each mistake is called.

mod common;

use common::{build, device, f32_word, launch, source, u32_word, y_of};
use ktwin_check::{Argument, Build, Constant, Device, Failure, Launch, Number, Program, Ran, SourceKind};
use ktwin_devices::Limits;

const TEXT: &str = "#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint LANES = 4;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint n; float add; } p;
void main() {
    const uint i = gl_LocalInvocationID.x;
    if (i < p.n && i < LANES) { y[i] = FACTOR * x[i] + p.add; }
}";

/// Whether there is a compiler; where not, the test is left out aloud, unless `KTWIN_REQUIRE` names it.
fn compiler() -> bool {
    let found = ktwin_devices::compiler("glsl");
    let required = std::env::var("KTWIN_REQUIRE").unwrap_or_default();
    if let Err(missing) = &found {
        assert!(!required.split(',').any(|d| d == "glsl"), "{missing}");
        eprintln!("left out: {missing}");
    }
    found.is_ok()
}

/// A launch whose scalars are push constants.
fn pushed(x: &[f32]) -> Launch {
    let mut launch = launch(x, 0.5);
    launch.steps[0].args = vec![Argument::Buffer(0), Argument::Buffer(1)];
    launch.steps[0].push = vec![u32_word("n", x.len() as u32), f32_word("add", 0.5)];
    launch
}

fn with(text: &str, launch: &Launch, defines: &[(&str, i64)]) -> Result<Box<dyn Program>, Failure> {
    let sim = device("sim", Limits::default());
    sim.compile(&source(SourceKind::Glsl, text), &build(launch, defines))
}

fn ran(device: &dyn Device, launch: &Launch, build: &Build) -> Result<Ran, Failure> {
    let program = device.compile(&source(SourceKind::Glsl, TEXT), build)?;
    assert_eq!(program.block(""), Some([8, 1, 1]));
    program.run(vec![launch.clone()]).pop().unwrap_or(Err(Failure::Mismatch("no result".into())))
}

#[test]
fn constants_macros_and_push_constants_arrive() {
    if !compiler() {
        return;
    }
    let launch = pushed(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let mut build = build(&launch, &[("LANES", 8)]);
    build.defines.push(("FACTOR".into(), Constant::Number(Number::Real(2.0))));
    for name in ["sim", "vulkan"] {
        let Ok(entry) = ktwin_devices::find(name, Limits::default()) else { continue };
        if let Err(missing) = entry.probe() {
            eprintln!("left out: {missing}");
            continue;
        }
        let ran = ran(&*entry, &launch, &build).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(y_of(&launch, &ran), [2.5, 4.5, 6.5, 8.5, 10.5, 12.5], "{name}");
        assert_eq!(ran.findings, [], "{name}");
    }
}

#[test]
fn constants_are_set_by_the_names_that_the_text_gives_them() {
    if !compiler() {
        return;
    }
    // the compiler calls it `step`
    let text = TEXT.replace("const uint LANES = 4;", "const uint LANES = 4;\nconst uint step = LANES;");
    let text = text.replace("FACTOR * x[i]", "float(step) * x[i]");
    let launch = pushed(&[1.0, 2.0]);
    let ran =
        with(&text, &launch, &[("LANES", 8)]).map(|program| program.run(vec![launch.clone()]).remove(0));
    let ran = ran.and_then(|ran| ran).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(y_of(&launch, &ran), [8.5, 16.5]);
}

#[test]
fn mistakes_have_their_names() {
    if !compiler() {
        return;
    }
    let launch = pushed(&[1.0]);
    let refused = |text: &str, defines: &[(&str, i64)]| with(text, &launch, defines).err();
    // without a version, it is 450, and lines stay where they are
    let bare = TEXT.replace("#version 450", "");
    assert_eq!(refused(&bare, &[("FACTOR", 1)]).map(|e| e.to_string()), None);
    let Some(Failure::Compile { line, .. }) = refused(&bare, &[]) else { panic!("it does not compile") };
    assert_eq!(line, Some(9));
    // FACTOR is not a macro of this build
    let Some(Failure::Compile { message, line }) = refused(TEXT, &[]) else { panic!("it does not compile") };
    assert!(line == Some(9) && message.contains("FACTOR"), "{message}");
    let number = refused(TEXT, &[("FACTOR", 1), ("5", 1)]);
    assert!(matches!(&number, Some(Failure::Mismatch(text)) if text.contains("`5`")), "{number:?}");
    let image = "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0, r32f) uniform image2D img;\n\
                 void main() { imageStore(img, ivec2(0), vec4(1)); }";
    let image = refused(image, &[]);
    assert!(matches!(&image, Some(Failure::Unsupported(text)) if text.contains("img")), "{image:?}");
    // what is pushed is too short
    let mut short = pushed(&[1.0]);
    short.steps[0].push.pop();
    let program = with(TEXT, &short, &[("FACTOR", 1)]).unwrap_or_else(|e| panic!("{e}"));
    let ran = program.run(vec![short]).pop();
    assert!(matches!(&ran, Some(Err(Failure::Mismatch(text))) if text.contains("push constants")), "{ran:?}");
}
