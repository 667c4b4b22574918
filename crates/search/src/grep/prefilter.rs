//! Tests many lines of a file together for a match, so that the searcher never sees most files.

use std::io::{self, Read};
use std::sync::Arc;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use memchr::memmem::Finder;

use super::options::Binary;

/// How much of a file the searcher tests for a NUL in multiline mode.
const BINARY_BYTES: usize = 64 * 1024;

/// What the test of a file shows.
pub(super) enum Prefiltered {
    /// No match, up to the end or to a NUL byte.
    NoMatch { binary: bool },
    /// Perhaps a match. The first `filled` bytes of the file are in the buffer. `at_end`: these are all of its bytes.
    InHead { filled: usize, at_end: bool },
    /// Perhaps a match. The buffer no longer contains the beginning of the file.
    AfterHead,
}

/// How to test a file.
pub(super) struct Prefilter<'a> {
    /// The matcher, if a search of a whole file finds exactly the lines that match by themselves.
    pub(super) matcher: Option<&'a RegexMatcher>,
    /// A string that every match contains.
    pub(super) required: Option<&'a Arc<Finder<'static>>>,
    pub(super) multiline: bool,
    pub(super) binary: Binary,
}

impl Prefilter<'_> {
    /// Reads a file, part by part, until its end or a possible match.
    pub(super) fn test(&self, file: &mut impl Read, buffer: &mut [u8]) -> io::Result<Prefiltered> {
        let (mut filled, mut is_first) = (0, true);
        loop {
            let at_end = fill(file, buffer, &mut filled)?;
            let text = &buffer[..filled];
            let possible = if is_first { Prefiltered::InHead { filled, at_end } } else { Prefiltered::AfterHead };
            let Some(matcher) = self.matcher else { return Ok(possible) };
            // UTF-16 is decoded before it is matched.
            if is_first && is_utf16(text) {
                return Ok(possible);
            }
            let end = match (at_end, self.multiline) {
                (true, _) => filled,
                (false, true) => 0,
                (false, false) => memchr::memrchr(b'\n', text).map_or(0, |at| at + 1),
            };
            if end == 0 && !at_end {
                return Ok(possible);
            }
            let lines = &text[..end];
            // The searcher takes a NUL for the end of a line.
            if self.binary == Binary::Search && memchr::memchr(0, lines).is_some() {
                return Ok(possible);
            }
            let decoded = if is_first { lines.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(lines) } else { lines };
            let found = if self.required.is_some_and(|required| required.find(decoded).is_none()) {
                Ok(false)
            } else if self.multiline {
                matcher.shortest_match(decoded).map(|end| end.is_some())
            } else {
                matcher.find_candidate_line(decoded).map(|line| line.is_some())
            };
            if found.map_err(io::Error::other)? {
                return Ok(possible);
            }
            // The searcher ends at a NUL; in multiline mode it notices only one near the beginning.
            let end = if self.multiline { decoded.len().min(BINARY_BYTES) } else { decoded.len() };
            let binary = self.binary == Binary::Skip && memchr::memchr(0, &decoded[..end]).is_some();
            if binary || at_end {
                return Ok(Prefiltered::NoMatch { binary });
            }
            buffer.copy_within(end..filled, 0);
            filled -= end;
            is_first = false;
        }
    }
}

/// Whether a string begins with the byte order mark of UTF-16.
fn is_utf16(text: &[u8]) -> bool {
    text.starts_with(b"\xFF\xFE") || text.starts_with(b"\xFE\xFF")
}

pub(super) fn has_byte_order_mark(text: &[u8]) -> bool {
    is_utf16(text) || text.starts_with(b"\xEF\xBB\xBF")
}

/// Reads until the buffer is full. Returns whether the file is at its end.
fn fill(file: &mut impl Read, buffer: &mut [u8], filled: &mut usize) -> io::Result<bool> {
    while *filled < buffer.len() {
        match file.read(&mut buffer[*filled..]) {
            Ok(0) => return Ok(true),
            Ok(read) => *filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}
