//! Accesses out of bounds: the byte that a kernel means, and workgroups that make very many of them.

use ktwin_sim::{Buffer, Finding, FindingKind, Launch, Module, Options, Severity};

/// What is found where one workgroup of 64 lanes runs this, with `x` and `y` of 64 words.
fn found(code: &str) -> Vec<Finding> {
    let source = format!(
        "@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {{ {code} }}"
    );
    let module = Module::from_wgsl(&source).unwrap_or_else(|e| panic!("{}", e.rendered));
    let mut launch = Launch::new([1, 1, 1]).buffer(Buffer::from_u32(0, 0, &[0; 64])).buffer(Buffer::input(
        0,
        1,
        vec![0; 256],
    ));
    module.run(&mut launch, &Options::default()).unwrap_or_else(|e| panic!("{e}")).findings
}

fn message(code: &str) -> String {
    found(code).into_iter().next().map_or(String::new(), |found| found.message)
}

#[test]
fn the_byte_is_the_one_that_the_kernel_means() {
    // every lane for itself, all with one index, and past the last by less than the address tells
    let below = "reads past the end of `x`: byte 17179869180, and it has 256 bytes: its 32-bit index went below 0 and \
                 wrapped around";
    assert_eq!(message("y[i] = x[select(i, i - 64u, i == 63u)];"), below);
    assert_eq!(message("y[i] = x[u32(i32(x[0]) - 1)];"), below);
    assert_eq!(
        message("y[i] = x[i * 0x4000000u];"),
        "reads past the end of `x`: byte 268435456, and it has 256 bytes"
    );
    let far = "reads past the end of `x`: byte 1073741824, and it has 256 bytes";
    assert_eq!(message("y[i] = x[i * 0x10000000u];"), far);
    assert_eq!(message("y[i + 1u] = 1u;"), "writes past the end of `y`: byte 256, and it has 256 bytes");
}

#[test]
fn a_workgroup_ends_after_very_many_of_them() {
    let stopped = "; after so many of them the workgroup was stopped";
    for (code, verb, least, most) in [
        ("for (var k = 64u; k > 0u; k++) { y[k + i] = k; }", "writes", 16_000, 17_000),
        (
            "var s = 0u; for (var k = 64u; k > 0u; k++) { s += x[k + i]; } y[i] = s;",
            "reads",
            8_000_000,
            9_000_000,
        ),
    ] {
        let all = found(code);
        let [found] = &all[..] else { panic!("{all:?}") };
        assert_eq!((found.kind, found.severity), (FindingKind::OutOfBounds, Severity::Error));
        assert!(found.message.starts_with(verb) && found.message.ends_with(stopped), "{found}");
        assert!(found.stopped && (least..most).contains(&found.count), "{found}");
    }
    // fewer are told as before, and the kernel comes to its end
    let few = found("for (var k = 0u; k < 200u; k++) { y[64u + k] = k; } y[i] = 1u;");
    assert!(few.iter().all(|found| !found.stopped && !found.message.ends_with(stopped)), "{few:?}");
}
