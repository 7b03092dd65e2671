//! Errors as pictures: a heat map and a histogram, in characters and as SVG. Makes strings; prints nothing.

use ktwin_check::{Expected, Judgement, SHARES};

/// What the shares of [`SHARES`] are called, and what is of the wrong class.
const NAMES: [&str; SHARES.len() + 1] =
    ["0", "1/16", "1/4", "1/2", "1 bar", "2", "4", "16", "256", "65536", "more", "NaN/inf"];
/// Buckets up to this are inside the bar.
const INSIDE: usize = 5;
/// The side of a cell of an SVG, which is larger where there are few, and the height and width of a histogram's row.
const CELL: usize = 9;
const LARGE_CELL: usize = 28;
/// What a map of few cells fills, if its cells may be so large.
const FILLED: usize = 160;
const ROW: usize = 16;
const LENGTH: usize = 240;

/// The largest share of its bar that an error is, for each cell of an output; none where nothing is promised.
pub struct Heat {
    across: usize,
    cells: Vec<Option<f64>>,
}

impl Heat {
    /// An output, rows over one another, in so many cells at most.
    pub fn of(expected: &Expected, got: &[f64], (wide, high): (usize, usize)) -> Heat {
        let total = got.len().max(1);
        let row = match expected.shape.len() {
            0 | 1 => wide.min(total),
            n => expected.shape[n - 1].max(1),
        };
        let rows = total.div_ceil(row);
        let (across, down) = (row.min(wide), rows.min(high));
        let mut cells: Vec<Option<f64>> = vec![None; across * down];
        for (at, got) in got.iter().enumerate() {
            let share = match expected.judge(at, *got) {
                Judgement::Free => continue,
                Judgement::WrongClass => f64::NAN,
                Judgement::Inside(share) | Judgement::Outside(share) => share,
            };
            let cell = &mut cells[(at / row) * down / rows * across + (at % row) * across / row];
            *cell = Some(cell.map_or(share, |c| if c.is_nan() || c > share { c } else { share }));
        }
        Heat { across, cells }
    }

    /// What the characters of the map say, as far as it has them.
    pub fn legend(&self) -> String {
        let signs: String = self.text().concat();
        let digits = signs.chars().filter_map(|sign| sign.to_digit(10));
        let worst = digits.max().map(|most| match most {
            1 => "`1` up to 10 bars off".to_string(),
            9 => "`1`-`9` up to 10, 100, ... bars off, `9` also more".into(),
            most => format!("`1`-`{most}` up to 10, 100, ... bars off"),
        });
        let has = |sign: char, says: &str| signs.contains(sign).then(|| format!("`{sign}` {says}"));
        let parts = [
            has('.', "inside the bar"),
            worst,
            has('#', "NaN or infinite where a number is due, or the other way round"),
            has(' ', "nothing is promised"),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Rows of characters: `.` inside the bar, a digit for the powers of ten beyond it, `#` of the wrong class.
    pub fn text(&self) -> Vec<String> {
        let sign = |cell: &Option<f64>| match cell {
            None => ' ',
            Some(share) if share.is_nan() => '#',
            Some(share) if *share <= 1.0 => '.',
            Some(share) => char::from_digit(tens(*share), 10).unwrap_or('9'),
        };
        self.cells.chunks(self.across).map(|row| row.iter().map(sign).collect()).collect()
    }

    /// The same as SVG.
    pub fn svg(&self) -> String {
        let rows: Vec<&[Option<f64>]> = self.cells.chunks(self.across).collect();
        let colour = |cell: &Option<f64>| match cell {
            None => "#bbb".to_string(),
            Some(share) if share.is_nan() => "#7a1fa2".into(),
            Some(share) if *share <= 1.0 => "#3a9d5d".into(),
            Some(share) => format!("hsl(8 80% {}%)", 72 - 5 * tens(*share).min(9)),
        };
        squares(&rows, colour)
    }
}

/// Beyond the bar: 1 up to ten times, 2 up to a hundred times, and so on up to 9.
fn tens(share: f64) -> u32 {
    (share.log10().ceil().clamp(1.0, 9.0)) as u32
}

fn squares<T>(rows: &[&[T]], colour: impl Fn(&T) -> String) -> String {
    let across = rows.first().map_or(0, |row| row.len());
    let cell_side = (FILLED / across.max(rows.len()).max(1)).clamp(CELL, LARGE_CELL);
    let (wide, high) = (across * cell_side, rows.len() * cell_side);
    let mut out = start(wide, high, "map of the errors");
    for (y, row) in rows.iter().enumerate() {
        for (x, cell) in row.iter().enumerate() {
            let (x, y, side) = (x * cell_side, y * cell_side, cell_side - 1);
            let colour = colour(cell);
            out.push_str(&format!("<rect x='{x}' y='{y}' width='{side}' height='{side}' fill='{colour}'/>"));
        }
    }
    out + "</svg>"
}

/// How an SVG of this size begins.
pub fn start(wide: usize, high: usize, label: &str) -> String {
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{wide}' height='{high}' viewBox='0 0 {wide} {high}' role='img' \
         aria-label='{label}' font-family='sans-serif' font-size='11'>"
    )
}

/// The map of a report, `.` right, `+` some wrong, `#` all wrong, as SVG.
pub fn map_svg(map: &[String]) -> String {
    let rows: Vec<Vec<char>> = map.iter().map(|row| row.chars().collect()).collect();
    let rows: Vec<&[char]> = rows.iter().map(Vec::as_slice).collect();
    let colour = |c: &char| match c {
        '#' => "#c62f2f".to_string(),
        '+' => "#e8923a".into(),
        '.' => "#3a9d5d".into(),
        _ => "#bbb".into(),
    };
    squares(&rows, colour)
}

/// Elements by how many bars their errors are, in rows of characters.
pub fn histogram_text(counts: &[usize], room: usize) -> Vec<String> {
    let most = counts.iter().max().copied().unwrap_or(0).max(1);
    let row = |(name, count): (&&str, &usize)| {
        let length = (count * room).div_ceil(most);
        format!("{name:>7} |{:<room$} {count}", "#".repeat(length))
    };
    NAMES.iter().zip(counts).map(row).map(|row| row.trim_end().to_string()).collect()
}

/// The same as SVG.
pub fn histogram_svg(counts: &[usize]) -> String {
    let most = counts.iter().max().copied().unwrap_or(0).max(1);
    let mut out = start(60 + LENGTH + 70, counts.len() * ROW, "errors as shares of the bar");
    for (at, (name, count)) in NAMES.iter().zip(counts).enumerate() {
        let (top, base) = (at * ROW, at * ROW + 12);
        let length = (count * LENGTH).div_ceil(most);
        let colour = if at < INSIDE { "#3a9d5d" } else { "#c62f2f" };
        out.push_str(&format!(
            "<text x='52' y='{base}' text-anchor='end' fill='currentColor'>{name}</text>\
             <rect x='58' y='{}' width='{length}' height='{}' fill='{colour}'/>\
             <text x='{}' y='{base}' fill='currentColor'>{count}</text>",
            top + 2,
            ROW - 4,
            64 + length
        ));
    }
    out + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_num::DType;

    fn expected() -> Expected {
        let (values, bars) = (vec![1.0; 4], vec![0.5, 0.5, 0.5, f64::INFINITY]);
        let (name, shape, low) = ("y".into(), vec![2, 2], Vec::new());
        Expected { name, shape, dtype: DType::F32, values, low, bars, any: Default::default(), policy: None }
    }

    #[test]
    fn cells_show_the_worst_of_what_they_hold() {
        let heat = Heat::of(&expected(), &[1.25, 21.0, f64::NAN, 7.0], (8, 8));
        assert_eq!(heat.text(), [".2", "# "]);
        let legend = heat.legend();
        assert!(
            legend.starts_with("`.` inside the bar, `1`-`2` up to 10, 100, ... bars off, `#` NaN"),
            "{legend}"
        );
        assert!(legend.ends_with("` ` nothing is promised"), "{legend}");
        let one = Heat::of(&expected(), &[1.25, 21.0, 1.0, 7.0], (1, 1));
        assert_eq!(one.text(), ["2"]);
        // a single cell can be seen
        assert!(one.svg().contains("width='28' height='28'"), "{}", one.svg());
        assert_eq!(heat.svg().matches("<rect").count(), 4);
    }

    #[test]
    fn histograms_are_as_wide_as_the_room() {
        let rows = histogram_text(&[2, 0, 0, 0, 0, 4], 8);
        assert_eq!((rows[0].as_str(), rows[5].as_str()), ("      0 |####     2", "      2 |######## 4"));
        assert_eq!(histogram_svg(&[1, 2]).matches("<rect").count(), 2);
    }
}
