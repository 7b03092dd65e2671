//! Two distributions over a logarithmic axis and the line between them, as characters and as SVG. Makes text only.

use std::fmt::Write;

use ktwin_check::calibrate::Calibration;

use super::entry::Chosen;

/// Characters for how many fall in a bin, the fewest first.
const SHADES: [char; 5] = ['.', ':', '+', '*', '#'];
/// What the numbers at the axis are.
const AXIS: &str = "times the published rule";
/// Bins of a picture.
const BINS: usize = 60;

/// What is drawn of a calibration: by bin, how many honest and how many coarse evaluations need so much of the pair.
pub struct Picture {
    title: String,
    rung: String,
    honest: Vec<usize>,
    coarse: Vec<usize>,
    /// The axis in powers of ten.
    low: f64,
    high: f64,
    /// The multiple that is marked, as a power of ten; the published pair's is 0.
    line: f64,
    /// What it is.
    meaning: &'static str,
}

impl Picture {
    /// Counts.
    pub fn new(what: &str, found: &Calibration, chosen: Option<&Chosen>) -> Picture {
        let logs = |all: &[f64]| -> Vec<f64> {
            all.iter().filter(|v| **v > 0.0 && v.is_finite()).map(|v| v.log10()).collect()
        };
        let (honest, coarse) = (logs(&found.honest), logs(&found.coarse));
        let chosen = chosen.filter(|chosen| chosen.against.is_none());
        let (line, meaning) = match (chosen, found.middle()) {
            (Some(chosen), _) => (chosen.multiple.log10(), "the chosen tolerance"),
            (None, Some(middle)) => (middle.log10(), "the middle of the gap"),
            (None, None) => (0.0, "the published pair, no gap"),
        };
        let all = || honest.iter().chain(&coarse).copied().chain([line]);
        let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        let (low, high) = (low.floor(), high.ceil().max(low.floor() + 1.0));
        let bins = |logs: &[f64]| {
            let mut bins = vec![0; BINS];
            logs.iter().for_each(|v| bins[place(*v, low, high)] += 1);
            bins
        };
        let (honest, coarse) = (bins(&honest), bins(&coarse));
        let rung = found.rung.name().to_string();
        let title = format!("{what}, against {rung}");
        Picture { title, rung, honest, coarse, low, high, line, meaning }
    }

    /// Two rows of shades, an axis, and what the line is.
    pub fn rows(&self) -> Vec<String> {
        let line = place(self.line, self.low, self.high);
        let row = |name: &str, bins: &[usize]| {
            let most = bins.iter().copied().max().unwrap_or(0).max(1);
            let shade = |(at, count): (usize, &usize)| match count {
                0 if at == line => '|',
                0 => ' ',
                count => SHADES[(count * SHADES.len()).div_ceil(most).clamp(1, SHADES.len()) - 1],
            };
            format!("{name:<8}[{}]", bins.iter().enumerate().map(shade).collect::<String>())
        };
        let (left, right) =
            (format!("{:.0e}", 10f64.powf(self.low)), format!("{:.0e}", 10f64.powf(self.high)));
        let axis = format!("{:<8} {left}{AXIS:^wide$}{right}", "", wide = BINS - left.len() - right.len());
        let line = format!("{:<8} | {}", "", self.meaning);
        vec![row("honest", &self.honest), row(&self.rung, &self.coarse), axis, line]
    }
}

fn place(log: f64, low: f64, high: f64) -> usize {
    let share = (log - low) / (high - low);
    ((share * BINS as f64) as usize).min(BINS - 1)
}

/// A page of pictures, one below the other.
pub fn svg(kernel: &str, pictures: &[Picture]) -> String {
    let height = 40 + 150 * pictures.len();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"680\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"680\" height=\"{height}\" fill=\"white\"/>\n<text x=\"40\" y=\"24\" \
         font-size=\"14\">{}: error in shares of the published rule</text>\n",
        escaped(kernel)
    );
    for (number, picture) in pictures.iter().enumerate() {
        panel(&mut out, picture, 40 + 150 * number);
    }
    out.push_str("</svg>\n");
    out
}

/// One picture with its upper edge at `top`: honest evaluations in blue, coarse ones in red, the line in black.
fn panel(out: &mut String, picture: &Picture, top: usize) {
    let (base, each) = (top + 120, 10);
    let _ = writeln!(out, "<text x=\"40\" y=\"{}\">{}</text>", top + 12, escaped(&picture.title));
    legend(out, picture, top + 12);
    for (bins, colour) in [(&picture.honest, HONEST), (&picture.coarse, COARSE)] {
        let most = bins.iter().copied().max().unwrap_or(0).max(1);
        for (at, count) in bins.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (x, tall) = (40 + each * at, 90 * count / most + 1);
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{}\" width=\"{each}\" height=\"{tall}\" fill=\"{colour}\" fill-opacity=\"0.6\"/>",
                base - tall
            );
        }
    }
    let line = 40 + each * place(picture.line, picture.low, picture.high) + each / 2;
    let _ = writeln!(
        out,
        "<line x1=\"{line}\" y1=\"{}\" x2=\"{line}\" y2=\"{base}\" stroke=\"black\"/>",
        top + 20
    );
    let _ = writeln!(out, "<line x1=\"40\" y1=\"{base}\" x2=\"640\" y2=\"{base}\" stroke=\"black\"/>");
    let (low, high, below) = (picture.low, picture.high, base + 14);
    let _ = writeln!(out, "<text x=\"40\" y=\"{below}\">1e{low:.0}</text>");
    let _ = writeln!(out, "<text x=\"340\" y=\"{below}\" text-anchor=\"middle\">{AXIS}</text>");
    let _ = writeln!(out, "<text x=\"640\" y=\"{below}\" text-anchor=\"end\">1e{high:.0}</text>");
}

/// Colours of honest evaluations and of coarse ones.
const HONEST: &str = "#3465a4";
const COARSE: &str = "#cc0000";

/// What the colours and the line are, on one line.
fn legend(out: &mut String, picture: &Picture, base: usize) {
    let names = [("honest", HONEST), (picture.rung.as_str(), COARSE), (picture.meaning, "black")];
    for (at, (name, colour)) in names.iter().enumerate() {
        let x = 300 + 90 * at;
        let _ =
            writeln!(out, "<rect x=\"{x}\" y=\"{}\" width=\"8\" height=\"8\" fill=\"{colour}\"/>", base - 8);
        let _ = writeln!(out, "<text x=\"{}\" y=\"{base}\">{}</text>", x + 12, escaped(name));
    }
}

fn escaped(text: &str) -> String {
    let visible = ktwin::explain::visible(text);
    visible.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_check::calibrate::Pair;
    use ktwin_num::Float;

    #[test]
    fn distributions_lie_on_either_side_of_the_line() {
        let (honest, coarse) = (vec![1e-3, 2e-3], vec![3.0, 9.0]);
        let pair = Pair { rtol: 1e-4, atol: 1e-5 };
        let sizes = vec!["N=7".into()];
        let pairs = vec![("N=3".into(), pair), ("N=5".into(), pair)];
        let found = Calibration { rung: Float::TF32, pair, pairs, sizes, honest, coarse };
        let picture = Picture::new("typical", &found, None);
        let rows = picture.rows();
        let line = rows[0].find('|').unwrap();
        assert!(rows[0].rfind('#').unwrap() < line && rows[1].find('#').unwrap() > line, "{rows:?}");
        assert!(rows[2].contains("1e-3") && rows[2].ends_with("1e1"), "{rows:?}");
        let svg = svg("a<b", &[picture]);
        assert!(
            svg.contains("a&lt;b")
                && svg.matches("#cc0000").count() == 3
                && svg.contains("the middle of the gap"),
            "{svg}"
        );
        let (policy, why) = (String::new(), String::new());
        let chosen = Chosen { policy, why, multiple: 3e-3, tighter: true, against: None };
        let tighter = Picture::new("typical", &found, Some(&chosen));
        let at = |picture: &Picture| picture.rows()[0].find('|');
        assert!(at(&tighter) < Some(line) && tighter.rows()[3].ends_with("| the chosen tolerance"));
    }
}
