//! Whatever a child sends is taken or named as odd: never a panic, and never more than was asked for.
//! `KTWIN_FUZZ_SECONDS` says how long each part goes on.

use std::fs::File;
use std::io::Write;
use std::time::Duration;

use bolero::check;
use ktwin_check::{Description, Failure, SourceKind};

use super::reports::{Ended, Entry, Listener, Said, Speaks, Spoken};

/// Launches that are waited for.
const MOST: usize = 3;
/// Bytes that one damaged conversation may have: what a pipe holds.
const PIPE: usize = 60 << 10;

/// An edit: the place, what is done there, and with which byte.
type Edit = (u16, u8, u8);

/// One of each message, in the order of a whole conversation.
fn conversation() -> Vec<Said> {
    let about = Speaks { version: 1, languages: vec![SourceKind::C], about: "a board".into() };
    let described = Description { detail: "board".into(), features: vec!["f16".into()] };
    let failures = [
        Failure::Crash("it crashed".into()),
        Failure::hang(Duration::from_secs(1)),
        Failure::Compile { message: "no".into(), line: Some(3) },
    ];
    let mut all = vec![
        Said::Ready(vec!["Landlock".into()]),
        Said::Speaks(about),
        Said::Described(Ok(described)),
        Said::Compiled(Ok(vec![Entry { name: "k".into(), block: Some([64, 1, 1]) }])),
        Said::Mark,
        Said::Mark,
        Said::Ended { launch: 0, end: Ok(Ended { nanoseconds: Some(7), mode: None, wrote: vec![(1, 64)] }) },
    ];
    all.extend(failures.into_iter().enumerate().map(|(i, why)| Said::Ended { launch: i + 1, end: Err(why) }));
    all.push(Said::CannotStart("no disk".into()));
    all
}

/// A conversation with messages left out or doubled, and bytes changed, removed, put in or cut off.
fn damaged(parts: &[Vec<u8>], messages: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut bytes: Vec<u8> = if messages.is_empty() {
        parts.concat()
    } else {
        messages.iter().take(20).flat_map(|at| parts[*at as usize % parts.len()].clone()).collect()
    };
    for (place, kind, byte) in edits.iter().take(8) {
        let at = *place as usize % bytes.len().max(1);
        match kind % 5 {
            0 if at < bytes.len() => bytes[at] = *byte,
            1 if at < bytes.len() => bytes[at] ^= 1 << (byte % 8),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 => bytes.insert(at, *byte),
            _ => bytes.truncate(bytes.len().saturating_sub(*byte as usize % 9)),
        }
    }
    bytes.truncate(PIPE);
    bytes
}

/// Listens to these bytes to their end; how many messages it took as a child's.
fn survive(bytes: &[u8], how: Spoken) {
    let Ok((from, to)) = rustix::pipe::pipe() else { panic!("no pipe") };
    let mut to = File::from(to);
    assert!(to.write_all(bytes).is_ok());
    drop(to);
    let mut listener = Listener::new(from.into(), how, MOST);
    while listener.listen() {}
    let heard = &listener.heard;
    assert!(heard.ended.len() <= MOST && heard.marks.len() <= 2);
    // nothing is believed of a child whose box does not stand
    assert!(heard.missing.is_some() || heard.ended.is_empty() && heard.compiled.is_none());
    assert!(heard.cannot.is_none() || heard.missing.is_none());
}

fn fuzz(how: Spoken) {
    let parts: Vec<Vec<u8>> =
        conversation().iter().map(|said| how.message(said).unwrap_or_default()).collect();
    let seconds = std::env::var("KTWIN_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    check!()
        .with_test_time(Duration::from_secs(seconds))
        .with_type::<(Vec<u8>, Vec<Edit>)>()
        .for_each(|(messages, edits)| survive(&damaged(&parts, messages, edits), how));
}

#[test]
fn damaged_frames_survive() {
    fuzz(Spoken::Frames);
}

#[test]
fn damaged_lines_survive() {
    fuzz(Spoken::Lines);
}

#[test]
fn a_whole_conversation_is_understood() {
    for how in [Spoken::Frames, Spoken::Lines] {
        let Ok((from, to)) = rustix::pipe::pipe() else { panic!("no pipe") };
        let mut to = File::from(to);
        // all but the last launch, of which there is one too many, and what may not follow
        let said: Vec<u8> =
            conversation()[..9].iter().flat_map(|said| how.message(said).unwrap_or_default()).collect();
        assert!(to.write_all(&said).is_ok());
        drop(to);
        let mut listener = Listener::new(from.into(), how, MOST);
        listener.listen();
        assert_eq!((listener.heard.ended.len(), listener.heard.odd.as_deref()), (3, None), "{how:?}");
    }
}
