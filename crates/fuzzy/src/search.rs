//! A query, prepared for an index.

use std::ops::Range;

use crate::index::{DIRECTORY, Index};
use crate::query::Query;
use crate::role::Roles;
use crate::score::{Hit, TIER_SPAN, Tier};
use crate::typo_positions;
use crate::word_search::{Occurs, WordSearch};
use crate::words::words_hit;

/// The cost of a directory: a file is meant more often.
const OF_DIRECTORY: u32 = 200;
/// The same where the name begins with the query: less than the cost of more letters in a name.
const OF_BEGINNING_DIRECTORY: u32 = 30;
/// How much less a role costs where the typed text occurs in a name.
const ROLE_OF_NAME: u32 = 4;

/// How an entry matches a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does not match.
    Miss,
    /// It matches, with a score below the floor.
    Beaten,
    /// It matches.
    Score(u32),
}

/// A query, prepared for one index: how it matches the path of each directory.
#[derive(Debug)]
pub struct Search {
    words: Vec<WordSearch>,
    roles: Roles,
}

impl Search {
    /// Matches the directories of `index`; [`Search::score`] matches the entries one by one. Time and memory grow with words
    /// times directories: see [`Query::is_too_long`].
    ///
    /// # Errors
    /// The error of `check`, which is called regularly.
    pub fn new<E>(query: &Query, index: &Index, check: &impl Fn() -> Result<(), E>) -> Result<Self, E> {
        let words = query.words.iter().map(|word| WordSearch::new(word, index, check));
        Ok(Self { words: words.collect::<Result<_, E>>()?, roles: query.roles })
    }

    /// Scores entry `entry` of the index; `path` returns its path. A score below `floor` may be reported as
    /// [`Verdict::Beaten`], which is faster. A query without words matches nothing.
    #[must_use]
    #[inline]
    pub fn score<'p>(&self, index: &Index, entry: usize, path: impl Fn() -> &'p [u8], floor: u32) -> Verdict {
        let [word] = self.words.as_slice() else { return self.score_words(index, entry, path, floor) };
        match word.occurs(index, entry) {
            None => Verdict::Miss,
            Some(Occurs::InPath) if floor >= Tier::Runs.ceiling() && !word.is_path => Verdict::Beaten,
            Some(Occurs::InName) if floor >= Tier::Word.ceiling() && !word.begins(index.name(entry)) => Verdict::Beaten,
            Some(occurs) => self.score_word(word, occurs, index, entry, path(), floor),
        }
    }

    // Most entries do not come here.
    #[inline(never)]
    fn score_word(
        &self,
        word: &WordSearch,
        occurs: Occurs,
        index: &Index,
        entry: usize,
        path: &[u8],
        floor: u32,
    ) -> Verdict {
        match word.hit(index, entry, path, occurs, floor) {
            // A role only lowers a score.
            Some(hit) if hit.score() >= floor => self.with_role(hit.score(), index, entry),
            _ => Verdict::Beaten,
        }
    }

    #[inline(never)]
    fn score_words<'p>(&self, index: &Index, entry: usize, path: impl Fn() -> &'p [u8], floor: u32) -> Verdict {
        match self.words.as_slice() {
            [] => Verdict::Miss,
            words => {
                let mut found = [Occurs::InPath; 8];
                for (at, word) in words.iter().enumerate() {
                    let Some(occurs) = word.occurs(index, entry) else { return Verdict::Miss };
                    if let Some(found) = found.get_mut(at) {
                        *found = occurs;
                    }
                }
                let in_path = found.iter().take(words.len()).any(|&occurs| occurs == Occurs::InPath);
                if in_path && floor >= Tier::Runs.ceiling() && !words.iter().any(|word| word.word.is_path()) {
                    return Verdict::Beaten;
                }
                let path = path();
                match words_hit(words, index, entry, path) {
                    // A role only lowers a score.
                    Some(hit) if hit.score() >= floor => return self.with_role(hit.score(), index, entry),
                    Some(_) => return Verdict::Beaten,
                    // The letters of a word that does not occur are scattered, at best as beginnings of words.
                    None if floor >= Tier::PathWords.ceiling() && !words.iter().any(|word| word.is_path) => {
                        return Verdict::Beaten;
                    }
                    None => {}
                }
                let hits = words.iter().filter_map(|word| word.hit_as_typed(index, entry, path));
                Hit::of_query(hits).map_or(Verdict::Miss, |score| self.with_role(score, index, entry))
            }
        }
    }

    /// The score of an entry, less what its role costs.
    pub(crate) fn with_role(&self, score: u32, index: &Index, entry: usize) -> Verdict {
        let is_directory = index.mask(entry) & DIRECTORY != 0;
        let is_beginning = score >= Tier::Word.ceiling();
        let of_directory = match is_directory {
            false => 0,
            true if is_beginning => OF_BEGINNING_DIRECTORY,
            true => OF_DIRECTORY,
        };
        let of_role = index.roles(entry).without(self.roles).cost();
        // A role decides only among names that fit equally.
        let of_role = if score < Tier::Runs.ceiling() { of_role } else { of_role / ROLE_OF_NAME };
        let quality = score % TIER_SPAN;
        Verdict::Score(score - quality + quality.saturating_sub(of_role + of_directory))
    }

    /// Returns a bit for each of at most 64 entries: whether the characters of its name allow a match.
    #[must_use]
    pub fn plausible(&self, index: &Index, entries: Range<usize>) -> u64 {
        let mut plausible = u64::MAX;
        for word in &self.words {
            let entries = index.directories_of(entries.clone()).zip(index.masks(entries.clone()));
            let holds = |(directory, mask): (usize, &u64)| word.missing[directory] & !mask == 0;
            plausible &= entries.enumerate().fold(0, |bits, (at, entry)| bits | u64::from(holds(entry)) << at);
        }
        plausible
    }

    pub(crate) fn words(&self) -> &[WordSearch] {
        &self.words
    }

    /// The offsets of the bytes of `path` that matched, ascending; for words with typos, of the letters that are right.
    /// Call it for entries that match.
    #[must_use]
    pub fn positions(&self, index: &Index, entry: usize, path: &[u8]) -> Vec<usize> {
        let mut positions = Vec::new();
        for word in &self.words {
            match word.occurs(index, entry) {
                Some(occurs) => word.mark(index, entry, path, occurs, self.words.len() > 1, &mut positions),
                None => typo_positions::mark(word, index, entry, path, &mut positions),
            }
        }
        positions.sort_unstable();
        positions.dedup();
        positions
    }
}

#[cfg(test)]
mod tests;
