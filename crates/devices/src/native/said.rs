//! What compilers say: the first error, its line, and no more of a long message than people read.

// The first error without its place.
pub fn essence(message: &str) -> String {
    let line = message.lines().find(|l| l.contains(": error") || l.contains(": fatal error"));
    let line = line.or(message.lines().next()).unwrap_or_default();
    let said = line.split_once(": error").and_then(|(_, rest)| Some(rest.split_once(": ")?.1));
    let said = said.unwrap_or(line).trim();
    // what GCC and clang say where a name is not one function's
    let several = ["overloaded function", "couldn't infer template argument"];
    match several.iter().any(|words| said.contains(words)) {
        true => "several functions, or templates, have this name".to_owned(),
        false => said.to_owned(),
    }
}

// The first lines of a long message and the last: of a file that includes itself, compilers tell two hundred times.
pub fn brief(message: &str) -> String {
    const FIRST: usize = 30;
    const LAST: usize = 10;
    let lines: Vec<&str> = message.lines().collect();
    match lines.len().checked_sub(FIRST + LAST) {
        None | Some(0 | 1) => message.to_owned(),
        Some(more) => {
            let (first, last) = (lines[..FIRST].join("\n"), lines[FIRST + more..].join("\n"));
            format!("{first}\n... {more} more lines ...\n{last}")
        }
    }
}

// The line in `FILE:LINE:COLUMN: error: …` of C compilers and Rust's short messages, or in ` --> FILE:LINE:COLUMN`.
pub fn line_of(message: &str) -> Option<u32> {
    const ERRORS: [&str; 3] = [": error:", ": fatal error:", ": error["];
    let line = message.lines().find(|l| ERRORS.iter().any(|error| l.contains(error)));
    let place = match line {
        Some(line) => ERRORS.iter().find_map(|error| Some(line.split_once(error)?.0))?,
        None => message.lines().find_map(|l| l.trim_start().strip_prefix("--> "))?,
    };
    let mut numbers = place.rsplit(':').map_while(|n| n.trim().parse::<u32>().ok());
    let last = numbers.next()?;
    Some(numbers.next().unwrap_or(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_has_its_ends() {
        let lines = |n: usize| (1..=n).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n");
        assert_eq!(brief(&lines(40)), lines(40));
        let long = brief(&lines(900));
        assert!(long.starts_with("line 1\n") && long.ends_with("\nline 900"), "{long}");
        assert!(long.contains("line 30\n... 860 more lines ...\nline 891"), "{long}");
    }

    #[test]
    fn the_line_of_an_error() {
        assert_eq!(line_of("kernels/c/a.c: In function 'f':\nkernels/c/a.c:12:5: error: no"), Some(12));
        assert_eq!(line_of("error[E0425]: cannot find\n --> k.rs:7:3\n  |"), Some(7));
        assert_eq!(line_of("k.rs:9:2: error[E0308]: mismatched types: expected `u8`"), Some(9));
        assert_eq!(line_of("ld: it went wrong"), None);
    }
}
