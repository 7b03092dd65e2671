//! Block-quantised formats: a few numbers share a scale. One file a family; this one lists them and
//! dispatches.

mod bytes;
mod fit;
mod fp4;
mod iq4;
mod legacy;
mod nearest;
mod once;
mod q2_k;
mod q3_k;
mod q45_k;
mod q6_k;
mod q8_k;
mod scales;
mod ternary;
mod unit;

pub use nearest::Codes;

/// A block format. Names and byte layouts are ggml's.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum BlockFormat {
    /// 4 bits, an uneven ladder of values, one f16 scale for 32.
    Iq4Nl,
    /// 4 bits, the same ladder, 6-bit scales for 32, in blocks of 256.
    Iq4Xs,
    /// OCP microscaling: e2m1 numbers, one power of two for 32.
    Mxfp4,
    /// e2m1 numbers, one unsigned e4m3 scale for 16.
    Nvfp4,
    /// 2 bits, 4-bit scales and minima for 16, in blocks of 256.
    Q2K,
    /// 3 bits, 6-bit scales for 16, in blocks of 256.
    Q3K,
    /// 4 bits, one f16 scale for 32.
    Q4_0,
    /// 4 bits, f16 scale and minimum for 32.
    Q4_1,
    /// 4 bits, 6-bit scales and minima for 32, in blocks of 256.
    Q4K,
    /// 5 bits, one f16 scale for 32.
    Q5_0,
    /// 5 bits, f16 scale and minimum for 32.
    Q5_1,
    /// 5 bits, 6-bit scales and minima for 32, in blocks of 256.
    Q5K,
    /// 6 bits, 8-bit scales for 16, in blocks of 256.
    Q6K,
    /// 8 bits, one f16 scale for 32.
    Q8_0,
    /// 8 bits, f16 scale and f16 sum for 32.
    Q8_1,
    /// 8 bits, one f32 scale for 256, whole sums of 16 codes.
    Q8K,
    /// -1, 0 and 1, five in a byte, one f16 scale for 256.
    Tq1_0,
    /// -1, 0 and 1 in 2 bits, one f16 scale for 256.
    Tq2_0,
}

use BlockFormat::*;

/// What a format is: its name, the elements and bytes of a block, and the two directions for one block.
struct Codec {
    name: &'static str,
    elements: usize,
    bytes: usize,
    decode: fn(&[u8], &mut [f32]),
    encode: fn(&[f32], &mut [u8]),
}

type Decode = fn(&[u8], &mut [f32]);
type Encode = fn(&[f32], &mut [u8]);

const fn codec(name: &'static str, elements: usize, bytes: usize, decode: Decode, encode: Encode) -> Codec {
    Codec { name, elements, bytes, decode, encode }
}

impl BlockFormat {
    /// Every format, sorted by name.
    pub const ALL: [BlockFormat; 18] = [
        Iq4Nl, Iq4Xs, Mxfp4, Nvfp4, Q2K, Q3K, Q4_0, Q4_1, Q4K, Q5_0, Q5_1, Q5K, Q6K, Q8_0, Q8_1, Q8K, Tq1_0,
        Tq2_0,
    ];

    const fn codec(self) -> Codec {
        match self {
            Iq4Nl => codec("iq4_nl", 32, 18, iq4::decode_nl, iq4::encode_nl),
            Iq4Xs => codec("iq4_xs", 256, 136, iq4::decode_xs, iq4::encode_xs),
            Mxfp4 => codec("mxfp4", 32, 17, fp4::decode_mx, fp4::encode_mx),
            Nvfp4 => codec("nvfp4", 64, 36, fp4::decode_nv, fp4::encode_nv),
            Q2K => codec("q2_K", 256, 84, q2_k::decode, q2_k::encode),
            Q3K => codec("q3_K", 256, 110, q3_k::decode, q3_k::encode),
            Q4_0 => codec("q4_0", 32, 18, legacy::decode_q4_0, legacy::encode_q4_0),
            Q4_1 => codec("q4_1", 32, 20, legacy::decode_q4_1, legacy::encode_q4_1),
            Q4K => codec("q4_K", 256, 144, q45_k::decode_q4, q45_k::encode_q4),
            Q5_0 => codec("q5_0", 32, 22, legacy::decode_q5_0, legacy::encode_q5_0),
            Q5_1 => codec("q5_1", 32, 24, legacy::decode_q5_1, legacy::encode_q5_1),
            Q5K => codec("q5_K", 256, 176, q45_k::decode_q5, q45_k::encode_q5),
            Q6K => codec("q6_K", 256, 210, q6_k::decode, q6_k::encode),
            Q8_0 => codec("q8_0", 32, 34, legacy::decode_q8_0, legacy::encode_q8_0),
            Q8_1 => codec("q8_1", 32, 36, legacy::decode_q8_1, legacy::encode_q8_1),
            Q8K => codec("q8_K", 256, 292, q8_k::decode, q8_k::encode),
            Tq1_0 => codec("tq1_0", 256, 54, ternary::decode_tq1, ternary::encode_tq1),
            Tq2_0 => codec("tq2_0", 256, 66, ternary::decode_tq2, ternary::encode_tq2),
        }
    }

    /// The format's name.
    pub const fn name(self) -> &'static str {
        self.codec().name
    }

    /// Elements of a block.
    pub const fn elements(self) -> usize {
        self.codec().elements
    }

    /// Bytes of a block.
    pub const fn bytes(self) -> usize {
        self.codec().bytes
    }

    /// Where the codes are in a block of a format whose numbers are code times scale plus a minimum, be it stored or
    /// so many scales below zero; none in formats whose kernels have no reason to take the two apart.
    pub(crate) const fn codes_above_a_minimum(self) -> Option<std::ops::Range<usize>> {
        match self {
            Q4_0 => Some(2..18),
            Q5_0 => Some(2..22),
            Q4_1 => Some(4..20),
            Q5_1 => Some(4..24),
            Q2K => Some(16..80),
            Q4K => Some(16..144),
            Q5K => Some(16..176),
            _ => None,
        }
    }

    /// Decodes whole blocks. `out` must hold exactly their elements: anything else is a bug of the caller's.
    pub fn decode(self, bytes: &[u8], out: &mut [f32]) {
        let c = self.codec();
        assert_eq!(bytes.len() * c.elements, out.len() * c.bytes, "{}: bytes and elements differ", c.name);
        for (block, values) in bytes.chunks_exact(c.bytes).zip(out.chunks_exact_mut(c.elements)) {
            (c.decode)(block, values);
        }
    }

    /// Encodes whole blocks. A number of values that fills no whole blocks is a bug of the caller's.
    pub fn encode(self, values: &[f32]) -> Vec<u8> {
        let c = self.codec();
        assert_eq!(values.len() % c.elements, 0, "{}: {} values fill no whole blocks", c.name, values.len());
        let mut bytes = vec![0; values.len() / c.elements * c.bytes];
        for (block, values) in bytes.chunks_exact_mut(c.bytes).zip(values.chunks_exact(c.elements)) {
            (c.encode)(values, block);
        }
        bytes
    }
}
