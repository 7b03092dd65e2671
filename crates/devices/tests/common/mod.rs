//! What the tests of devices share: sources, buffers between canaries, launches.
#![allow(dead_code, reason = "each test file uses a part")]

use ktwin_check::{
    Access, Argument, Buffer, Build, Constant, Device, Failure, Launch, Number, Program, Ran, Source,
    SourceKind, Step, Word,
};
use ktwin_devices::{Limits, find};
use ktwin_num::DType;
use std::sync::Arc;
use std::time::Duration;

pub const CANARY: u8 = 0xa5;

pub fn source(kind: SourceKind, text: &str) -> Source {
    Source { kind, path: "folder/kernel.x".into(), bytes: text.as_bytes().to_vec() }
}

pub fn buffer(name: &str, values: &[f32], access: Access) -> Buffer {
    let body: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let mut bytes = vec![CANARY; 256];
    bytes.extend(&body);
    bytes.extend([CANARY; 256]);
    Buffer { name: name.into(), dtype: DType::F32, bytes, body: 256..256 + body.len(), access }
}

pub fn u32_word(name: &str, value: u32) -> Word {
    Word { name: name.into(), dtype: DType::U32, bytes: value.to_le_bytes().to_vec(), buffer: None }
}

pub fn f32_word(name: &str, value: f32) -> Word {
    Word { name: name.into(), dtype: DType::F32, bytes: value.to_le_bytes().to_vec(), buffer: None }
}

/// x, y and { n, add }, one workgroup: what most kernels here take.
pub fn launch(x: &[f32], add: f32) -> Launch {
    let words = vec![u32_word("n", x.len() as u32), f32_word("add", add)];
    Launch {
        buffers: vec![buffer("x", x, Access::Read), buffer("y", &vec![-1.0; x.len()], Access::Write)],
        steps: vec![Step {
            grid: [1, 1, 1],
            args: vec![Argument::Buffer(0), Argument::Buffer(1), Argument::Words(words)],
            ..Step::default()
        }],
        schedule: 0,
        run: 0,
        points: 0,
    }
}

pub fn build(launch: &Launch, defines: &[(&str, i64)]) -> Build {
    Build {
        defines: defines
            .iter()
            .map(|(name, v)| ((*name).into(), Constant::Number(Number::Int(*v))))
            .collect(),
        entries: launch.steps.iter().map(|s| (s.entry.clone(), s.args.clone())).collect(),
        buffers: launch.buffers.iter().map(|b| b.dtype.name().to_owned()).collect(),
        ..Build::default()
    }
}

pub fn device(name: &str, limits: Limits) -> Arc<dyn Device> {
    find(name, limits).unwrap_or_else(|e| panic!("{e}"))
}

/// Two seconds and 200 MiB.
pub fn tight() -> Limits {
    Limits { time: Duration::from_secs(2), memory: 200 << 20, ..Limits::default() }
}

/// The y of a launch, after a look at the canaries.
pub fn y_of(launch: &Launch, ran: &Ran) -> Vec<f32> {
    for (buffer, now) in launch.buffers.iter().zip(&ran.buffers) {
        assert_eq!(now.len(), buffer.bytes.len());
        assert!(now[..256].iter().chain(&now[now.len() - 256..]).all(|b| *b == CANARY), "a canary died");
    }
    let body = ran.buffers[1][launch.buffers[1].body.clone()].chunks_exact(4);
    body.map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

pub fn compiled(
    device: &dyn Device,
    kind: SourceKind,
    text: &str,
    launch: &Launch,
) -> Result<Box<dyn Program>, Failure> {
    device.compile(&source(kind, text), &build(launch, &[]))
}

/// Compiles and runs one launch.
pub fn run_one(device: &dyn Device, kind: SourceKind, text: &str, launch: &Launch) -> Result<Ran, Failure> {
    let program = compiled(device, kind, text, launch)?;
    program.run(vec![launch.clone()]).pop().unwrap_or(Err(Failure::Mismatch("no result".into())))
}
