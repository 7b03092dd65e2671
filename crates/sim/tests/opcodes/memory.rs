//! Programs for memory, control flow and what belongs to both.

use super::{frame, plain, reg};
use crate::second::alu::bits;

/// Shared memory, local memory and constants of the programs.
const VARIABLES: &str = ".const .align 16 .b8 c[16] = {1, 2, 3, 250, 5, 6, 7, 8, 9, 10, 11, 240, 13, 14, 15, 16};\n\
                         .shared .align 16 .b8 s[8192];";

/// `%d12`: 16 bytes of shared memory of the thread's own; `%d13`: those of its neighbour.
const PLACES: &str = "mov.u64 %d10, s;\nmul.wide.u32 %d11, %r30, 16;\nadd.s64 %d12, %d10, %d11;\n\
                      xor.b32 %r31, %r30, 1;\nmul.wide.u32 %d14, %r31, 16;\nadd.s64 %d13, %d10, %d14;\n";

const FILL: &str = "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d20];\nst.shared.v4.u32 [%d12], {%r0, %r1, %r2, %r3};\n\
                    bar.sync 0;\n";

pub fn program(op: &[&str]) -> String {
    let form = op.join(".");
    let body = match op[0] {
        "ld" => load(op),
        "st" => store(op),
        "atom" => atom(op),
        "cvta" if op.contains(&"to") => {
            format!("{form} %d1, %d20;\nld.global.u32 %r7, [%d1+8];\nst.global.u32 [%d21], %r7;")
        }
        "cvta" => {
            format!("{PLACES}{FILL}{form} %d1, %d13;\nld.u32 %r7, [%d1+4];\nst.global.u32 [%d21], %r7;")
        }
        "cp" => {
            let one = if op.contains(&"shared") { form } else { "cp.async.cg.shared.global".to_owned() };
            format!(
                "{PLACES}{one} [%d12], [%d20], 16;\ncp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n\
                 ld.shared.v4.u32 {{%r0, %r1, %r2, %r3}}, [%d13];\nst.global.v4.u32 [%d21], {{%r0, %r1, %r2, %r3}};"
            )
        }
        "ldmatrix" => {
            let regs = if op.contains(&"x4") { "%r4, %r5, %r6, %r7" } else { "%r4, %r5" };
            let zero = "mov.u32 %r6, 0;\nmov.u32 %r7, 0;\n";
            let one = format!("{form} {{{regs}}}, [%d12];\n");
            format!("{PLACES}{FILL}{zero}{one}st.global.v4.u32 [%d21], {{%r4, %r5, %r6, %r7}};")
        }
        // both of its forms at once: a phase ends when all threads have come
        _ => "mov.u64 %d10, s;\nsetp.ne.s32 %p1, %r30, 0;\n@%p1 bra A;\n\
             mbarrier.init.shared::cta.b64 [%d10], 512;\nA:\nbar.sync 0;\n\
             mbarrier.arrive.shared::cta.b64 %d1, [%d10];\nB:\n\
             mbarrier.try_wait.parity.shared::cta.b64 %p2, [%d10], 0;\n@!%p2 bra B;\n\
             st.global.u32 [%d21], %r30;"
            .to_owned(),
    };
    frame(VARIABLES, &body)
}

/// How many elements.
fn count(op: &[&str]) -> usize {
    if op.contains(&"v4") { 4 } else { 1 + usize::from(op.contains(&"v2")) }
}

fn registers(ty: &str, first: usize, count: usize) -> String {
    let all: Vec<String> = (first..first + count).map(|i| reg(ty, i)).collect();
    if count == 1 { all[0].clone() } else { format!("{{{}}}", all.join(", ")) }
}

fn load(op: &[&str]) -> String {
    let (form, ty, n) = (op.join("."), op[op.len() - 1], count(op));
    let to = registers(ty, 3, n);
    let has = |space: &str| op.contains(&space);
    let (before, from) = if has("param") {
        (String::new(), "[n]")
    } else if has("shared") {
        (format!("{PLACES}{FILL}"), "[%d13]")
    } else if has("local") {
        (local_fill(), "[l]")
    } else if has("const") {
        (String::new(), "[c+8]")
    } else {
        (String::new(), "[%d20]")
    };
    let vector = if n == 1 { String::new() } else { format!("v{n}.") };
    format!("{before}{form} {to}, {from};\nst.global.{vector}{} [%d21], {to};", plain(ty))
}

fn local_fill() -> String {
    ".local .align 16 .b8 l[16];\nld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d20];\n\
     st.local.v4.u32 [l], {%r0, %r1, %r2, %r3};\n"
        .to_owned()
}

fn store(op: &[&str]) -> String {
    let (form, ty, n) = (op.join("."), op[op.len() - 1], count(op));
    let values = registers(ty, 3, n);
    let vector = if n == 1 { String::new() } else { format!("v{n}.") };
    let read = format!("ld.global.{vector}{} {values}, [%d20];\n", plain(ty));
    let zero = "mov.u32 %r9, 0;\n";
    let clear = |space: &str, at: &str| format!("st.{space}.v4.u32 [{at}], {{%r9, %r9, %r9, %r9}};\n");
    let back = |space: &str, at: &str| {
        format!(
            "ld.{space}.v4.u32 {{%r10, %r11, %r12, %r13}}, [{at}];\n\
             st.global.v4.u32 [%d21], {{%r10, %r11, %r12, %r13}};"
        )
    };
    let at = if bits(ty) < 32 { 4 } else { 0 };
    if op.contains(&"shared") {
        let body = format!("{PLACES}{read}{zero}{}{form} [%d12+{at}], {values};\n", clear("shared", "%d12"));
        body + &back("shared", "%d12")
    } else if op.contains(&"local") {
        let body = format!("{}{read}{zero}{}{form} [l+{at}], {values};\n", local_fill(), clear("local", "l"));
        body + &back("local", "l")
    } else {
        format!("{read}{form} [%d21+{at}], {values};")
    }
}

fn atom(op: &[&str]) -> String {
    let (form, ty) = (op.join("."), op[op.len() - 1]);
    let (value, dst) = (reg(ty, 0), reg(ty, 7));
    let read = match ty {
        "f32" => "ld.global.u8 %h0, [%d20];\ncvt.rn.f32.u16 %f0, %h0;\n".to_owned(),
        _ => format!("ld.global.{} {value}, [%d20];\nld.global.{} %r1, [%d20+8];\n", plain(ty), plain(ty)),
    };
    let more = if op.contains(&"cas") { ", %r1" } else { "" };
    let (place, clear) = match op[1] {
        "shared" => ("s", "mov.u32 %r9, 0;\nst.shared.u32 [s], %r9;\nbar.sync 0;\n"),
        _ => ("%d23", ""),
    };
    let clear = clear.replace("st.shared", "setp.eq.s32 %p1, %r30, 0;\n@%p1 st.shared");
    format!("{read}{clear}{form} {dst}, [{place}], {value}{more};\nst.global.{} [%d21], {dst};", plain(ty))
}

/// Branches, barriers and fences.
pub fn flow() -> String {
    let body = format!(
        "{PLACES}setp.lt.u32 %p1, %r30, 17;\n@%p1 bra A;\nmov.u32 %r1, 5;\nbra.uni B;\nA:\nmov.u32 %r1, 9;\nB:\n\
         st.shared.u32 [%d12], %r1;\nmembar.gl;\nbarrier.sync 0;\nld.shared.u32 %r2, [%d13];\nbar.sync 0;\n\
         mad.lo.s32 %r3, %r2, 100, %r30;\nst.shared.u32 [%d12], %r3;\nbar.warp.sync 0xffffffff;\n\
         ld.shared.u32 %r4, [%d13];\nst.global.v2.u32 [%d21], {{%r3, %r4}};\nsetp.gt.u32 %p2, %r30, 99;\n\
         @%p2 ret;\nst.global.u32 [%d21+8], %r4;"
    );
    frame(VARIABLES, &body)
}
