//! What a kernel's workgroups are for, as far as the words of its body tell.

use ktwin_check::interface::Spread;
use ktwin_check::signature::is_word;

/// The second number of a lane or of a workgroup.
const SECOND: [&str; 8] = [
    "blockIdx.y",
    "threadIdx.y",
    "get_global_id(1)",
    "get_group_id(1)",
    "get_local_id(1)",
    "GlobalInvocationID.y",
    "WorkGroupID.y",
    "LocalInvocationID.y",
];
/// The number of a workgroup, and that of a lane among all.
const GROUP: [&str; 4] = ["blockIdx.x", "get_group_id(0)", "gl_WorkGroupID", "workgroup_id"];
const LANE: [&str; 6] = [
    "blockIdx.x*blockDim.x",
    "blockDim.x*blockIdx.x",
    "get_global_id(0)",
    "gl_GlobalInvocationID",
    "global_invocation_id",
    "thread_rank",
];

/// What the workgroups of an entry point are for. The text has no comments.
pub fn spread(text: &str, entry: &str) -> Spread {
    let body: String = body(text, entry).unwrap_or(text).chars().filter(|c| !c.is_whitespace()).collect();
    let has = |words: &[&str]| words.iter().any(|word| body.contains(word));
    match () {
        () if has(&SECOND) => Spread::Plane,
        () if has(&GROUP) && !has(&LANE) && !is_stepped(&body) => Spread::Rows,
        () => Spread::Elements,
    }
}

/// Whether workgroups come in steps of a constant: `blockIdx.x * 256`, `blockIdx.x * BLOCK`.
fn is_stepped(body: &str) -> bool {
    let steps =
        body.match_indices("blockIdx.x*").filter_map(|(at, mark)| body[at + mark.len()..].chars().next());
    steps.into_iter().any(|c| c.is_ascii_digit() || c.is_uppercase())
}

/// A function from its name to its end.
pub fn body<'t>(text: &'t str, entry: &str) -> Option<&'t str> {
    let is_whole = |at: &usize| {
        !text[..*at].ends_with(is_word) && text[at + entry.len()..].trim_start().starts_with('(')
    };
    let at = text.match_indices(entry).map(|(at, _)| at).filter(|_| !entry.is_empty()).find(is_whole)?;
    let open = at + text[at..].find('{')?;
    let mut depth = 0;
    let end = text[open..].find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    })?;
    Some(&text[at..open + end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_body_tell() {
        let text = "__global__ void rows(float *x) { int r = blockIdx.x; { x[r] = threadIdx.x; } }\n\
                    __global__ void all(float *x) { x[blockDim.x * blockIdx.x + threadIdx.x] = 1; }\n\
                    __global__ void plane(float *x) { int j = blockIdx.y, i = blockIdx.x; }\n";
        let of = |entry| spread(text, entry);
        assert_eq!([of("rows"), of("all"), of("plane")], [Spread::Rows, Spread::Elements, Spread::Plane]);
        assert_eq!(spread("k(){ row = blockIdx.x * width; }", "k"), Spread::Rows);
        assert_eq!(spread("k(){ at = blockIdx.x * 256; }", "k"), Spread::Elements);
        let text = "__kernel void k(__global float *x) { x[get_group_id(0)] = get_local_id(0); }";
        assert_eq!(spread(text, "k"), Spread::Rows);
        for (text, entry) in [("", "k"), ("k(", "k"), ("{", ""), ("k() }{", "k")] {
            assert_eq!(spread(text, entry), Spread::Elements, "{text}");
        }
    }
}
