//! Doubles as text: the fewest digits that read back as the same double, laid out as JavaScript does.

use std::fmt::Write;

/// Appends a finite double; a whole number ends in `.0`, so that it reads back as a double.
pub(super) fn write(double: f64, out: &mut String) {
    let start = out.len();
    let magnitude = double.abs();
    if double.is_sign_negative() {
        out.push('-');
    }
    let digits_at = out.len();
    // Rust's shortest digits are those of JavaScript; the exponent decides on the layout.
    if magnitude == 0.0 || (1e-6..1e21).contains(&magnitude) {
        let _ = write!(out, "{magnitude}");
        if !out[digits_at..].contains('.') {
            out.push_str(".0");
        }
        return;
    }
    let _ = write!(out, "{magnitude:e}");
    if magnitude >= 1.0 {
        // JavaScript writes 1e+21.
        if let Some(at) = out[start..].find('e') {
            out.insert(start + at + 1, '+');
        }
    }
}
