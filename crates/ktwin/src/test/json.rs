//! Events as JSON, one a line. The schema is docs/events.md; its version is in the first event.

use ktwin_check::Event;

use crate::outcome::print;

/// Writes one event.
pub fn write(event: &Event) {
    if let Ok(line) = serde_json::to_string(event) {
        print(&format!("{line}\n"));
    }
}
