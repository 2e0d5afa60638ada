//! Numbers as text, as C's `printf` writes them, and back.
//!
//! A *spec* is one word: the letter of the conversion (`d u x X o c e E f F g G p`) in the low byte, flags in the
//! next, and the size of an integer in bytes in the third. A negative precision means that there is none.

use crate::instr::Float;

/// Flags, in the second byte of a spec.
pub const LEFT: u64 = 1;
pub const PLUS: u64 = 2;
pub const SPACE: u64 = 4;
pub const ALTERNATE: u64 = 8;
pub const ZERO: u64 = 16;

/// Larger widths and precisions are refused: callers keep the text in a buffer of fixed size.
pub const LIMIT: i64 = 500;

/// The text of `value`; `None` if the conversion is unknown or the text would be too long.
pub fn format(spec: u64, width: u64, precision: u64, value: u64) -> Option<Vec<u8>> {
    let (letter, flags, size) = (spec as u8, spec >> 8 & 0xff, (spec >> 16 & 0xff) as u32);
    let (width, precision) = (i64::from(width as i32), i64::from(precision as i32));
    if width.abs() > LIMIT || precision > LIMIT || !matches!(size, 1 | 2 | 4 | 8) {
        return None;
    }
    let flags = if width < 0 { flags | LEFT } else { flags };
    let given = usize::try_from(precision).ok();
    let unused = 64 - 8 * size;
    let unsigned = value << unused >> unused;
    let (sign, body) = match letter {
        b'd' => {
            let number = (value << unused) as i64 >> unused;
            (sign(number < 0, flags), digits(number.unsigned_abs().to_string(), given))
        }
        b'u' => ("", digits(unsigned.to_string(), given)),
        b'x' | b'p' => {
            let prefix = letter == b'p' || (flags & ALTERNATE != 0 && unsigned != 0);
            (if prefix { "0x" } else { "" }, digits(format!("{unsigned:x}"), given))
        }
        b'X' => {
            let prefix = flags & ALTERNATE != 0 && unsigned != 0;
            (if prefix { "0X" } else { "" }, digits(format!("{unsigned:X}"), given))
        }
        b'o' => {
            let text = digits(format!("{unsigned:o}"), given);
            let needs_zero = flags & ALTERNATE != 0 && !text.starts_with('0');
            (if needs_zero { "0" } else { "" }, text)
        }
        b'c' => return Some(pad(b"", vec![value as u8], width, flags & LEFT)),
        b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
            let number = f64::from_bits(value);
            let text = float(letter.to_ascii_lowercase(), number.abs(), given, flags & ALTERNATE != 0);
            let text = if letter.is_ascii_uppercase() { text.to_uppercase() } else { text };
            (sign(number.is_sign_negative(), flags), text)
        }
        _ => return None,
    };
    let is_integer = matches!(letter, b'd' | b'u' | b'x' | b'X' | b'o' | b'p');
    let is_finite = is_integer || f64::from_bits(value).is_finite();
    let zeroes = is_finite && !(is_integer && given.is_some());
    let flags = if zeroes { flags } else { flags & !ZERO };
    Some(pad(sign.as_bytes(), body.into_bytes(), width, flags))
}

/// The bits of the number in `text`, rounded to the nearest; `None` if it is not a decimal number.
pub fn parse_float(format: Float, text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    match format {
        Float::F32 => text.parse().ok().map(|number: f32| number.to_bits().into()),
        Float::F64 => text.parse().ok().map(f64::to_bits),
    }
}

fn sign(negative: bool, flags: u64) -> &'static str {
    match negative {
        true => "-",
        false if flags & PLUS != 0 => "+",
        false if flags & SPACE != 0 => " ",
        false => "",
    }
}

/// At least as many digits as the precision; zero with a precision of zero has none.
fn digits(text: String, precision: Option<usize>) -> String {
    match precision {
        Some(0) if text == "0" => String::new(),
        Some(least) => "0".repeat(least.saturating_sub(text.len())) + &text,
        None => text,
    }
}

fn pad(sign: &[u8], body: Vec<u8>, width: i64, flags: u64) -> Vec<u8> {
    let missing = (width.unsigned_abs() as usize).saturating_sub(sign.len() + body.len());
    let fill = |byte: u8, wanted: bool| vec![byte; if wanted { missing } else { 0 }];
    let (left, zero) = (flags & LEFT != 0, flags & ZERO != 0);
    [&fill(b' ', !left && !zero)[..], sign, &fill(b'0', !left && zero)[..], &body[..], &fill(b' ', left)[..]]
        .concat()
}

fn float(letter: u8, number: f64, precision: Option<usize>, keep_zeroes: bool) -> String {
    if !number.is_finite() {
        return if number.is_nan() { "nan" } else { "inf" }.to_string();
    }
    let precision = precision.unwrap_or(6);
    match letter {
        b'f' => format!("{number:.precision$}"),
        b'e' => scientific(number, precision),
        _ => {
            let significant = precision.max(1);
            let rounded = scientific(number, significant - 1);
            let exponent: i64 = rounded.split('e').nth(1).map_or(0, |text| text.parse().unwrap_or(0));
            let fits = exponent >= -4 && exponent < significant as i64;
            let text = match fits {
                true => format!("{number:.*}", (significant as i64 - 1 - exponent) as usize),
                false => rounded,
            };
            if keep_zeroes { text } else { without_zeroes(&text) }
        }
    }
}

/// `d.ddde±dd`
fn scientific(number: f64, precision: usize) -> String {
    let text = format!("{number:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').expect("Rust writes an exponent");
    let exponent: i32 = exponent.parse().expect("Rust writes a number");
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// Without the zeroes at the end of the fraction, and without the point if no fraction remains.
fn without_zeroes(text: &str) -> String {
    let (mantissa, exponent) =
        text.split_once('e').map_or((text, ""), |(mantissa, _)| (mantissa, &text[mantissa.len()..]));
    let mantissa = match mantissa.contains('.') {
        true => mantissa.trim_end_matches('0').trim_end_matches('.'),
        false => mantissa,
    };
    mantissa.to_string() + exponent
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(letter: u8, flags: u64, (width, precision): (i64, i64), value: u64, expected: &str) {
        let spec = u64::from(letter) | flags << 8 | 4 << 16;
        let text = format(spec, width as u64, precision as u64, value).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }

    #[test]
    fn integers_are_written_as_printf_writes_them() {
        check(b'd', 0, (0, -1), -5i32 as u32 as u64, "-5");
        check(b'd', ZERO, (6, -1), -5i32 as u32 as u64, "-00005");
        check(b'd', ZERO, (6, 3), 5, "   005");
        check(b'd', LEFT | PLUS, (6, -1), 5, "+5    ");
        check(b'd', 0, (0, 0), 0, "");
        check(b'u', 0, (0, -1), u64::MAX, "4294967295");
        check(b'x', ALTERNATE | ZERO, (8, -1), 255, "0x0000ff");
        check(b'o', ALTERNATE, (0, -1), 8, "010");
        check(b'c', 0, (3, -1), b'a'.into(), "  a");
    }

    #[test]
    fn floats_are_written_as_printf_writes_them() {
        check(b'f', 0, (0, -1), 1.5f64.to_bits(), "1.500000");
        check(b'f', 0, (8, 1), (-2.25f64).to_bits(), "    -2.2");
        check(b'e', 0, (0, 2), 12345.0f64.to_bits(), "1.23e+04");
        check(b'g', 0, (0, -1), 100000.0f64.to_bits(), "100000");
        check(b'g', 0, (0, -1), 1e6f64.to_bits(), "1e+06");
        check(b'g', 0, (0, -1), 0.0001f64.to_bits(), "0.0001");
        check(b'G', 0, (0, 3), 1e-5f64.to_bits(), "1E-05");
        check(b'f', ZERO, (6, -1), f64::INFINITY.to_bits(), "   inf");
    }
}
