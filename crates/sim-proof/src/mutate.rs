//! Broken inputs made of good ones: WGSL text and SPIR-V words. Plain data in and out.

use crate::rng::Rng;

/// Text with a few mistakes in it; pieces of `other` may be spliced in.
pub fn text(rng: &mut Rng, good: &str, other: &str) -> String {
    let mut tokens = tokens(good);
    let others = self::tokens(other);
    for _ in 0..1 + rng.below(4) {
        if tokens.is_empty() {
            break;
        }
        let (at, to) = (rng.below(tokens.len()), rng.below(tokens.len()));
        match rng.below(9) {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, tokens[to].clone()),
            2 => tokens.swap(at, to),
            3 => tokens[at] = tokens[to].clone(),
            4 => tokens[at] = others[rng.below(others.len())].clone(),
            5 => tokens[at] = (*rng.pick(&STRANGE)).to_string(),
            6 => drop(tokens.drain(at.min(to)..at.max(to))),
            7 => numbers(rng, &mut tokens),
            _ => tokens[at].push((rng.bits() % 128) as u8 as char),
        }
    }
    tokens.concat()
}

// Words, numbers, and single characters, white space included: together they are the text again.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for c in text.chars() {
        let word = c.is_alphanumeric() || c == '_';
        match tokens.last_mut() {
            Some(last) if word && last.ends_with(|l: char| l.is_alphanumeric() || l == '_') => last.push(c),
            _ => tokens.push(c.to_string()),
        }
    }
    tokens
}

// Some number becomes one that limits and loops do not expect.
fn numbers(rng: &mut Rng, tokens: &mut [String]) {
    let digits = |t: &&mut String| t.starts_with(|c: char| c.is_ascii_digit());
    let mut all: Vec<&mut String> = tokens.iter_mut().filter(digits).collect();
    if !all.is_empty() {
        let at = rng.below(all.len());
        *all[at] = (*rng.pick(&NUMBERS)).to_string();
    }
}

const NUMBERS: [&str; 12] = [
    "0",
    "1",
    "0u",
    "4294967295u",
    "2147483647",
    "65536",
    "1e38",
    "0x7fffffff",
    "3",
    "1000000000",
    "31u",
    "5000000u",
];

const STRANGE: [&str; 16] = [
    "workgroupBarrier();",
    "loop { }",
    "array<u32, 4294967295>",
    "-2147483648",
    "1e-45",
    "0x",
    "\u{0}",
    "é",
    "/*",
    "return;",
    "f64",
    "mat4x4<f32>",
    "((((((((((((((((((((((((((((((((",
    "*&",
    "atomicAdd",
    "ptr<private, u32>",
];

/// A binary with a few wrong words.
pub fn words(rng: &mut Rng, good: &[u8]) -> Vec<u8> {
    let mut words: Vec<u32> =
        good.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
    for _ in 0..1 + rng.below(4) {
        if words.len() < 6 {
            break;
        }
        let (at, to) = (rng.below(words.len()), rng.below(words.len()));
        match rng.below(7) {
            0 => words[at] ^= 1 << rng.below(32),
            1 => words[at] = words[to],
            2 => words[at] = rng.below(200) as u32,
            3 => words.swap(at, to),
            4 => drop(words.remove(at)),
            5 => words[at] = words[at].wrapping_add(1),
            _ => words.truncate(at.max(5)),
        }
    }
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_the_text() {
        let text = "fn f(a: u32) -> u32 { return a_1 + 0x1fu; } // é";
        assert_eq!(tokens(text).concat(), text);
        assert!(tokens(text).contains(&"0x1fu".to_string()));
    }

    #[test]
    fn a_seed_is_one_mutation() {
        let made = |seed| text(&mut Rng::new(seed), "fn main() { }", "var<private> x: u32;");
        assert_eq!(made(3), made(3));
        assert!((0..20).any(|s| made(s) != made(s + 1)));
    }
}
