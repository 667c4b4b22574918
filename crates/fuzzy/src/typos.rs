//! Matches with typos: two letters swapped, a letter missing, wrong, or too many.

use std::ops::Range;
use std::sync::OnceLock;

use crate::automaton::{Alphabet, States, TYPO_LEVELS};
use crate::index::{DIRECTORY, Index};
use crate::name::{is_boundary, is_word, stem_length};
use crate::query::Query;
use crate::score::{Hit, TIER_SPAN, Tier};
use crate::search::{Search, Verdict};
use crate::word_search::WordSearch;
use crate::words::words_hit_with_typos;

/// The cost of one more typo.
const MORE_TYPOS: u32 = 350;
/// The cost of a wrong letter in a name; a letter too many costs twice as much.
const DOUBT: usize = 15;
/// The cost of a separator in a name that is missing or is not the typed one.
const OTHER_PUNCTUATION: usize = 8;

/// A query with typos, prepared for one index: in base names, or anywhere in a path.
#[derive(Debug)]
pub struct TypoSearch {
    /// The maximal number of typos in the whole query.
    budget: usize,
    /// For each word and directory, computed on first use; empty if only base names count.
    directories: Vec<Vec<OnceLock<DirectoryMatch>>>,
}

/// How much of a word the path of a directory matches.
#[derive(Clone, Debug)]
struct DirectoryMatch {
    states: States<TYPO_LEVELS>,
    /// The characters that a name must have, by number of typos in the directory's path.
    missing: [u64; TYPO_LEVELS],
}

impl TypoSearch {
    /// Accepts typos in base names. `None` if the query is too short for typos, or all its words have slashes.
    #[must_use]
    pub fn in_names(query: &Query, search: &Search) -> Option<Self> {
        let budget = query.typos();
        let names_a_file = search.words().iter().any(|word| !word.is_path && word.typos > 0);
        (budget > 0 && names_a_file).then(|| Self { budget, directories: Vec::new() })
    }

    /// Accepts typos anywhere in a path. `None` if the query is too short for typos. The caller has already matched a query
    /// of one word without a slash with all base names.
    #[must_use]
    pub fn in_paths(query: &Query, search: &Search, index: &Index) -> Option<Self> {
        let budget = query.typos();
        let directories = || std::iter::repeat_with(OnceLock::new).take(index.directories()).collect();
        (budget > 0).then(|| Self { budget, directories: search.words().iter().map(|_| directories()).collect() })
    }

    /// Returns a bit for each of at most 64 entries: whether the characters of its path allow a match.
    #[must_use]
    pub fn plausible(&self, search: &Search, index: &Index, entries: Range<usize>) -> u64 {
        let masks = index.masks(entries.clone());
        match search.words() {
            [word] if self.directories.is_empty() => {
                let missing = word.suffix_masks[0];
                // The compiler unrolls a loop whose count it knows.
                match self.budget.min(word.typos) {
                    0 => lacking_at_most::<0>(missing, masks),
                    1 => lacking_at_most::<1>(missing, masks),
                    _ => lacking_at_most::<2>(missing, masks),
                }
            }
            words => entries.zip(masks).rev().fold(0, |bits, (entry, mask)| {
                let mask = mask | index.directory_mask(index.directory(entry));
                let holds = |word: &WordSearch| are_at_most(word.suffix_masks[0] & !mask, self.budget.min(word.typos));
                bits << 1 | u64::from(words.iter().all(holds))
            }),
        }
    }

    /// Scores entry `entry` of the index, which has the path `path`. Accepts typos in words that do not match as typed, or
    /// only scattered over the path. Call it for entries that do not match better than that as typed.
    #[must_use]
    pub fn score<'p>(&self, search: &Search, index: &Index, entry: usize, path: impl Fn() -> &'p [u8]) -> Verdict {
        let with_typos = |at, max| self.hit_with_typos(search.words(), at, index, entry, &path, max);
        let words = || search.words().iter().enumerate();
        if let [_] = search.words() {
            return match with_typos(0, self.budget) {
                None => Verdict::Miss,
                // The letters and the punctuation of a name say more than its role.
                Some((_, hit)) if hit.tier == Tier::NameTypo => Verdict::Score(hit.score()),
                Some((typos, hit)) => {
                    let hit = search.words()[0].runs_hit_with_typo(index, entry, path(), typos).unwrap_or(hit);
                    search.with_role(hit.score(), index, entry)
                }
            };
        }
        if words().any(|(at, word)| word.occurs(index, entry).is_none() && with_typos(at, self.budget).is_none()) {
            return Verdict::Miss;
        }
        if let Some((typos, Hit { quality, .. })) =
            words_hit_with_typos(search.words(), index, entry, path(), self.budget)
            && typos > 0
        {
            let quality = quality.saturating_sub(MORE_TYPOS * (typos as u32 - 1)).max(1);
            return search.with_role(Hit { tier: Tier::NameTypo, quality }.score(), index, entry);
        }
        let mut left = self.budget;
        let mut hits = Vec::with_capacity(search.words().len());
        for (at, word) in words() {
            let hit = word.hit_as_typed(index, entry, path());
            let Some((typos, hit)) = hit.map(|hit| (0, hit)).or_else(|| with_typos(at, left)) else {
                return Verdict::Miss;
            };
            left -= typos;
            hits.push(hit);
        }
        for (at, hit) in hits.iter_mut().enumerate().filter(|(_, hit)| hit.tier == Tier::Scattered) {
            if let Some((typos, better)) = with_typos(at, left) {
                left -= typos;
                *hit = better;
            }
        }
        Hit::of_query(hits.into_iter()).map_or(Verdict::Miss, |score| search.with_role(score, index, entry))
    }

    /// The number of typos, at most `max`, with which the word at index `at` matches, and the hit.
    fn hit_with_typos<'p>(
        &self,
        words: &[WordSearch],
        at: usize,
        index: &Index,
        entry: usize,
        path: &impl Fn() -> &'p [u8],
        max: usize,
    ) -> Option<(usize, Hit)> {
        let word = &words[at];
        let (alphabet, last) = (word.alphabet.as_ref()?, word.word.segments.last()?);
        let (mask, max) = (index.mask(entry), max.min(word.typos));
        if max == 0 || (word.word.wants_directory && mask & DIRECTORY == 0) {
            return None;
        }
        let name = index.name(entry);
        let is_known_from_names = words.len() == 1 && !self.directories.is_empty();
        let may_be_in_name = !word.is_path && !is_known_from_names && are_at_most(word.suffix_masks[0] & !mask, max);
        let in_name = if may_be_in_name { alphabet.typos_in_name(name, max) } else { TYPO_LEVELS };
        let text = || {
            let path = path();
            &path[path.len() - name.len()..]
        };
        let in_path = match self.directories.get(at) {
            Some(directories) if in_name > 1 => {
                let directory = DirectoryMatch::of(word, alphabet, directories, index, index.directory(entry));
                if directory.may_complete(mask, max) {
                    let mut states = directory.states;
                    states.read(alphabet, text(), name);
                    states.typos(alphabet)
                } else {
                    TYPO_LEVELS
                }
            }
            _ => TYPO_LEVELS,
        };
        let typos = in_name.min(in_path);
        if typos > max {
            return None;
        }
        let (fitting, quality) = fit(&last.folded, &last.letters, text(), name);
        if in_name == typos {
            return Some((
                typos,
                Hit { tier: Tier::NameTypo, quality: quality.saturating_sub(word.other_case(text())) },
            ));
        }
        // The last segment counts most, because it is the file's name.
        let of_name = if fitting <= typos { quality / 4 } else { 0 };
        let base = (TIER_SPAN - 1 - TIER_SPAN / 4).saturating_sub(MORE_TYPOS * (typos.max(1) as u32 - 1));
        let quality = (base + of_name).saturating_sub(word.other_case(path()));
        Some((typos, Hit { tier: Tier::PathTypo, quality }))
    }
}

impl DirectoryMatch {
    fn of<'a>(
        word: &WordSearch,
        alphabet: &Alphabet,
        all: &'a [OnceLock<Self>],
        index: &Index,
        directory: usize,
    ) -> &'a Self {
        all[directory].get_or_init(|| {
            let mut states = States::START;
            if directory > 0 {
                states = Self::of(word, alphabet, all, index, index.parent(directory)).states;
                let (text, folded) = index.segment(directory);
                states.read(alphabet, text, folded);
                states.read_slash(alphabet);
            }
            Self { missing: states.farthest().map(|letters| word.suffix_masks[letters]), states }
        })
    }

    /// Whether a name with these characters can complete the word with at most `max` typos.
    fn may_complete(&self, mask: u64, max: usize) -> bool {
        (0..=max).any(|typos| are_at_most(self.missing[typos] & !mask, max - typos))
    }
}

/// Whether at most `max` bits are set, for a small `max`. Counting all bits is slower on processors without an instruction
/// for it.
#[inline]
fn are_at_most(bits: u64, max: usize) -> bool {
    let mut left = bits;
    for _ in 0..max {
        left &= left.wrapping_sub(1);
    }
    left == 0
}

/// A bit for each mask: whether it lacks at most `MAX` of the wanted characters.
fn lacking_at_most<const MAX: usize>(wanted: u64, masks: &[u64]) -> u64 {
    masks.iter().rev().fold(0, |bits, mask| bits << 1 | u64::from(are_at_most(wanted & !mask, MAX)))
}

/// The cost of typos as one number; less is better. The highest bits count the typos. The middle bits count how
/// uncertain they are: a wrong letter or one too many may be any letter. The lowest bits hold where in the name the match
/// begins.
const ONE: u64 = 1 << 48;
const WRONG: u64 = ONE + (1 << 32);
const TOO_MANY: u64 = ONE + (2 << 32);

/// The number of typos with which `letters` occur in a name, and the quality. Fewer typos come first, then a name that
/// begins with the letters, then a name with few other letters, then likelier typos and the typed punctuation.
fn fit(typed: &[u8], letters: &[u8], text: &[u8], name: &[u8]) -> (usize, u32) {
    let shown: Vec<usize> = (0..name.len()).filter(|&at| is_word(name[at])).collect();
    let stem = shown.partition_point(|&at| at < stem_length(name));
    // The last three rows of the table; a column for each letter of the name.
    let mut rows: [Vec<u64>; 3] = [Vec::new(), Vec::new(), (0..=shown.len() as u64).collect()];
    for (row, &wanted) in letters.iter().enumerate() {
        rows.rotate_left(1);
        let [before, above, current] = &mut rows;
        current.clear();
        current.push((row as u64 + 1) * TOO_MANY);
        for (column, &at) in shown.iter().enumerate() {
            let wrong = if name[at] == wanted { 0 } else { WRONG };
            let mut best = (above[column] + wrong).min(above[column + 1] + TOO_MANY).min(current[column] + ONE);
            if row > 0
                && column > 0
                && name[at] == letters[row - 1]
                && name[shown[column - 1]] == wanted
                && name[at] != wanted
            {
                best = best.min(before[column - 1] + ONE);
            }
            current.push(best);
        }
    }
    let fewest = rows[2].iter().map(|cost| cost / ONE).min().unwrap_or(0);
    let fitting = rows[2].iter().enumerate().filter(|(_, cost)| *cost / ONE == fewest);
    let losses = fitting.map(|(end, &cost)| {
        let (doubt, begin) = (((cost % ONE) >> 32) as usize, (cost as u32) as usize);
        let late = match begin {
            0 => 0,
            _ if shown.get(begin).is_some_and(|&at| is_boundary(text, at)) => 60 + begin.min(20),
            _ => 140 + begin.min(20),
        };
        let left = stem.saturating_sub(end).min(20) * 10 + (shown.len() - end.max(stem)).min(10);
        let between = if end > begin { &name[shown[begin]..=shown[end - 1]] } else { &[] };
        late + left + doubt * DOUBT + other_punctuation(typed, between).min(3) * OTHER_PUNCTUATION
    });
    let lost = MORE_TYPOS as usize * (fewest.max(1) as usize - 1) + losses.min().unwrap_or(0);
    (fewest as usize, (TIER_SPAN as usize - 1).saturating_sub(lost) as u32)
}

/// The number of separators in which two texts differ.
fn other_punctuation(one: &[u8], other: &[u8]) -> usize {
    let mut left = one.iter().filter(|&&byte| !is_word(byte));
    let mut right = other.iter().filter(|&&byte| !is_word(byte));
    let mut different = 0;
    loop {
        match (left.next(), right.next()) {
            (None, None) => return different,
            (left, right) => different += usize::from(left != right),
        }
    }
}
