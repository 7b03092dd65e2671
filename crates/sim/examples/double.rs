//! Runs a shader on an array in ten lines: `cargo run -p ktwin-sim --example double`.

use ktwin_sim::{Buffer, Launch, Module, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let module = Module::from_wgsl(
        "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             if id.x < arrayLength(&x) { x[id.x] *= 2.0; }
         }",
    )?;
    let mut launch = Launch::new([1, 1, 1]).buffer(Buffer::from_f32(0, 0, &[1.0, 2.0, 3.0]));
    let run = module.run(&mut launch, &Options::default())?;
    println!("{:?}, {} findings", launch.buffers[0].to_f32(), run.findings.len());
    Ok(())
}
