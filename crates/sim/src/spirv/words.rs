//! SPIR-V as words, changed before naga sees it.

/// Instructions by number, and the decoration that says nobody reads a variable.
const DECORATE: u32 = 71;
const MEMBER_DECORATE: u32 = 72;
const NON_READABLE: u32 = 25;
const HEADER: usize = 5;

/// The module without the decorations that forbid reading a buffer: naga has no buffers that are only written, and a
/// kernel that reads none is none the worse. Bytes that are not SPIR-V stay as they are.
pub fn readable(bytes: &[u8]) -> Vec<u8> {
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    if words.first() != Some(&0x0723_0203) || words.len() < HEADER || !bytes.len().is_multiple_of(4) {
        return bytes.to_vec();
    }
    let mut out = bytes[..HEADER * 4].to_vec();
    let mut at = HEADER;
    while at < words.len() {
        let (length, code) = ((words[at] >> 16) as usize, words[at] & 0xffff);
        let end = at + length;
        if length == 0 || end > words.len() {
            out.extend_from_slice(&bytes[at * 4..]);
            break;
        }
        let dropped = match code {
            DECORATE => length == 3 && words[at + 2] == NON_READABLE,
            MEMBER_DECORATE => length == 4 && words[at + 3] == NON_READABLE,
            _ => false,
        };
        if !dropped {
            out.extend_from_slice(&bytes[at * 4..end * 4]);
        }
        at = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    #[test]
    fn decorations_that_forbid_reading_go() {
        let head = [0x0723_0203, 0x0001_0000, 0, 9, 0];
        let keep = [3 << 16 | DECORATE, 4, 24];
        let drop = [3 << 16 | DECORATE, 4, NON_READABLE, 4 << 16 | MEMBER_DECORATE, 5, 0, NON_READABLE];
        let whole = bytes(&[&head[..], &keep, &drop].concat());
        assert_eq!(readable(&whole), bytes(&[&head[..], &keep].concat()));
    }

    #[test]
    fn what_is_not_spirv_stays() {
        for odd in [&b"nothing"[..], &[], &bytes(&[0x0723_0203, 0, 0, 0, 0, 0])] {
            assert_eq!(readable(odd), odd);
        }
        let cut = bytes(&[0x0723_0203, 0, 0, 0, 0, 9 << 16 | DECORATE, 1]);
        assert_eq!(readable(&cut), cut);
    }
}
