//! Base64 with the standard alphabet and padding.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn encode(bytes: &[u8], out: &mut String) {
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let digit = (word >> (18 - 6 * i)) as usize & 63;
            out.push(if i <= chunk.len() { ALPHABET[digit] as char } else { '=' });
        }
    }
}

/// Appends the bytes of `text`; the padding may be left out. `None` where it is not base64.
pub(super) fn decode(text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let padding = text.iter().rev().take(2).take_while(|&&byte| byte == b'=').count();
    if padding > 0 && !text.len().is_multiple_of(4) {
        return None;
    }
    for chunk in text[..text.len() - padding].chunks(4) {
        let mut word = 0u32;
        for &byte in chunk {
            word = word << 6 | u32::from(digit(byte)?);
        }
        match chunk.len() {
            4 => out.extend_from_slice(&word.to_be_bytes()[1..]),
            3 if word & 3 == 0 => out.extend_from_slice(&(word >> 2).to_be_bytes()[2..]),
            2 if word & 15 == 0 => out.push((word >> 4) as u8),
            _ => return None,
        }
    }
    Some(())
}

fn digit(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}
