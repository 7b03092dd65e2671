//! What the scales of a block can say best: for each element the number nearest to what is wanted that any code of it
//! stands for. Where the bits of codes lie is found by trying them, so that no format is described twice.

use super::BlockFormat;

/// Elements of a block whose scale is no code itself.
const PLAIN: usize = 32;
/// Bits of the code of one element at most.
const MOST_BITS: usize = 8;

/// Which bits of a block are the code of each element, lowest first.
#[derive(Clone, Debug)]
pub struct Codes {
    format: BlockFormat,
    bits: Vec<Vec<usize>>,
    widest: f64,
    minima: bool,
}

impl Codes {
    /// The format.
    pub fn format(&self) -> BlockFormat {
        self.format
    }

    /// The codes of a format; none of formats in which elements share bits.
    pub fn of(format: BlockFormat) -> Option<Codes> {
        let n = format.elements();
        // both signs, and nothing that is coded as zero
        let values: Vec<f32> =
            (0..n).map(|i| (1.0 + (i * 7 % 13) as f32 / 4.0) * [1.0, -1.0][i % 2]).collect();
        let block = format.encode(&values);
        let usual = decoded(format, &block);
        let mut bits = vec![Vec::new(); n];
        for bit in 0..block.len() * 8 {
            let mut flipped = block.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let now = decoded(format, &flipped);
            let mut changed = (0..n).filter(|&i| now[i].to_bits() != usual[i].to_bits());
            if let (Some(element), None) = (changed.next(), changed.next()) {
                bits[element].push(bit);
            }
        }
        let few = |own: &Vec<usize>| (1..=MOST_BITS).contains(&own.len()) && own.len() == bits[0].len();
        let mut codes = bits.iter().all(few).then_some(Codes { format, bits, widest: 0.0, minima: false })?;
        let mut first: Vec<f64> = codes.tables(&block).map(|table| f64::from(table[0])).collect();
        first.sort_by(f64::total_cmp);
        let widest = first.windows(2).map(|two| two[1] - two[0]).fold(0.0, f64::max);
        codes.widest = widest / first.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        // numbers far below zero, and close together
        let below: Vec<f32> = values.iter().map(|v| v / 16.0 - 10.0).collect();
        let block = format.encode(&below);
        let all = codes.tables(&block).map(|table| f64::from(table[0]));
        let (lo, hi) = all.fold((0.0f64, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
        codes.minima = hi < 0.5 * lo;
        Some(codes)
    }

    /// Whether blocks have a minimum beside their scale.
    pub fn has_minima(&self) -> bool {
        self.minima
    }

    /// The widest step from one number to the next that a plain encoder would choose for these numbers.
    pub fn step(&self, values: &[f64]) -> f64 {
        let (lo, hi) =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
        let largest = hi.max(-lo);
        match self.minima {
            false => self.widest * largest,
            true if self.format.elements() <= PLAIN => 0.5 * self.widest * (hi - lo),
            // minima are no more than zero, and have six bits themselves
            true => 0.5 * self.widest * (hi - lo.min(0.0)) + largest / 32.0,
        }
    }

    /// The numbers of a block with one code in the place of all: for each code there is.
    fn tables(&self, block: &[u8]) -> impl Iterator<Item = Vec<f32>> {
        let mut tried = block.to_vec();
        (0..1usize << self.bits[0].len()).map(move |code| {
            for own in &self.bits {
                for (i, bit) in own.iter().enumerate() {
                    let (byte, mask) = (&mut tried[bit / 8], 1 << (bit % 8));
                    *byte = if code >> i & 1 == 1 { *byte | mask } else { *byte & !mask };
                }
            }
            decoded(self.format, &tried)
        })
    }

    /// How far the nearest number of each element is, with the scales that a block has.
    pub fn distances(&self, block: &[u8], wanted: &[f64]) -> Vec<f64> {
        let mut nearest = vec![f64::INFINITY; wanted.len()];
        for table in self.tables(block) {
            for ((nearest, now), wanted) in nearest.iter_mut().zip(table).zip(wanted) {
                *nearest = nearest.min((f64::from(now) - wanted).abs());
            }
        }
        nearest
    }
}

fn decoded(format: BlockFormat, block: &[u8]) -> Vec<f32> {
    let mut values = vec![0.0; format.elements()];
    format.decode(block, &mut values);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits of a code in each format that has one for each element.
    #[test]
    fn codes_have_the_bits_that_formats_say() {
        for format in BlockFormat::ALL {
            let bits = Codes::of(format).map(|codes| codes.bits[0].len());
            let due = match format.name() {
                "tq1_0" => None,
                name if name.starts_with("iq4") || name.ends_with("fp4") => Some(4),
                name => name[1..].chars().next().and_then(|digit| digit.to_digit(10)).map(|n| n as usize),
            };
            assert_eq!(bits, if format.name() == "tq2_0" { Some(2) } else { due }, "{}", format.name());
        }
    }

    /// The encoder's codes are the nearest ones, or nearly: it had the scales before they were rounded.
    #[test]
    fn encoders_take_the_nearest_code() {
        for format in BlockFormat::ALL {
            let Some(codes) = Codes::of(format) else { continue };
            let values: Vec<f64> =
                (0..format.elements()).map(|i| f64::from(i as u32 * 37 % 101) - 47.3).collect();
            let given: Vec<f32> = values.iter().map(|v| *v as f32).collect();
            let block = format.encode(&given);
            let got = decoded(format, &block);
            for ((got, value), nearest) in got.iter().zip(&values).zip(codes.distances(&block, &values)) {
                let off = (f64::from(*got) - value).abs();
                assert!(nearest <= off && off <= nearest + value.abs() / 128.0, "{} {value}", format.name());
            }
        }
    }
}
