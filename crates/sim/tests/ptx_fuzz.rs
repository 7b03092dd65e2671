//! Damaged PTX is refused or runs within its budget: it never makes the parser, the lowering or the machine panic.
//! `KTWIN_FUZZ_SECONDS` says how long it goes on.

use std::time::{Duration, Instant};

use ktwin_sim::{Buffer, Launch, Limits, Module, Options, Param, RunError};

struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below.max(1)
    }
}

/// A text with a few tokens replaced by others of its own, lines dropped, doubled or swapped, or bytes changed.
fn damage(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..1 + random.next(4) {
        let at = random.next(lines.len());
        match random.next(5) {
            0 => {
                lines.remove(at);
            }
            1 => {
                let line = lines[random.next(lines.len())].clone();
                lines.insert(at, line);
            }
            2 => {
                let other = random.next(lines.len());
                lines.swap(at, other);
            }
            3 => {
                let from = lines[random.next(lines.len())].clone();
                let words: Vec<&str> = from.split_whitespace().collect();
                let mut mine: Vec<&str> = lines[at].split_whitespace().collect();
                if let (Some(word), false) = (words.get(random.next(words.len())), mine.is_empty()) {
                    let slot = random.next(mine.len());
                    mine[slot] = word;
                }
                lines[at] = mine.join(" ");
            }
            _ => {
                let mut bytes = lines[at].clone().into_bytes();
                if !bytes.is_empty() {
                    let slot = random.next(bytes.len());
                    bytes[slot] = b"0123456789%{}[]().,;:@!-+axf \t"[random.next(30)];
                }
                lines[at] = String::from_utf8_lossy(&bytes).into_owned();
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join("\n")
}

fn survives(ptx: &str) {
    let module = match Module::from_ptx(ptx) {
        Ok(module) => module,
        Err(error) => {
            assert!(!error.message.contains("cannot read this input"), "{error}\n{ptx}");
            return;
        }
    };
    let limits = Limits { registers: 1 << 12, ..Limits::default() };
    let options = Options { budget: 1 << 12, limits, threads: 1, ..Options::default() };
    for entry in module.entry_points() {
        let mut launch = Launch::new([2, 1, 1]).entry(&entry.name).block([64, 1, 1]);
        for (i, param) in entry.params.iter().enumerate() {
            let value = vec![3; param.size as usize];
            launch.buffers.push(Buffer::from_f32(0, i as u32, &[1.0; 64]));
            let value = Param::bytes(value);
            launch.params.push(if param.size == 8 { value.pointing(0, i as u32, 0) } else { value });
        }
        if let Err(error) = module.run(&mut launch, &options) {
            let text = error.to_string();
            let ours = matches!(error, RunError::Broken(_)) || text.contains("cannot read this input");
            assert!(!ours, "{text}\n{ptx}");
        }
    }
}

#[test]
fn damaged_kernels_do_no_harm() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ptx");
    let named = std::env::var("KTWIN_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let (started, time) = (Instant::now(), named.map_or(Duration::ZERO, Duration::from_secs));
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|e| e == "ptx"));
    let texts: Vec<String> = paths.iter().map(|p| std::fs::read_to_string(p).expect("the file")).collect();
    let mut seed = 1;
    while seed < 13 * texts.len() || started.elapsed() < time {
        survives(&damage(&texts[seed % texts.len()], &mut Random(seed as u64)));
        seed += 1;
    }
}

#[test]
fn odd_texts_are_refused() {
    let body =
        |text: &str| format!(".version 8.0 .target sm_80 .address_size 64 .visible .entry k() {{ {text} }}");
    let deep = "{".repeat(100_000);
    for text in ["", "\0", ".entry", ".visible .entry k(", "{", ".global .b8 x[99999999999];", &deep] {
        let _ = Module::from_ptx(text);
    }
    for text in [
        "bra nowhere;",
        "foo.bar;",
        "mov.u32 %r1, 1;",
        ".reg .b32 %r<999999999>;",
        ".reg .b32 %r<2>; add.s32 %r1, %r1;",
        ".reg .b32 %r<2>; ld.shared.u32 %r1, [%r1];",
        ".reg .pred %p<3>; .reg .b32 %r<2>; shl.b32 %p1, %r1, 1; @%p1 bra to; to: ret;",
        ".reg .b64 %p<2>; .reg .b32 %r<2>; @%p1 mov.u32 %r1, 1;",
        ".reg .b64 %p<2>; @%p1 bra to; to: ret;",
        "call f, ();",
        ".reg .b32 %r<2>; mov.u32 %r1, {%r1, %r1, %r1};",
        &format!("mov.u32 %r1, {}1;", "-".repeat(100_000)),
        &format!("mov.u32 %r1, {}", "{".repeat(100_000)),
    ] {
        assert!(Module::from_ptx(&body(text)).is_err(), "{}", &text[..text.len().min(60)]);
    }
}
