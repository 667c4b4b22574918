//! How well a query names a path.

use memchr::memmem;

use crate::align::{Aligner, is_boundary};
use crate::query::{Query, Segment, Word};

/// How a query matches, worst first. A score is `tier * 1000 + quality`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum Tier {
    /// Only the letters occur in the path, in order.
    PathSubsequence = 1,
    /// It occurs in the path, as a whole or segment by segment, but not in the base name.
    Path = 2,
    /// Its letters occur in the base name in order.
    Subsequence = 3,
    /// It occurs in the base name.
    Substring = 4,
    /// It occurs in the base name where a word begins.
    Word = 5,
    /// The base name begins with it.
    Prefix = 6,
    /// It is the base name.
    Exact = 7,
}

/// Qualities are below this, so that a tier always outranks the one beneath.
const TIER_SPAN: u32 = 1000;
/// What is taken off when an upper-case letter was typed and the path spells it otherwise.
const OTHER_CASE: u32 = 80;
/// Path segments beyond this many from the end are not matched against query segments.
const MAX_SEGMENTS: usize = 64;

/// A path to be scored.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The relative path.
    pub path: &'a [u8],
    /// The same, through [`crate::fold_into`].
    pub folded: &'a [u8],
    /// Where the base name begins in both.
    pub name_start: usize,
    /// Whether it is a directory.
    pub is_directory: bool,
}

/// Scores candidates. Keeps scratch space between calls; make one per thread.
#[derive(Debug, Default)]
pub struct Matcher {
    aligner: Aligner,
}

/// How one word matched.
#[derive(Clone, Copy, Debug)]
struct Hit {
    tier: Tier,
    quality: u32,
}

type Positions<'a> = Option<&'a mut Vec<usize>>;

impl Matcher {
    /// A matcher with empty scratch space.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The score of `candidate`, above zero, or `None` when some word of the query does not match. An empty query
    /// matches nothing.
    pub fn score(&mut self, query: &Query, candidate: Candidate<'_>) -> Option<u32> {
        self.evaluate(query, candidate, None)
    }

    /// The offsets of the bytes of `candidate.path` that matched, ascending; empty when it does not match.
    pub fn positions(&mut self, query: &Query, candidate: Candidate<'_>) -> Vec<usize> {
        let mut positions = Vec::new();
        if self.evaluate(query, candidate, Some(&mut positions)).is_none() {
            return Vec::new();
        }
        positions.sort_unstable();
        positions.dedup();
        positions
    }

    fn evaluate(&mut self, query: &Query, candidate: Candidate<'_>, mut positions: Positions<'_>) -> Option<u32> {
        let mut weakest = Tier::Exact;
        let mut total = 0;
        for word in &query.words {
            let hit = self.word(word, candidate, positions.as_deref_mut())?;
            weakest = weakest.min(hit.tier);
            total += hit.score();
        }
        let count = u32::try_from(query.words.len()).ok().filter(|&count| count > 0)?;
        if count == 1 {
            return Some(total);
        }
        // Every word must hold: the weakest decides the tier, all of them the place within it.
        let best = (Tier::Exact as u32 + 1) * TIER_SPAN;
        Some(weakest as u32 * TIER_SPAN + (total / count) * (TIER_SPAN - 1) / best)
    }

    fn word(&mut self, word: &Word, candidate: Candidate<'_>, positions: Positions<'_>) -> Option<Hit> {
        let mut hit = if word.is_path() {
            self.path_word(word, candidate, positions)
        } else {
            self.name_word(word, candidate, positions)
        }?;
        if word.has_upper_case && memmem::find(candidate.path, &word.typed).is_none() {
            hit.quality = hit.quality.saturating_sub(OTHER_CASE);
        }
        Some(hit)
    }

    /// A word without a slash: the base name first, the path only when the name has nothing of it.
    fn name_word(&mut self, word: &Word, candidate: Candidate<'_>, mut positions: Positions<'_>) -> Option<Hit> {
        let Candidate { path, folded, name_start, .. } = candidate;
        let name = &folded[name_start..];
        if let Some((tier, at)) = find_in_name(&word.folded, &path[name_start..], name) {
            mark(&mut positions, name_start + at, word.folded.len());
            return Some(Hit { tier, quality: coverage(word.folded.len(), name, at) });
        }
        if let Some(quality) = self.aligned(&word.letters, path, folded, name_start, positions.as_deref_mut()) {
            return Some(Hit { tier: Tier::Subsequence, quality });
        }
        if let Some(at) = best_occurrence(&word.folded, path, folded) {
            mark(&mut positions, at, word.folded.len());
            let segment = segment_around(folded, at);
            return Some(Hit { tier: Tier::Path, quality: coverage(word.folded.len(), segment, 0) });
        }
        let quality = self.aligned(&word.letters, path, folded, 0, positions)?;
        Some(Hit { tier: Tier::PathSubsequence, quality })
    }

    /// A word with slashes: its segments must match segments of the path in order.
    fn path_word(&mut self, word: &Word, candidate: Candidate<'_>, mut positions: Positions<'_>) -> Option<Hit> {
        let Candidate { path, folded, .. } = candidate;
        if word.wants_directory && !candidate.is_directory {
            return None;
        }
        if let Some(hit) = whole_path_hit(&word.folded, candidate, &mut positions) {
            return Some(hit);
        }
        if let Some(hit) = self.segments(&word.segments, candidate, positions.as_deref_mut()) {
            return Some(hit);
        }
        let quality = self.aligned(&word.letters, path, folded, 0, positions)?;
        Some(Hit { tier: Tier::PathSubsequence, quality })
    }

    /// The best way to lay the query's segments over the path's, in order. Where the last one falls on the base name,
    /// the weakest segment decides the tier.
    fn segments(&mut self, wanted: &[Segment], candidate: Candidate<'_>, positions: Positions<'_>) -> Option<Hit> {
        let spans = segment_spans(candidate.folded);
        let (rows, columns) = (wanted.len(), spans.len());
        if rows > columns {
            return None;
        }
        // best[r][c]: segments ..=r laid, r on c; with the weakest tier, the sum of scores, and where r - 1 lies.
        let mut best: Vec<Option<(Tier, u32, usize)>> = vec![None; rows * columns];
        for (row, segment) in wanted.iter().enumerate() {
            for column in row..columns - (rows - 1 - row) {
                let Some(hit) = self.segment_hit(segment, candidate, spans[column]) else { continue };
                if row == 0 {
                    best[column] = Some((hit.tier, hit.score(), 0));
                    continue;
                }
                let before = (row - 1..column).filter_map(|at| best[(row - 1) * columns + at].map(|cell| (at, cell)));
                let laid = before.map(|(at, (tier, sum, _))| {
                    let adjacent = if at + 1 == column { TIER_SPAN / 2 } else { 0 };
                    (tier.min(hit.tier), sum + hit.score() + adjacent, at)
                });
                best[row * columns + column] = laid.max();
            }
        }
        let last_row = (rows - 1) * columns;
        let on_name = best[last_row + columns - 1].map(|cell| (columns - 1, cell));
        let (column, (weakest, sum, _)) = on_name.or_else(|| {
            let above = (0..columns - 1).filter_map(|at| best[last_row + at].map(|cell| (at, cell)));
            above.max_by_key(|&(at, (tier, sum, _))| (tier, sum, at))
        })?;
        if let Some(positions) = positions {
            let mut at = column;
            for row in (0..rows).rev() {
                self.mark_segment(&wanted[row], candidate, spans[at], positions);
                at = best[row * columns + at].map_or(0, |(_, _, before)| before);
            }
        }
        let most = rows as u32 * ((Tier::Exact as u32 + 1) * TIER_SPAN + TIER_SPAN / 2);
        let quality = sum * (TIER_SPAN - 1) / most;
        // Abbreviated segments are never as good as the path itself, which `whole_path_hit` has looked for.
        let tier = if column + 1 == columns { weakest.min(Tier::Word) } else { Tier::Path };
        Some(Hit { tier, quality })
    }

    fn segment_hit(&mut self, wanted: &Segment, candidate: Candidate<'_>, span: (usize, usize)) -> Option<Hit> {
        let (start, end) = span;
        let (text, folded) = (&candidate.path[start..end], &candidate.folded[start..end]);
        if let Some((tier, at)) = find_in_name(&wanted.folded, text, folded) {
            return Some(Hit { tier, quality: coverage(wanted.folded.len(), folded, at) });
        }
        let quality = self.aligner.align(&wanted.letters, text, folded, None)?;
        Some(Hit { tier: Tier::Subsequence, quality: quality.min(TIER_SPAN - 1) })
    }

    fn mark_segment(
        &mut self,
        wanted: &Segment,
        candidate: Candidate<'_>,
        span: (usize, usize),
        into: &mut Vec<usize>,
    ) {
        let (start, end) = span;
        let (text, folded) = (&candidate.path[start..end], &candidate.folded[start..end]);
        if let Some((_, at)) = find_in_name(&wanted.folded, text, folded) {
            into.extend(start + at..start + at + wanted.folded.len());
            return;
        }
        let from = into.len();
        self.aligner.align(&wanted.letters, text, folded, Some(into));
        into[from..].iter_mut().for_each(|position| *position += start);
    }

    fn aligned(
        &mut self,
        letters: &[u8],
        path: &[u8],
        folded: &[u8],
        from: usize,
        positions: Positions<'_>,
    ) -> Option<u32> {
        let (text, folded) = (&path[from..], &folded[from..]);
        let quality = match positions {
            None => self.aligner.align(letters, text, folded, None),
            Some(positions) => {
                let start = positions.len();
                let quality = self.aligner.align(letters, text, folded, Some(positions));
                positions[start..].iter_mut().for_each(|position| *position += from);
                quality
            }
        }?;
        Some(quality.min(TIER_SPAN - 1))
    }
}

impl Hit {
    fn score(self) -> u32 {
        self.tier as u32 * TIER_SPAN + self.quality
    }
}

/// The query is the path, its end, or stands in it from the beginning of a segment into the base name.
fn whole_path_hit(wanted: &[u8], candidate: Candidate<'_>, positions: &mut Positions<'_>) -> Option<Hit> {
    let Candidate { folded, name_start, .. } = candidate;
    let begins_segment = |at: usize| at == 0 || folded[at - 1] == b'/';
    let at =
        memmem::find_iter(folded, wanted).filter(|&at| begins_segment(at) && at + wanted.len() > name_start).last()?;
    mark(positions, at, wanted.len());
    let tier = if at + wanted.len() == folded.len() { Tier::Exact } else { Tier::Prefix };
    let covered = wanted.len() * (TIER_SPAN as usize - 1) / folded.len();
    // A query that stands at the end of a longer path names it all the same; depth decides among those.
    let quality = if tier == Tier::Exact && at > 0 { TIER_SPAN / 2 } else { covered as u32 };
    Some(Hit { tier, quality })
}

/// How `wanted` stands in `name`, at its best place.
fn find_in_name(wanted: &[u8], text: &[u8], name: &[u8]) -> Option<(Tier, usize)> {
    if wanted.len() > name.len() {
        return None;
    }
    if name.starts_with(wanted) {
        return Some((if wanted.len() == name.len() { Tier::Exact } else { Tier::Prefix }, 0));
    }
    let mut anywhere = None;
    for at in memmem::find_iter(name, wanted) {
        if is_boundary(text, at) || begins_camel_word(text, at) {
            return Some((Tier::Word, at));
        }
        anywhere.get_or_insert(at);
    }
    anywhere.map(|at| (Tier::Substring, at))
}

fn begins_camel_word(text: &[u8], at: usize) -> bool {
    at > 0 && text[at].is_ascii_uppercase() && !text[at - 1].is_ascii_uppercase()
}

/// How much of `name` is covered, more when what is left is only an extension, less when it begins late.
fn coverage(length: usize, name: &[u8], at: usize) -> u32 {
    let stem = memchr::memrchr(b'.', name).filter(|&dot| dot > 0).unwrap_or(name.len());
    let left_in_stem = stem.saturating_sub(length.min(stem));
    let share = (length * 700 / name.len().max(1)) as u32;
    let stem_share = 250_u32.saturating_sub(left_in_stem as u32 * 12);
    (share + stem_share).saturating_sub(at.min(40) as u32).min(TIER_SPAN - 1)
}

/// Where in a path `wanted` stands best: at the beginning of a segment, else of a word, else anywhere; the last one.
fn best_occurrence(wanted: &[u8], path: &[u8], folded: &[u8]) -> Option<usize> {
    let rank = |at: usize| if at == 0 || folded[at - 1] == b'/' { 2 } else { u8::from(is_boundary(path, at)) };
    memmem::find_iter(folded, wanted).max_by_key(|&at| rank(at))
}

/// The rest of the segment that begins at or around `at`.
fn segment_around(folded: &[u8], at: usize) -> &[u8] {
    let start = memchr::memrchr(b'/', &folded[..at]).map_or(0, |slash| slash + 1);
    let end = memchr::memchr(b'/', &folded[at..]).map_or(folded.len(), |slash| at + slash);
    &folded[start..end]
}

fn segment_spans(folded: &[u8]) -> Vec<(usize, usize)> {
    let mut spans = Vec::with_capacity(8);
    let mut start = 0;
    for slash in memchr::memchr_iter(b'/', folded).chain([folded.len()]) {
        spans.push((start, slash));
        start = slash + 1;
    }
    if spans.len() > MAX_SEGMENTS {
        spans.drain(..spans.len() - MAX_SEGMENTS);
    }
    spans
}

fn mark(positions: &mut Positions<'_>, at: usize, length: usize) {
    if let Some(positions) = positions {
        positions.extend(at..at + length);
    }
}

#[cfg(test)]
mod tests;
