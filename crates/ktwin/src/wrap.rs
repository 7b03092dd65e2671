//! Text in lines that fit a terminal or a page. Makes strings; prints nothing.

use std::io::IsTerminal;

/// The columns of the terminal that standard output is, if it is one.
pub fn columns() -> Option<usize> {
    let size = std::io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
    size.map(|(width, _)| usize::from(width.0))
}

/// A text in lines of so many columns, all but the first indented. A word that is longer stays whole.
pub fn wrapped(text: &str, columns: usize, hang: usize) -> String {
    let (mut out, mut column, mut is_begun) = (String::new(), 0, false);
    for word in text.split(' ') {
        let wide = word.chars().count();
        if is_begun && !word.is_empty() && column + 1 + wide > columns && column > hang {
            out.truncate(out.trim_end().len());
            out.push_str(&format!("\n{:hang$}", ""));
            column = hang;
        } else if is_begun {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += wide;
        is_begun = true;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_wrapped_between_words() {
        assert_eq!(wrapped("pass  one two three", 12, 6), "pass  one\n      two\n      three");
        assert_eq!(wrapped("one two three", 7, 0), "one two\nthree");
        assert_eq!(wrapped("one  two", 40, 2), "one  two");
        assert_eq!(wrapped("one averylongword x", 8, 2), "one\n  averylongword\n  x");
    }
}
