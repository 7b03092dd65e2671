//! What the system says of files and processes, in words for people.

use std::io::{Error, ErrorKind};

/// Why something could not be done, without the system's number for it.
pub fn reason(error: &Error) -> String {
    let said = match error.kind() {
        ErrorKind::NotFound => "no such file or folder",
        ErrorKind::PermissionDenied => "permission denied",
        ErrorKind::IsADirectory => "this is a folder",
        ErrorKind::NotADirectory => "a part of this path is not a folder",
        ErrorKind::StorageFull => "no space is left",
        ErrorKind::ReadOnlyFilesystem => "nothing can be written there",
        _ => return plain(&error.to_string()),
    };
    // what ktwin itself says under such a kind has no number
    if error.raw_os_error().is_some() { said.to_owned() } else { plain(&error.to_string()) }
}

/// The system's words without their number, as they go on within a sentence.
fn plain(said: &str) -> String {
    let Some((words, _)) = said.rsplit_once(" (os error ") else { return said.to_owned() };
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_number_is_left_out() {
        let missing = std::fs::read("/nowhere/at/all").unwrap_err();
        assert_eq!(reason(&missing), "no such file or folder");
        assert!(!reason(&Error::from_raw_os_error(24)).contains("os error"));
        assert!(reason(&Error::from_raw_os_error(24)).starts_with(char::is_lowercase));
    }

    #[test]
    fn own_words_stay_as_they_are() {
        assert_eq!(reason(&Error::other("This is a pipe")), "This is a pipe");
        assert_eq!(reason(&Error::new(ErrorKind::NotFound, "no kernel here")), "no kernel here");
    }
}
