//! Cuts long lines of a source that an error shows down to what stands around the place.

/// Characters of a line that are shown whole, of a longer one what is shown, and what of that comes before the place.
const LONG: usize = 240;
const SHOWN: usize = 160;
const BEFORE: usize = 60;

/// What stands between the number of a line and the line.
const BAR: char = '│';

/// An error as naga writes it: each line of the source is followed by marks under its places.
pub fn narrow(error: &str) -> String {
    let lines: Vec<&str> = error.lines().collect();
    let (mut from, mut out) = (0, String::new());
    for (number, line) in lines.iter().enumerate() {
        if is_of_the_source(line) {
            from = if line.chars().count() > LONG { start(line, &lines[number + 1..]) } else { 0 };
        }
        let is_short = (from == 0 || !line.contains(BAR)) && line.chars().count() <= LONG;
        out.push_str(&if is_short { (*line).to_owned() } else { cut(line, from) });
        out.push('\n');
    }
    out
}

// Its number comes first.
fn is_of_the_source(line: &str) -> bool {
    line.split_once(BAR).is_some_and(|(number, _)| number.trim().parse::<u32>().is_ok())
}

// The first character that is shown, after the bar.
fn start(line: &str, below: &[&str]) -> usize {
    let bar = line.chars().position(|c| c == BAR).unwrap_or(0);
    let marks = below.iter().take_while(|line| !is_of_the_source(line));
    let place = marks.filter_map(|line| line.chars().position(|c| c == '^')).next();
    place.unwrap_or(0).saturating_sub(bar + BEFORE)
}

// The marks below a line stay under their places.
fn cut(line: &str, from: usize) -> String {
    const GONE: &str = "...";
    let (margin, rest) = line.split_once(BAR).map_or(("", line), |(margin, rest)| (margin, rest));
    let shown: String = rest.chars().skip(from).take(SHOWN).collect();
    let more = if rest.chars().nth(from + SHOWN).is_some() { GONE } else { "" };
    match is_of_the_source(line) {
        true if from > 0 => {
            let shown: String = shown.chars().skip(1 + GONE.len()).collect();
            format!("{margin}{BAR} {GONE}{shown}{more}")
        }
        true => format!("{margin}{BAR}{shown}{more}"),
        false if margin.is_empty() => format!("{shown}{more}"),
        false => format!("{margin}{BAR}{shown}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        naga::front::wgsl::parse_str(text).unwrap_err().emit_to_string(text)
    }

    #[test]
    fn short_lines_stay_as_they_are() {
        let whole = error("fn f() { let a = 1 +; }\n");
        assert_eq!(narrow(&whole).trim_end(), whole.trim_end());
    }

    #[test]
    fn of_a_long_line_the_place_is_shown() {
        let many = |one: &str| one.repeat(9000);
        let text = format!("fn f() {{ {} _ = 1 +; {} }}\n", many("_ = 2; "), many("_ = 3; "));
        let shown = narrow(&error(&text));
        assert!(shown.chars().count() < 800, "{}", shown.len());
        let lines: Vec<&str> = shown.lines().collect();
        let source = lines.iter().position(|line| line.contains("1 +;")).unwrap();
        let place = |line: &str, what: &str| line.split_once(what).unwrap().0.chars().count();
        assert_eq!(place(lines[source], "; _ = 3"), place(lines[source + 1], "^"), "{shown}");
        assert!(!lines.contains(&"..."), "{shown}");
        assert!(lines[source].contains("│ ...") && lines[source].ends_with("..."), "{shown}");
        let beginning = narrow(&error(&format!("fm f() {{ {} }}\n", many("_ = 2; "))));
        assert!(beginning.chars().count() < 800 && beginning.contains("│ fm f()"), "{beginning}");
    }
}
