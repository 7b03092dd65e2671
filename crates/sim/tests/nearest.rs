//! The mode `nearest` against another source: correctly rounded values that scripts/nearest.py made at 60 digits.

use std::collections::BTreeMap;

use ktwin_sim::{Buffer, Launch, Module, Options};

/// Arguments and result of one call, as bits.
type Call = Vec<u32>;

fn calls() -> BTreeMap<&'static str, Vec<Call>> {
    let mut out: BTreeMap<&str, Vec<Call>> = BTreeMap::new();
    for line in include_str!("nearest.txt").lines().filter(|l| !l.starts_with('#')) {
        let mut words = line.split(' ');
        let name = words.next().unwrap();
        out.entry(name).or_default().push(words.map(|w| u32::from_str_radix(w, 16).unwrap()).collect());
    }
    out
}

/// What the machine returns for all calls of a function.
fn results(name: &str, calls: &[Call]) -> Vec<u32> {
    let arguments = if calls[0].len() == 2 { "a[id.x]" } else { "a[id.x], b[id.x]" };
    let text = format!(
        "@group(0) @binding(0) var<storage> a: array<f32>;
         @group(0) @binding(1) var<storage> b: array<f32>;
         @group(0) @binding(2) var<storage, read_write> y: array<f32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
             let keep = arrayLength(&b);
             if id.x < arrayLength(&a) {{ y[id.x] = {name}({arguments}); }}
         }}"
    );
    let column = |at: usize| -> Vec<f32> { calls.iter().map(|c| f32::from_bits(c[at])).collect() };
    let module = Module::from_wgsl(&text).unwrap();
    let mut launch = Launch::new([calls.len().div_ceil(64) as u32, 1, 1])
        .buffer(Buffer::from_f32(0, 0, &column(0)))
        .buffer(Buffer::from_f32(0, 1, &column(calls[0].len() - 2)))
        .buffer(Buffer::from_f32(0, 2, &vec![0.0; calls.len()]));
    module.run(&mut launch, &Options::default()).unwrap();
    launch.buffers[2].to_f32().iter().map(|v| v.to_bits()).collect()
}

#[test]
fn functions_are_correctly_rounded() {
    let all = calls();
    assert_eq!(all.len(), 20);
    let mut wrong = Vec::new();
    for (name, calls) in &all {
        assert!(calls.len() > 60, "{name}: {} calls", calls.len());
        for (call, got) in calls.iter().zip(results(name, calls)) {
            let (arguments, due) = call.split_at(call.len() - 1);
            if got != due[0] {
                wrong.push(format!("{name} {arguments:08x?}: {:08x} is due, got {got:08x}", due[0]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
