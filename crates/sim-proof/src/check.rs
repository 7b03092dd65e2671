//! Whether two results agree as exactly as a header says. Plain data in, one line of text out.

use crate::header::{Check, Type};
use crate::shader::Shader;
use ktwin_num::{Float, Function, Language, accuracy};

/// Compares a buffer's contents element by element with what is wanted (for tables: the correctly rounded
/// results); says where it is worst. `args` holds the contents of all buffers before the launch.
pub fn compare(shader: &Shader, at: usize, got: &[u8], want: &[u8]) -> Result<(), String> {
    let buffer = &shader.header.buffers[at];
    let Some(check) = &buffer.check else {
        return Ok(());
    };
    if got.len() != want.len() || got.is_empty() {
        return Err(format!("{} bytes against {}", got.len(), want.len()));
    }
    let size = buffer.ty.size();
    let bounds = match check {
        Check::Table(function) => table(shader, at, function, want)?,
        _ => Vec::new(),
    };
    let close = |i: usize| {
        let (a, b) = (bits(got, i, size), bits(want, i, size));
        agree(buffer.ty, check, bounds.get(i).copied(), a, b)
    };
    let wrong: Vec<usize> = (0..got.len() / size).filter(|&i| !close(i)).collect();
    let Some(&first) = wrong.first() else {
        return Ok(());
    };
    let shown = |bytes| show(buffer.ty, bits(bytes, first, size));
    let (got_text, want_text) = (shown(got), shown(want));
    let (n, of) = (wrong.len(), got.len() / size);
    Err(format!(
        "binding {at}: {n} of {of} differ ({check:?}); the first at {first}: {got_text} against {want_text}"
    ))
}

// What the accuracy table allows each element: a function of the element's own arguments.
fn table(shader: &Shader, at: usize, function: &str, want: &[u8]) -> Result<Vec<f64>, String> {
    let function =
        Function::parse(function).ok_or_else(|| format!("no function `{function}` in the tables"))?;
    let numbers = |i: usize, bytes: &[u8]| -> Vec<f64> {
        let ty = shader.header.buffers[i].ty;
        let format = ty.float().unwrap_or(Float::F64);
        (0..bytes.len() / ty.size()).map(|e| format.decode(bits(bytes, e, ty.size()))).collect()
    };
    let format = shader.header.buffers[at].ty.float().ok_or("tables are for floats")?;
    let allowed = accuracy(Language::Wgsl, function, format);
    let inputs = shader.inputs();
    let x = numbers(0, &inputs[0].bytes);
    let y = if at > 1 { numbers(1, &inputs[1].bytes) } else { vec![0.0; x.len()] };
    let results = numbers(at, want);
    // The results of a component lie one vector apart from each other.
    let each = results.len() / x.len();
    let arg = |e: usize| e / (4 * each) * 4 + e % 4;
    let bound = |(e, result): (usize, &f64)| {
        let error = allowed.error(format, x[arg(e)], y[arg(e)], *result);
        error + format.half_ulp(*result)
    };
    Ok(results.iter().enumerate().map(bound).collect())
}
fn bits(bytes: &[u8], i: usize, size: usize) -> u64 {
    let mut word = [0; 8];
    word[..size].copy_from_slice(&bytes[i * size..(i + 1) * size]);
    u64::from_le_bytes(word)
}

fn agree(ty: Type, check: &Check, bound: Option<f64>, a: u64, b: u64) -> bool {
    let Some(format) = ty.float() else {
        return a == b;
    };
    let (x, y) = (format.decode(a), format.decode(b));
    if a == b || (x.is_nan() && y.is_nan()) {
        return true;
    }
    if !(x.is_finite() && y.is_finite()) {
        return false;
    }
    match check {
        Check::Bits => false,
        Check::Flush => flushed(format, x) == flushed(format, y),
        Check::Ulp(n) => (x - y).abs() <= n * format.ulp(x).max(format.ulp(y)) || tiny(format, x, y),
        Check::Table(_) => bound.is_some_and(|bound| (x - y).abs() <= bound) || tiny(format, x, y),
        Check::Near { rel, abs } => (x - y).abs() <= abs.max(*rel * x.abs().max(y.abs())),
    }
}

// What the language lets an implementation make of a subnormal.
fn flushed(format: Float, x: f64) -> f64 {
    if x.abs() < format.min_normal() { 0.0 } else { x }
}

fn tiny(format: Float, x: f64, y: f64) -> bool {
    flushed(format, x) == 0.0 && flushed(format, y) == 0.0
}

fn show(ty: Type, bits: u64) -> String {
    match ty.float() {
        Some(format) => format!("{:e} ({bits:#x})", format.decode(bits)),
        None => format!("{} ({bits:#x})", bits as i64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn shader(check: &str) -> Shader {
        let buffers =
            format!("[{{ type = \"f32\", values = [2] }}, {{ type = \"f32\", len = 1, check = {check} }}]");
        let source = format!("/*--- sim\nabout = \"\"\ngrid = [1, 1, 1]\nbuffers = {buffers}\n---*/\n");
        Shader::new("test", source).unwrap()
    }

    fn agrees(check: &str, a: f32, b: f32) -> bool {
        compare(&shader(check), 1, &a.to_le_bytes(), &b.to_le_bytes()).is_ok()
    }

    #[test]
    fn classes_hold_from_both_sides() {
        let next = f32::from_bits(1f32.to_bits() + 1);
        assert!(!agrees("\"bits\"", 1.0, next));
        assert!(agrees("{ ulp = 1 }", 1.0, next));
        assert!(!agrees("{ ulp = 1 }", 1.0, f32::from_bits(1f32.to_bits() + 3)));
        assert!(agrees("\"bits\"", f32::NAN, -f32::NAN));
        assert!(!agrees("{ abs = 1 }", f32::NAN, 1.0));
        assert!(!agrees("\"bits\"", 0.0, -0.0));
        assert!(agrees("\"flush\"", 1e-40, 0.0));
        assert!(!agrees("\"flush\"", 1e-37, 0.0));
        assert!(!agrees("{ rel = 1, abs = 1 }", f32::INFINITY, 1.0));
    }

    #[test]
    fn tables_hold_from_both_sides() {
        let e2 = 7.389_056_f32;
        let off = |ulps: u32| f32::from_bits(e2.to_bits() + ulps);
        assert!(agrees("{ table = \"exp\" }", off(7), e2));
        assert!(!agrees("{ table = \"exp\" }", off(9), e2));
    }

    #[test]
    fn nothing_compared_is_no_pass() {
        assert!(compare(&shader("\"bits\""), 1, &[], &[]).is_err());
    }
}
