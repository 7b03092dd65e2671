//! Which line of a kernel an instruction of its library belongs to, by what the compiler left for debuggers. Bytes in,
//! a number out.

use addr2line::gimli::{Dwarf, EndianSlice, Error, NativeEndian, SectionId};
use object::{Object, ObjectSection};

/// The line of the file of this name that the instruction at this place was made of, or that called what it was made
/// of.
pub fn line(library: &[u8], at: u64, name: &str) -> Option<u32> {
    let file = object::File::parse(library).ok()?;
    let section = |id: SectionId| {
        let data = file.section_by_name(id.name()).and_then(|section| section.data().ok());
        Ok::<_, Error>(EndianSlice::new(data.unwrap_or_default(), NativeEndian))
    };
    let context = addr2line::Context::from_dwarf(Dwarf::load(section).ok()?).ok()?;
    let mut frames = context.find_frames(at).skip_all_loads().ok()?;
    while let Ok(Some(frame)) = frames.next() {
        let own = frame.location.filter(|place| place.file.is_some_and(|file| file.ends_with(name)));
        if let Some(line) = own.and_then(|place| place.line) {
            return Some(line);
        }
    }
    None
}
