//! A kernel that needs few steps is run past what plain loops allow, and one that needs many is not.

use std::sync::atomic::AtomicBool;

use ktwin_check::{Kernel, KernelReport, Options, Verdict, check};
use ktwin_devices::{Limits, find};

const OPS: &[(&str, &str)] = &[
    ("scan", include_str!("../../../ops/scan.op")),
    ("sort", include_str!("../../../ops/sort.op")),
    ("topk", include_str!("../../../ops/topk.op")),
];

/// A running sum by one workgroup, 64 elements at a time, as long as the condition holds.
const SCAN: &str = "/*--- ktwin
op   = 'scan'
args = ['x', 'y', { N = 'u32' }]
grid = 1
tile = { N = 64 }
---*/
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;
var<workgroup> part: array<f32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    var before = 0.0;
    for (var start = 0u; start < n && CONDITION; start += 64u) {
        let at = start + lane;
        part[lane] = 0.0;
        if at < n { part[lane] = x[at]; }
        workgroupBarrier();
        for (var step = 1u; step < 64u; step *= 2u) {
            var other = 0.0;
            if lane >= step { other = part[lane - step]; }
            workgroupBarrier();
            part[lane] += other;
            workgroupBarrier();
        }
        if at < n { y[at] = before + part[lane]; }
        before += part[63];
        workgroupBarrier();
    }
}
";

/// Each lane adds up all that is before its element.
const NAIVE: &str = "/*--- ktwin
op   = 'scan'
args = ['x', 'y', { N = 'u32' }]
grid = ['ceil(N / 64)']
dims = { N = '..=131500' }
tile = { N = 64 }
---*/
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> n: u32;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= n { return; }
    var sum = 0.0;
    for (var i = 0u; i <= id.x; i++) { sum += x[i]; }
    y[id.x] = sum;
}
";

/// Numbers dealt out by their bits, eight at a time, as a COUNT says where each of them goes.
const RADIX: &str = "/*--- ktwin
op   = 'sort'
args = ['x', 'y', { N = 'u32' }]
nan  = 'never'
---*/
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint32_t turned(uint32_t bits, uint32_t sign) { return bits ^ (sign ? 0x80000000u : 0xffffffffu); }

void sort(const float *x, float *y, uint32_t n)
{
    uint32_t *from = malloc(4 * (size_t)n), *to = malloc(4 * (size_t)n);
    memcpy(from, x, 4 * (size_t)n);
    for (uint32_t i = 0; i < n; i++)
        from[i] = turned(from[i], from[i] >> 31 == 0);
    for (int shift = 0; shift < 32; shift += 8) {
        COUNT first[257] = { 0 };
        for (uint32_t i = 0; i < n; i++)
            first[(from[i] >> shift & 255) + 1]++;
        for (int digit = 0; digit < 256; digit++)
            first[digit + 1] += first[digit];
        for (uint32_t i = 0; i < n; i++)
            to[first[from[i] >> shift & 255]++] = from[i];
        uint32_t *other = from;
        from = to;
        to = other;
    }
    for (uint32_t i = 0; i < n; i++)
        from[i] = turned(from[i], from[i] >> 31);
    memcpy(y, from, 4 * (size_t)n);
    free(from);
    free(to);
}
";

/// The largest of a row, found one after the other; which it was is kept in a PLACE.
const TOP: &str = "/*--- ktwin
op   = 'topk'
args = ['x', 'y', 'idx', { R = 'u32', D = 'u32', count = 'u32' }]
nan  = 'never'
---*/
#include <stdint.h>

struct sizes { uint32_t R, D, count; };

void topk(const float *x, float *y, uint32_t *idx, struct sizes s)
{
    for (uint32_t r = 0; r < s.R; r++, x += s.D)
        for (uint32_t k = 0; k < s.count; k++, y++, idx++) {
            int64_t best = -1;
            for (uint32_t d = 0; d < s.D; d++) {
                int taken = 0;
                for (uint32_t before = 1; before <= k; before++)
                    taken |= (idx - before)[0] == d;
                if (!taken && (best < 0 || x[d] > x[best]))
                    best = d;
            }
            *y = x[best];
            *idx = (PLACE)best;
        }
}
";

fn tested(text: &str) -> KernelReport {
    tested_on("sim", "kernel.wgsl", text)
}

fn tested_on(device: &str, file: &str, text: &str) -> KernelReport {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join(file);
    std::fs::write(&path, text).unwrap();
    let kernel = Kernel::load(&path, OPS).unwrap();
    let options = Options { seed: Some(1), ..Options::default() };
    check(&kernel, &*find(device, Limits::default()).unwrap(), &options, &|_| {}, &AtomicBool::new(false))
}

#[test]
fn what_is_quick_on_the_host_goes_past_sixteen_bits() {
    for (text, word, right, wrong) in
        [(RADIX, "COUNT", "uint32_t", "uint16_t"), (TOP, "PLACE", "uint32_t", "uint16_t")]
    {
        let honest = tested_on("native", "kernel.c", &text.replace(word, right));
        assert_eq!(honest.verdict, Verdict::Pass, "{honest:#?}");
        let wrong = tested_on("native", "kernel.c", &text.replace(word, wrong));
        assert_eq!(wrong.verdict, Verdict::Fail, "{wrong:#?}");
    }
}

#[test]
fn what_needs_few_steps_goes_past_seventeen_bits() {
    let honest = tested(&SCAN.replace("CONDITION", "true"));
    assert_eq!(honest.verdict, Verdict::Pass, "{honest:#?}");
    assert!(honest.gaps.iter().any(|gap| gap.contains("up to 262222")), "{:?}", honest.gaps);
    let wrong = tested(&SCAN.replace("CONDITION", "start < 131072u"));
    assert_eq!(wrong.verdict, Verdict::Fail, "{wrong:#?}");
}

#[test]
#[ignore = "long: run by .ci/run"]
fn what_needs_many_steps_does_not() {
    let naive = tested(NAIVE);
    assert_eq!(naive.verdict, Verdict::Pass, "{naive:#?}");
    assert!(naive.gaps.iter().any(|gap| gap.contains("up to 65873")), "{:?}", naive.gaps);
}
