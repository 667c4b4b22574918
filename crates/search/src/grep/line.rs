//! Parts of a line: its text without the terminator, the part to show, and the matches in that part.

use std::ops::Range;

use super::outcome::Submatch;

/// Returns the parts of the submatches that are in the `length` bytes from `start`, with offsets from `start` and their
/// indices. An empty submatch at their end is kept, too.
pub(super) fn within(submatches: &[Submatch], start: usize, length: usize) -> impl Iterator<Item = (usize, Submatch)> {
    let end = start + length;
    let overlaps = move |(_, submatch): &(usize, &Submatch)| {
        if submatch.start == submatch.end {
            (start..=end).contains(&submatch.start)
        } else {
            submatch.start < end && submatch.end > start
        }
    };
    let shift = move |(index, submatch): (usize, &Submatch)| {
        (index, Submatch { start: submatch.start.max(start) - start, end: submatch.end.min(end) - start })
    };
    // They are in order and do not overlap.
    let first = submatches.partition_point(|submatch| submatch.end < start);
    let next = first + submatches[first..].partition_point(|submatch| submatch.start <= end);
    (first..next).zip(&submatches[first..next]).filter(overlaps).map(shift)
}

/// Extends a match to whole characters, but not to those before `from`, where the previous match ends. Returns `None` if
/// nothing remains, as for an empty match inside a character.
pub(super) fn between_characters(text: &[u8], found: Range<usize>, from: usize) -> Option<Range<usize>> {
    let start = character_around(text, found.start).start;
    if found.is_empty() {
        return (start == found.start).then_some(found);
    }
    let last = character_around(text, found.end);
    let end = if last.start == found.end { found.end } else { last.end };
    let start = start.max(from);
    (start < end).then_some(start..end)
}

/// Returns the bytes of the character that the byte at an offset belongs to. The range is empty if a character begins at the
/// offset. A run of bytes that decodes to one U+FFFD counts as one character.
fn character_around(text: &[u8], at: usize) -> Range<usize> {
    let is_inside = |at: usize| text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    if !is_inside(at) {
        return at..at;
    }
    let first = at.saturating_sub(3);
    let Some(start) = (first..at).rev().find(|&start| !is_inside(start)) else { return at..at };
    let Some(chunk) = text[start..text.len().min(start + 4)].utf8_chunks().next() else { return at..at };
    let length = chunk.valid().chars().next().map_or(chunk.invalid().len(), char::len_utf8);
    if at < start + length { start..start + length } else { at..at }
}

/// Returns a line without its `\n`. A `\r` before the `\n` belongs to the line, because only `\n` separates lines.
pub(super) fn without_terminator(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// Returns the part of a line to show, of up to `max_columns` characters. It begins where the line does. If the match at
/// `focus` would not be in that part, the match is in its middle.
pub(super) fn kept_part(line: &[u8], focus: Range<usize>, max_columns: usize) -> Range<usize> {
    if line.len() <= max_columns {
        return 0..line.len();
    }
    let (mut columns, mut first, mut last) = (0, 0, 0);
    for start in character_starts(line) {
        columns += 1;
        first += usize::from(start < focus.start);
        last += usize::from(start < focus.end);
    }
    if columns <= max_columns {
        return 0..line.len();
    }
    let from = if last <= max_columns {
        0
    } else {
        // A match that is longer than the part is at the beginning of the part.
        let lead = max_columns.saturating_sub(last - first) / 2;
        first.saturating_sub(lead).min(columns - max_columns)
    };
    let byte_of = |column| character_starts(line).nth(column).unwrap_or(line.len());
    byte_of(from)..byte_of(from + max_columns)
}

/// Where the characters of a line begin. Each run of bytes that is not UTF-8 counts as one character.
fn character_starts(line: &[u8]) -> impl Iterator<Item = usize> {
    let mut offset = 0;
    line.utf8_chunks().flat_map(move |chunk| {
        let start = offset;
        let invalid = start + chunk.valid().len();
        offset = invalid + chunk.invalid().len();
        let valid = chunk.valid().char_indices().map(move |(at, _)| start + at);
        valid.chain((!chunk.invalid().is_empty()).then_some(invalid))
    })
}
