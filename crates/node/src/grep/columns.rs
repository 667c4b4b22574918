//! The columns of the matches of `grep`.

use cairn_search::{ContextLine, GrepMode, LineMatch, Submatch};

use crate::columns::{Column, Text};
use crate::options::lossy_flag;
use crate::utf16::push_offsets;

const COLUMNS: usize = 16;

/// The columns. The text has the paths; then of each match the line, its replacements, and the lines of context before and
/// after it, each with its replacements. A column that does not belong to the mode is empty.
pub(super) fn encode(paths: &[Vec<u8>], matches: &[LineMatch], mode: GrepMode) -> Vec<u8> {
    let mut text = Text::<COLUMNS>::new();
    let (mut path_lengths, mut path_flags) = (Vec::new(), Vec::new());
    for path in paths {
        let lossy = text.push(path, &mut path_lengths);
        path_flags.push(lossy_flag(lossy));
    }
    let files: Vec<u32> = matches.iter().map(|found| found.file as u32).collect();
    let match_counts: Vec<f64> = match mode {
        GrepMode::Count => matches.iter().map(|found| found.match_count.unwrap_or(0) as f64).collect(),
        GrepMode::Content | GrepMode::FilesWithMatches => Vec::new(),
    };
    let lines = match mode {
        GrepMode::Content => Lines::new(matches, &mut text),
        GrepMode::Count | GrepMode::FilesWithMatches => Lines::default(),
    };
    text.pack([
        Column::U32(&path_lengths),
        Column::U8(&path_flags),
        Column::U32(&files),
        Column::F64(&match_counts),
        Column::F64(&lines.numbers),
        Column::U32(&lines.lengths),
        Column::U8(&lines.flags),
        Column::U32(&lines.submatch_counts),
        Column::U32(&lines.submatches),
        Column::U32(&lines.before_counts),
        Column::U32(&lines.after_counts),
        Column::F64(&lines.context_numbers),
        Column::U32(&lines.context_lengths),
        Column::U8(&lines.context_flags),
        Column::U32(&lines.context_submatch_counts),
        Column::U32(&lines.replacement_lengths),
    ])
}

/// The columns of content mode: a value for each match, submatch (start, end) or context line.
#[derive(Default)]
struct Lines {
    numbers: Vec<f64>,
    lengths: Vec<u32>,
    flags: Vec<u8>,
    submatch_counts: Vec<u32>,
    submatches: Vec<u32>,
    before_counts: Vec<u32>,
    after_counts: Vec<u32>,
    context_numbers: Vec<f64>,
    context_lengths: Vec<u32>,
    /// Empty if no line of context matches or has submatches.
    context_flags: Vec<u8>,
    context_submatch_counts: Vec<u32>,
    /// Empty without a replacement.
    replacement_lengths: Vec<u32>,
}

/// The length of the replacement of a match that begins in an earlier line.
const CONTINUED: u32 = u32::MAX;

impl Lines {
    fn new(matches: &[LineMatch], text: &mut Text<COLUMNS>) -> Self {
        let mut lines = Self {
            numbers: matches.iter().map(|found| found.line_number as f64).collect(),
            lengths: Vec::with_capacity(matches.len()),
            flags: matches.iter().map(flags).collect(),
            submatch_counts: matches.iter().map(|found| found.submatches.len() as u32).collect(),
            before_counts: matches.iter().map(|found| found.before.len() as u32).collect(),
            after_counts: matches.iter().map(|found| found.after.len() as u32).collect(),
            ..Self::default()
        };
        let is_plain = |context: &ContextLine| !context.is_match && context.submatches.is_empty();
        let has_matches = !matches.iter().flat_map(context_of).all(is_plain);
        for found in matches {
            text.push(&found.line, &mut lines.lengths);
            lines.push_submatches(&found.line, &found.submatches, &found.replacements, text);
            for context in context_of(found) {
                lines.context_numbers.push(context.line_number as f64);
                text.push(&context.line, &mut lines.context_lengths);
                if has_matches {
                    lines.context_flags.push(u8::from(context.is_match));
                    lines.context_submatch_counts.push(context.submatches.len() as u32);
                    lines.push_submatches(&context.line, &context.submatches, &context.replacements, text);
                }
            }
        }
        lines
    }

    fn push_submatches(
        &mut self,
        line: &[u8],
        submatches: &[Submatch],
        replacements: &[Option<Vec<u8>>],
        text: &mut Text<COLUMNS>,
    ) {
        for replacement in replacements {
            match replacement {
                Some(replacement) => {
                    text.push(replacement, &mut self.replacement_lengths);
                }
                None => self.replacement_lengths.push(CONTINUED),
            }
        }
        // Submatches ascend and do not overlap, so their ends ascend too.
        let ends = submatches.iter().flat_map(|&Submatch { start, end }| [start, end]);
        push_offsets(line, ends, &mut self.submatches);
    }
}

fn flags(found: &LineMatch) -> u8 {
    u8::from(found.truncated) | u8::from(found.binary) << 1 | u8::from(found.takes_line_end) << 2
}

/// The lines of context of a match, in order.
fn context_of(found: &LineMatch) -> impl Iterator<Item = &ContextLine> {
    found.before.iter().chain(&found.after)
}
