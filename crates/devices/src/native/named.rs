//! A source as compilers of C are given it: with the name that their messages have. Plain text.

use ktwin_check::Source;

/// The text goes in by itself, with a line that names its file, so that messages point there.
pub fn named(source: &Source) -> Vec<u8> {
    let mut text = format!("#line 1 \"{}\"\n", name_of(source)).into_bytes();
    text.extend(&source.bytes);
    text
}

/// The file's name inside a C string. Compilers print names as they are: control characters stand there as their
/// numbers.
pub fn name_of(source: &Source) -> String {
    let letter = |c: char| match c {
        '\\' => "/".to_owned(),
        '"' => "\\\"".to_owned(),
        c if c.is_control() => format!("\\\\{}", &c.escape_unicode().to_string()[1..]),
        c => c.to_string(),
    };
    source.path.display().to_string().chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_check::SourceKind;

    #[test]
    fn control_characters_of_names_are_shown_as_their_numbers() {
        let path = "a\u{1b}[31m\n\"b\".c".into();
        let source = Source { kind: SourceKind::C, path, bytes: b"int x;".to_vec() };
        let text = String::from_utf8(named(&source)).unwrap();
        assert_eq!(text, "#line 1 \"a\\\\u{1b}[31m\\\\u{a}\\\"b\\\".c\"\nint x;");
    }
}
