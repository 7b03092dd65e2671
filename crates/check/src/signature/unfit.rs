//! Parameters that nothing of a contract can be given to, by the words of their declarations.

use super::is_local;
use super::text::{is_word, words};
use crate::interface::{Foreign, Unfit};

/// Those among a function's parameters, by their places among what a contract gives.
pub fn among(params: &[&str]) -> Vec<Unfit> {
    let given = params.iter().filter(|param| !is_local(param)).enumerate();
    let unfit = given.filter_map(|(at, param)| Some((at, *param, foreign(param)?)));
    let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    unfit.map(|(at, param, why)| Unfit { at, declared: line(param), why }).collect()
}

fn foreign(param: &str) -> Option<Foreign> {
    let declared = param.split('=').next().unwrap_or(param);
    // image2d_t, image1d_array_t
    let is_sized =
        |word: &str| word.strip_prefix("image").is_some_and(|rest| rest.starts_with(['1', '2', '3']));
    let is_image = |word: &&str| *word == "sampler_t" || word.ends_with("_t") && is_sized(word);
    if words(declared).iter().any(is_image) {
        return Some(Foreign::Image);
    }
    // `float (*x)[4]` points to arrays, and what stands between `<` and `>` is of a type of its own
    if declared.contains(['(', '<']) {
        return None;
    }
    let (stars, array) = (stars(declared), usize::from(declared.contains('[')));
    (stars > 0 && stars + array > 1).then_some(Foreign::Pointers)
}

/// The stars that are not of a size: of `x[K * M]`, and of `&[f32; K * M]` after the semicolon.
fn stars(declared: &str) -> usize {
    let (mut count, mut is_size, mut last) = (0, false, ' ');
    for c in declared.chars() {
        match c {
            '[' => is_size = is_word(last),
            ';' => is_size = true,
            ']' => is_size = false,
            '*' => count += usize::from(!is_size),
            _ => {}
        }
        last = if c.is_whitespace() { last } else { c };
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_to_pointers_and_images_are_told_from_buffers() {
        for param in [
            "float **y",
            "const float * const * __restrict__ x",
            "float *x[]",
            "x: *const *const f32",
            "x: &[*const f32; 4]",
        ] {
            assert_eq!(foreign(param), Some(Foreign::Pointers), "{param}");
        }
        for param in ["read_only image2d_t x", "image2d_array_t x", "sampler_t s"] {
            assert_eq!(foreign(param), Some(Foreign::Image), "{param}");
        }
        for param in [
            "const float *x",
            "float x[4][4]",
            "float (*x)[4]",
            "int n = 2 * 3 * 4",
            "span<float *> x",
            "image_t *x",
            "float x[K * M]",
            "a: &[i32; K * M]",
            "a: &mut [f32; 2 * K]",
        ] {
            assert_eq!(foreign(param), None, "{param}");
        }
        let found = among(&["__local float *t", "float *x", "float\n  **y"]);
        assert_eq!((found[0].at, found[0].declared.as_str(), found.len()), (1, "float **y", 1));
    }
}
