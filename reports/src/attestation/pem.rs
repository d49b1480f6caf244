//! PEM (RFC 7468): one block, strictly read. A key file with anything else in it is refused rather than searched.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Characters a line, as every writer of PEM has it.
const WIDTH: usize = 64;

/// The block called `label` that holds `der`.
pub(super) fn encode(label: &str, der: &[u8]) -> String {
    let body = STANDARD.encode(der);
    let mut text = format!("-----BEGIN {label}-----\n");
    let mut rest = body.as_str();
    while !rest.is_empty() {
        let (line, more) = rest.split_at(WIDTH.min(rest.len()));
        text.push_str(line);
        text.push('\n');
        rest = more;
    }
    text.push_str(&format!("-----END {label}-----\n"));
    text
}

/// What the only block of `text` is called, and what it holds; `None` when there is not exactly one whole block.
pub(super) fn decode(text: &str) -> Option<(&str, Vec<u8>)> {
    let inner = text.trim().strip_prefix("-----BEGIN ")?;
    let (label, rest) = inner.split_once("-----")?;
    let body = rest.strip_suffix(&format!("-----END {label}-----"))?;
    let body: String = body.split_ascii_whitespace().collect();
    Some((label, STANDARD.decode(body).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for length in [0, 1, 47, 48, 49, 200] {
            let der: Vec<u8> = (0..length).map(|n| u8::try_from(n).unwrap()).collect();
            let text = encode("PUBLIC KEY", &der);
            assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
            assert_eq!(decode(&text), Some(("PUBLIC KEY", der)));
        }
    }

    #[test]
    fn a_block_that_is_not_whole_is_none() {
        let text = encode("PUBLIC KEY", b"abc");
        for bad in [
            "",
            &text.replace("END PUBLIC", "END PRIVATE"),
            &text.replace("YWJj", "YW*j"),
            &format!("{text}{text}"),
            &text[..text.len() - 8],
        ] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
