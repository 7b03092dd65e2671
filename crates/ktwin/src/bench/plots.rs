//! Figures as pictures, in SVG: the roofline, time against size, the times of two sides. Makes strings; prints nothing.

use std::fmt::Write;

use ktwin::explain::visible;

use super::row::Row;
use super::show::time;
use super::sizes::counted;
use crate::page::escape;
use crate::picture::start;

/// A plot is as wide as a telephone shows, so that nothing of it shrinks there.
const SIZE: (f64, f64) = (360.0, 250.0);
/// Where its axes are: left, right, top, bottom.
const FRAME: (f64, f64, f64, f64) = (52.0, 348.0, 22.0, 210.0);
/// Bins of a distribution.
const BINS: usize = 40;
/// The share of all samples that a distribution has room for; a single pause would hide the rest.
const SHOWN: f64 = 0.98;

/// An axis from a number to another, in pixels from one to another.
#[derive(Clone, Copy)]
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    /// Whether it is one of logarithms.
    log: bool,
}

impl Axis {
    /// A logarithmic axis that has room around these numbers; none where they are none.
    fn around(numbers: &[f64], (from, to): (f64, f64)) -> Option<Axis> {
        let good = || numbers.iter().copied().filter(|n| n.is_finite() && *n > 0.0);
        let (least, most) = (good().fold(f64::INFINITY, f64::min), good().fold(0.0, f64::max));
        // three ticks at the least: one of 1, 2 and 5 times a power of ten comes after 2.5 times as much
        let spread = (10.0 / (most / least)).sqrt().max(1.6);
        (most > 0.0).then_some(Axis { low: least / spread, high: most * spread, from, to, log: true })
    }

    fn at(&self, n: f64) -> f64 {
        let place = |n: f64| if self.log { n.max(f64::MIN_POSITIVE).ln() } else { n };
        let share = (place(n) - place(self.low)) / (place(self.high) - place(self.low));
        self.from + share * (self.to - self.from)
    }

    /// Where its ticks are: powers of ten, and where these are few 2 and 5 times as much.
    fn ticks(&self) -> Vec<f64> {
        if !self.log {
            return (0..4).map(|n| self.low + (self.high - self.low) * (f64::from(n) + 0.5) / 4.0).collect();
        }
        let decades = (self.high / self.low).log10();
        let (steps, each): (&[f64], i32) = match decades {
            _ if decades < 2.0 => (&[1.0, 2.0, 5.0], 1),
            _ => (&[1.0], (decades / 6.0).ceil() as i32),
        };
        let powers = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let powers = powers.filter(|power| power.rem_euclid(each) == 0);
        let all = powers.flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
        all.filter(|tick| (self.low..=self.high).contains(tick)).collect()
    }
}

/// A number on an axis.
fn short(n: f64) -> String {
    let (value, unit) = match n {
        _ if n >= 1e9 => (n / 1e9, "G"),
        _ if n >= 1e6 => (n / 1e6, "M"),
        _ if n >= 1e3 => (n / 1e3, "k"),
        _ if n >= 1e-3 => (n, ""),
        _ => return format!("{n:.0e}"),
    };
    format!("{}{unit}", (1000.0 * value).round() / 1000.0)
}

/// A line across the plot, from and to, with what is written beside it.
fn ruled([x1, x2, y1, y2]: [f64; 4], (x, y): (f64, f64), anchor: &str, text: &str) -> String {
    format!(
        "<line x1='{x1:.1}' x2='{x2:.1}' y1='{y1:.1}' y2='{y2:.1}' stroke='currentColor' stroke-opacity='0.15'/>\
         <text x='{x:.1}' y='{y:.1}' text-anchor='{anchor}' fill='currentColor'>{text}</text>"
    )
}

/// A plot with its axes, their ticks and their names.
fn frame(label: &str, (x, y): (&Axis, &Axis), names: [&str; 2], units: [fn(f64) -> String; 2]) -> String {
    let (left, right, top, bottom) = FRAME;
    let mut out = start(SIZE.0 as usize, SIZE.1 as usize, &escape(label));
    for tick in y.ticks() {
        let (at, text) = (y.at(tick), units[1](tick));
        out.push_str(&ruled([left, right, at, at], (left - 4.0, at + 4.0), "end", &text));
    }
    for tick in x.ticks() {
        let (at, text) = (x.at(tick), units[0](tick));
        out.push_str(&ruled([at, at, top, bottom], (at, bottom + 14.0), "middle", &text));
    }
    let _ = write!(
        out,
        "<path d='M{left} {top}V{bottom}H{right}' fill='none' stroke='currentColor' stroke-opacity='0.6'/>\
         <text x='{right}' y='{}' text-anchor='end' fill='currentColor'>{}</text>\
         <text x='4' y='12' fill='currentColor'>{}</text>",
        bottom + 32.0,
        escape(names[0]),
        escape(names[1])
    );
    out
}

/// What both states of the caches are drawn in.
fn colour(cache: &str) -> &'static str {
    if cache == "cold" { "one" } else { "two" }
}

/// A mark, with its number and with what it is for whoever points at it.
fn mark(out: &mut String, (x, y): (f64, f64), class: &str, number: usize, says: &str) {
    let (beside, anchor) = if number % 2 == 1 { (7.0, "start") } else { (-7.0, "end") };
    let _ = write!(
        out,
        "<g class='{class}'><circle cx='{x:.1}' cy='{y:.1}' r='4' fill='currentColor'><title>{}</title></circle>\
         <text x='{:.1}' y='{:.1}' text-anchor='{anchor}' fill='currentColor'>{number}</text></g>",
        escape(says),
        x + beside,
        y + 4.0
    );
}

/// The roofline: what the device could do at each intensity, with data in no cache and in one, and a mark for each
/// case that computes. None where no roof was measured, or nothing computes.
pub fn roofline(rows: &[Row]) -> Option<String> {
    let most = |of: fn(&ktwin_check::bench::Roof) -> f64| {
        rows.iter().filter_map(|row| row.roof.as_ref()).map(of).fold(0.0, f64::max) / 1e9
    };
    let (cold, warm, flops) = (most(|roof| roof.cold), most(|roof| roof.warm), most(|roof| roof.flops));
    let roofs: Vec<(&str, f64)> =
        [("cold", cold), ("warm", warm)].into_iter().filter(|r| r.1 > 0.0).collect();
    let marks = || rows.iter().flat_map(|row| &row.series).map(|s| (s.rates.intensity, s.rates.flops));
    let drawn: Vec<(f64, f64)> = marks().filter(|(x, y)| *x > 0.0 && *y > 0.0).collect();
    if drawn.is_empty() || flops <= 0.0 || roofs.is_empty() {
        return None;
    }
    let (left, right, top, bottom) = FRAME;
    let ridges = roofs.iter().map(|(_, bytes)| flops / bytes);
    let across: Vec<f64> = drawn.iter().map(|(x, _)| *x).chain(ridges).collect();
    let up: Vec<f64> = drawn.iter().map(|(_, y)| *y).chain([flops]).collect();
    let (x, y) = (Axis::around(&across, (left, right))?, Axis::around(&up, (bottom, top))?);
    let mut out = frame("roofline", (&x, &y), ["FLOP/byte", "GFLOP/s"], [short, short]);
    for (cache, bytes) in &roofs {
        let begins = x.low.max(y.low / bytes);
        let line = [(begins, bytes * begins), (flops / bytes, flops), (x.high, flops)];
        let points: Vec<String> =
            line.iter().map(|(a, b)| format!("{:.1},{:.1}", x.at(*a), y.at(b.min(flops)))).collect();
        let _ = write!(
            out,
            "<g class='{}'><polyline points='{}' fill='none' stroke='currentColor' stroke-width='1.5'>\
             <title>roof, {cache}: {} GB/s, {} GFLOP/s</title></polyline></g>",
            colour(cache),
            points.join(" "),
            short(*bytes),
            short(flops)
        );
    }
    for (number, row) in (1..).zip(rows) {
        for series in row.series.iter().filter(|s| s.rates.intensity > 0.0 && s.rates.flops > 0.0) {
            let r = &series.rates;
            let says = format!("{} {}: {:.3} GFLOP/s", row.case, series.cache, r.flops);
            mark(&mut out, (x.at(r.intensity), y.at(r.flops)), colour(series.cache), number, &says);
        }
    }
    Some(out + "</svg>")
}

/// What the size of cases is: the dimension that alone differs, or the bytes that must move.
fn sizes(rows: &[Row]) -> (String, Vec<f64>) {
    let first = rows.first().map_or(&[][..], |row| &row.dims);
    let varies = |name: &str| {
        let of = |row: &Row| row.dims.iter().find(|(own, _)| own == name).map(|(_, size)| *size);
        let own: Vec<Option<i64>> = rows.iter().map(of).collect();
        own.windows(2).any(|two| two[0] != two[1]).then_some(own)
    };
    let mut varying = first.iter().filter_map(|(name, _)| Some((name, varies(name)?)));
    if let (Some((name, own)), None) = (varying.next(), varying.next())
        && let Some(own) = own.into_iter().collect::<Option<Vec<i64>>>()
    {
        return (name.clone(), own.into_iter().map(|size| size as f64).collect());
    }
    ("bytes".into(), rows.iter().map(|row| row.cost.bytes()).collect())
}

/// Time against size, or what a simulator counts against it; none where there is only one case.
pub fn against_size(rows: &[Row]) -> Option<String> {
    if rows.len() < 2 {
        return None;
    }
    let (name, across) = sizes(rows);
    let timed = rows.iter().any(|row| !row.series.is_empty());
    let of = |row: &Row, cache: &str| match timed {
        true => row.series.iter().find(|s| s.cache == cache).map(|s| s.times.median),
        false => counted(&row.counts).filter(|_| cache == "warm"),
    };
    let lines = ["cold", "warm"].map(|cache| {
        let all = rows.iter().zip(&across).zip(1..).filter_map(|((row, x), number)| {
            let y = of(row, cache).filter(|y| *y > 0.0 && *x > 0.0)?;
            Some((*x, y, number, format!("{} {cache}", row.case)))
        });
        let mut all: Vec<(f64, f64, usize, String)> = all.collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        (colour(cache), all)
    });
    let (left, right, top, bottom) = FRAME;
    let up: Vec<f64> = lines.iter().flat_map(|(_, line)| line.iter().map(|p| p.1)).collect();
    let (x, y) = (Axis::around(&across, (left, right))?, Axis::around(&up, (bottom, top))?);
    let (what, unit): (&str, fn(f64) -> String) =
        if timed { ("time", time) } else { ("warp instructions", short) };
    let mut out = frame(&format!("{what} against size"), (&x, &y), [&name, what], [short, unit]);
    for (class, line) in &lines {
        let points: Vec<String> =
            line.iter().map(|(a, b, ..)| format!("{:.1},{:.1}", x.at(*a), y.at(*b))).collect();
        let _ = write!(
            out,
            "<g class='{class}'><polyline points='{}' fill='none' stroke='currentColor'/></g>",
            points.join(" ")
        );
        line.iter().for_each(|(a, b, number, says)| {
            mark(&mut out, (x.at(*a), y.at(*b)), class, *number, &format!("{says}: {}", unit(*b)));
        });
    }
    Some(out + "</svg>")
}

/// The times of both sides of a comparison, one over the other, and how many were too long to be drawn; none where
/// there are no samples.
pub fn distributions(sides: &[Vec<f64>; 2]) -> Option<(String, usize)> {
    let mut all: Vec<f64> = sides.concat();
    if sides.iter().any(Vec::is_empty) || all.iter().any(|t| !t.is_finite()) {
        return None;
    }
    all.sort_by(f64::total_cmp);
    let (low, high) = (all[0], all[((all.len() - 1) as f64 * SHOWN) as usize]);
    let high = if high > low { high } else { low + low.abs().max(1.0) * 0.01 };
    let (left, right, top, bottom) = FRAME;
    let bins = sides.each_ref().map(|side| {
        let mut bins = [0.0; BINS];
        for t in side.iter().filter(|t| **t <= high) {
            let bin = ((t - low) / (high - low) * BINS as f64) as usize;
            bins[bin.min(BINS - 1)] += 100.0 / side.len() as f64;
        }
        bins
    });
    let most = bins.iter().flatten().copied().fold(1.0, f64::max);
    let x = Axis { low, high, from: left, to: right, log: false };
    let y = Axis { low: 0.0, high: most * 1.05, from: bottom, to: top, log: false };
    let percent = |n: f64| format!("{n:.0} %");
    let mut out = frame("times of both", (&x, &y), ["time", "of samples"], [time, percent]);
    let wide = (right - left) / BINS as f64;
    for (class, bins) in ["one", "two"].iter().zip(&bins) {
        let bars = bins.iter().enumerate().filter(|(_, share)| **share > 0.0).map(|(at, share)| {
            let (x, up) = (left + wide * at as f64, y.at(*share));
            format!("<rect x='{x:.1}' y='{up:.1}' width='{wide:.1}' height='{:.1}'/>", bottom - up)
        });
        let bars: String = bars.collect();
        let _ = write!(out, "<g class='{class}' fill='currentColor' fill-opacity='0.55'>{bars}</g>");
    }
    let beyond = all.iter().filter(|t| **t > high).count();
    Some((out + "</svg>", beyond))
}

/// A share of a roof as a bar, in a line of text.
pub fn bar(share: f64) -> String {
    let (wide, high) = (60.0, 9.0);
    let filled = wide * share.clamp(0.0, 1.0);
    format!(
        "<svg class='one' width='{wide}' height='{high}' role='img' aria-label='{}'>\
         <rect width='{wide}' height='{high}' fill='currentColor' fill-opacity='0.2'/>\
         <rect width='{filled:.1}' height='{high}' fill='currentColor'/></svg>",
        visible(&format!("{:.0} %", 100.0 * share))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_axis_has_ticks_within_it() {
        for numbers in [&[3.0][..], &[1.0, 1.5], &[1e-4, 1e9], &[2e6, 7e6], &[0.0, 5.0]] {
            let axis = Axis::around(numbers, (0.0, 300.0)).unwrap();
            let ticks = axis.ticks();
            assert!((2..=12).contains(&ticks.len()), "{numbers:?}: {ticks:?}");
            assert!(ticks.iter().all(|tick| (0.0..=300.0).contains(&axis.at(*tick))), "{ticks:?}");
        }
        assert!(Axis::around(&[], (0.0, 1.0)).is_none() && Axis::around(&[0.0], (0.0, 1.0)).is_none());
        assert_eq!([5e-4, 0.05, 20.0, 2e3, 3e7].map(short), ["5e-4", "0.05", "20", "2k", "30M"]);
    }

    #[test]
    fn distributions_leave_room_for_what_is_usual() {
        let mut other: Vec<f64> = (0..99).map(|n| 200.0 + f64::from(n)).collect();
        other.push(1e9);
        let (svg, beyond) =
            distributions(&[(0..100).map(|n| 100.0 + f64::from(n)).collect(), other]).unwrap();
        assert!((1..=4).contains(&beyond), "{beyond}");
        assert!(svg.contains("class='one'") && svg.contains("class='two'"), "{svg}");
        assert!(distributions(&[vec![], vec![1.0]]).is_none());
        // all the same is no division by zero
        assert!(!distributions(&[vec![5.0; 9], vec![5.0; 9]]).unwrap().0.contains("NaN"));
    }
}
