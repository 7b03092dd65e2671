//! Which line of a kernel an instruction of its library belongs to, by what the compiler left for debuggers. Bytes in,
//! a number out.

use addr2line::gimli::{Dwarf, EndianSlice, Error, NativeEndian, SectionId};
use object::{Object, ObjectSection};

/// The lines of the file of this name that the instruction at this place was made of: its own, that of the call which
/// the compiler wrote out there, and so on outwards.
pub fn lines(library: &[u8], at: u64, name: &str) -> Option<Vec<u32>> {
    let file = object::File::parse(library).ok()?;
    let section = |id: SectionId| {
        let data = file.section_by_name(id.name()).and_then(|section| section.data().ok());
        Ok::<_, Error>(EndianSlice::new(data.unwrap_or_default(), NativeEndian))
    };
    let context = addr2line::Context::from_dwarf(Dwarf::load(section).ok()?).ok()?;
    let (mut frames, mut out) = (context.find_frames(at).skip_all_loads().ok()?, Vec::new());
    while let Ok(Some(frame)) = frames.next() {
        let own = frame.location.filter(|place| place.file.is_some_and(|file| file.ends_with(name)));
        out.extend(own.and_then(|place| place.line));
    }
    (!out.is_empty()).then_some(out)
}
