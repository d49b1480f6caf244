//! Server-sent events, cut out of a stream of bytes that may be split anywhere.
//!
//! Written here because of what it must not do: hold more than a bound in memory, replace broken text, or hand out
//! half of an event as if it were whole.

/// The longest event that is held; it is also the longest line.
const LONGEST_EVENT: usize = 16 << 20;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// The `event` field; empty when there was none.
    pub(crate) name: Vec<u8>,
    /// The `data` fields, joined by line breaks.
    pub(crate) data: Vec<u8>,
}

/// More bytes without an end than are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is longer than {} MiB", LONGEST_EVENT >> 20)]
pub(crate) struct TooLong;

/// Reads events from chunks.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    line: Vec<u8>,
    name: Vec<u8>,
    data: Option<Vec<u8>>,
    /// The last byte ended a line as a carriage return: a line feed now belongs to it.
    after_return: bool,
    /// A line was ended already, so that no byte order mark can come any more.
    started: bool,
}

impl Parser {
    /// Takes the next bytes; hands out the events that they complete.
    pub(crate) fn push(&mut self, mut bytes: &[u8]) -> Result<Vec<Event>, TooLong> {
        let mut events = Vec::new();
        while let Some(&first) = bytes.first() {
            if std::mem::take(&mut self.after_return) && first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let part = &bytes[..end.unwrap_or(bytes.len())];
            let held = self.line.len() + self.data.as_ref().map_or(0, Vec::len);
            if held + part.len() > LONGEST_EVENT {
                return Err(TooLong);
            }
            self.line.extend_from_slice(part);
            let Some(end) = end else { break };
            self.after_return = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            events.extend(self.end_line());
        }
        Ok(events)
    }

    /// The event that was not followed by an empty line when the stream ended. It may be cut, so that its data is
    /// worth something only if that can be seen from the data itself.
    pub(crate) fn finish(mut self) -> Option<Event> {
        if self.line.is_empty() {
            return self.dispatch();
        }
        self.end_line().or_else(|| self.dispatch())
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let line = if std::mem::replace(&mut self.started, true) {
            line.as_slice()
        } else {
            line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line)
        };
        if line.is_empty() {
            return self.dispatch();
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (field, value) = line.split_at(colon.unwrap_or(line.len()));
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"event" => self.name = value.to_vec(),
            b"data" => match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => self.data = Some(value.to_vec()),
            },
            // Comments have an empty field name; `id` and `retry` are about coming back, which nobody does here.
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<Event> {
        let name = std::mem::take(&mut self.name);
        self.data.take().map(|data| Event { name, data })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(chunks: &[&[u8]]) -> Vec<(String, String)> {
        let mut parser = Parser::default();
        let mut events = Vec::new();
        for chunk in chunks {
            events.extend(parser.push(chunk).unwrap());
        }
        events.extend(parser.finish());
        let text = |bytes| String::from_utf8(bytes).unwrap();
        events.into_iter().map(|event| (text(event.name), text(event.data))).collect()
    }

    fn pairs(events: &[(&str, &str)]) -> Vec<(String, String)> {
        events.iter().map(|(name, data)| ((*name).to_owned(), (*data).to_owned())).collect()
    }

    #[test]
    fn the_forms_that_servers_use() {
        assert_eq!(read(&[b"data: a\n\ndata:b\n\n"]), pairs(&[("", "a"), ("", "b")]));
        assert_eq!(read(&[b": hi\r\n\r\nevent: x\r\ndata: a\r\n\r\n"]), pairs(&[("x", "a")]));
        assert_eq!(read(&[b"event: x\rdata: a\rdata: b\rdata\r\r"]), pairs(&[("x", "a\nb\n")]));
        assert_eq!(read(&["\u{feff}data: a\n\n".as_bytes()]), pairs(&[("", "a")]));
        assert_eq!(read(&[b"id: 7\nretry: 5\ndata:  a: b \n\n"]), pairs(&[("", " a: b ")]));
        assert_eq!(read(&[b"event: only a name\n\ndata: a\n\n"]), pairs(&[("", "a")]));
        assert_eq!(read(&[b""]), []);
        assert_eq!(read(&[b"<html>\n\n{}\n\n"]), []);
    }

    #[test]
    fn what_no_empty_line_follows_is_handed_out_last() {
        assert_eq!(read(&[b"data: a\n\ndata: [DO"]), pairs(&[("", "a"), ("", "[DO")]));
        assert_eq!(read(&[b"data: a\n"]), pairs(&[("", "a")]));
    }

    #[test]
    fn an_event_without_end_is_not_held_for_ever() {
        let mut parser = Parser::default();
        let chunk = vec![b'x'; 1 << 20];
        let outcome = (0..40).find_map(|_| parser.push(&chunk).err());
        assert_eq!(outcome, Some(TooLong));
        let mut parser = Parser::default();
        let line = [b"data: ".as_slice(), &chunk, b"\n"].concat();
        assert_eq!((0..40).find_map(|_| parser.push(&line).err()), Some(TooLong));
    }

    proptest! {
        #[test]
        fn where_the_chunks_end_makes_no_difference(
            lines in proptest::collection::vec("(data|event|)(: ?)[a-zé:\u{1F600} ]{0,6}|", 0..12),
            breaks in proptest::collection::vec(proptest::sample::select(vec!["\n", "\r\n", "\r"]), 12),
            cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..6),
        ) {
            let text: String = lines.iter().zip(&breaks).flat_map(|(line, end)| [line.as_str(), end]).collect();
            let bytes = text.as_bytes();
            let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            places.extend([0, bytes.len()]);
            places.sort_unstable();
            let chunks: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read(&chunks), read(&[bytes]));
        }
    }
}
