//! How well a word matches an entry.

use std::sync::OnceLock;

use super::{DirectoryMatches, Occurs, ScatteredState, WordSearch};
use crate::automaton::States;
use crate::index::{DIRECTORY, Index};
use crate::name::{
    WHOLE_STEM, beginning, coverage, find_inside, is_whole_name, is_whole_stem, is_word, squashed, stem_length,
};
use crate::score::{Hit, MAX_GAPPED, TIER_SPAN, Tier};
use crate::subsequence::{advance, advance_separated};

/// The cost of typed upper-case letters that have another case in the path.
const OTHER_CASE: u32 = 80;
/// The same if the typed text occurs as a whole: more than what a shorter name gains.
const OTHER_CASE_OF_WHOLE: u32 = 300;
/// The cost of each letter of the name that was not typed, if the typed letters are not adjacent.
const OTHER_LETTER: u32 = 8;
/// What a whole stem has more if the directory has that name too.
const SAME_NAME: u32 = 5;
/// Next to other words, runs of less than this quality over a path are scattered letters.
const WEAK_RUNS: u32 = 750;
/// Letters of less than this quality in a name are scattered.
const WEAK_GAPPED: u32 = 300;
/// The quality of a stem that is the typed letters with other punctuation.
const OTHER_STEM: u32 = 940;
impl WordSearch {
    /// How the word matches as typed, in a query with other words.
    pub(crate) fn hit_as_typed(&self, index: &Index, entry: usize, path: &[u8]) -> Option<Hit> {
        let occurs = self.occurs(index, entry)?;
        let mut hit = self.hit(index, entry, path, occurs, 0)?;
        if let (DirectoryMatches::Whole(whole), Occurs::InName) = (&self.directories, occurs) {
            let above = whole[index.directory(entry)];
            if hit.tier == Tier::Subsequence && !self.is_literal_in(index.name(entry)) {
                hit.quality = hit.quality.min(MAX_GAPPED - 1);
            }
            if above > 0 && hit.is_gapped() {
                return self.hit(index, entry, path, Occurs::InPath, 0);
            }
            // A word in the name that also names a directory was meant for the directory.
            hit.quality = (hit.quality + u32::from(above) / 10).min(TIER_SPAN - 1);
        }
        let is_weak = match occurs {
            Occurs::InPath => hit.tier == Tier::Runs && hit.quality < WEAK_RUNS,
            Occurs::InName => {
                let name = index.name(entry);
                hit.is_gapped() && !self.begins_words_of(&path[path.len() - name.len()..], name)
            }
        };
        if is_weak {
            hit.tier = Tier::Scattered;
        }
        Some(hit)
    }

    /// Whether the typed text, with its punctuation, occurs in a name, in order.
    fn is_literal_in(&self, name: &[u8]) -> bool {
        !self.is_punctuated || advance(&self.word.folded, 0, name) == self.word.folded.len()
    }

    /// Whether the letters are beginnings of words of a name.
    fn begins_words_of(&self, text: &[u8], name: &[u8]) -> bool {
        self.alphabet.as_ref().is_some_and(|alphabet| {
            let mut states = States::<1>::START;
            states.read(alphabet, text, name);
            states.typos(alphabet) == 0
        })
    }

    /// Whether the typed text occurs in a path, in order, with any punctuation in place of the typed one.
    fn is_separated(&self, index: &Index, directory: usize, name: &[u8]) -> bool {
        fn above<'w>(index: &Index, directory: usize, wanted: &'w [u8]) -> &'w [u8] {
            if directory == 0 {
                return wanted;
            }
            let wanted = above(index, index.parent(directory), wanted);
            advance_separated(advance_separated(wanted, index.segment(directory).1), b"/")
        }
        advance_separated(above(index, directory, &self.word.folded), name).is_empty()
    }

    /// How the word matches, if its letters occur; `None` if the score is below `floor`.
    pub(crate) fn hit(&self, index: &Index, entry: usize, path: &[u8], occurs: Occurs, floor: u32) -> Option<Hit> {
        let name = index.name(entry);
        let text = &path[path.len() - name.len()..];
        let mut hit = match (&self.directories, occurs) {
            (DirectoryMatches::Whole(_), Occurs::InName) => self.name_hit(index, entry, text, name, floor),
            (DirectoryMatches::Whole(whole), Occurs::InPath) => self.path_hit(whole, index, entry, text, name, floor),
            (DirectoryMatches::Segments(alignments), _) => {
                let (directory, mask) = (index.directory(entry), index.mask(entry));
                let aligned = if self.word.wants_directory && mask & DIRECTORY == 0 {
                    alignments.hit_below(directory)
                } else {
                    alignments.hit_of_entry(index, directory, mask, text, name)
                };
                aligned.or_else(|| self.scattered(index, entry, text, name, floor))
            }
        }?;
        if !self.word.upper_case.is_empty() {
            let place = if occurs == Occurs::InName { text } else { path };
            let is_whole = !self.is_path && (hit.tier == Tier::Path || hit.tier >= Tier::Substring);
            let lost = match is_whole {
                true if memchr::memmem::find(place, &self.word.typed).is_some() => 0,
                true => OTHER_CASE_OF_WHOLE,
                false => self.other_case(place),
            };
            hit.quality = hit.quality.saturating_sub(lost);
        }
        Some(hit)
    }

    /// The cost of the typed upper-case letters that do not occur in `text` in order and in upper case.
    pub(crate) fn other_case(&self, text: &[u8]) -> u32 {
        let letters = &self.word.upper_case;
        let mut rest = text;
        let mut missing = 0;
        for letter in letters {
            match memchr::memmem::find(rest, letter) {
                Some(at) => rest = &rest[at + letter.len()..],
                None => missing += 1,
            }
        }
        OTHER_CASE * missing / (letters.len() as u32).max(1)
    }

    #[inline]
    fn name_hit(&self, index: &Index, entry: usize, text: &[u8], name: &[u8], floor: u32) -> Option<Hit> {
        let wanted = &self.word.folded;
        if name.starts_with(wanted) {
            let is_whole_file = wanted.len() == name.len() && index.mask(entry) & DIRECTORY == 0;
            let tier = if is_whole_file { Tier::Exact } else { Tier::Prefix };
            let quality = beginning(wanted.len(), name);
            return Some(Hit { tier, quality: quality + of_same_name(index, entry, name, quality) });
        }
        if self.begins(name) && wanted.last().is_some_and(|&byte| is_word(byte)) {
            let letters = &self.word.letters;
            // What a file of words is about may be meant as well: `usbxhci` is `usb/xhci.c` and not the document `usb-xhci.rst`.
            let is_meant = if is_whole_stem(letters, name) {
                index.roles(entry).cost() == 0
            } else {
                is_whole_name(letters, name)
            };
            if is_meant {
                let quality = if self.is_punctuated { OTHER_STEM } else { WHOLE_STEM };
                return Some(Hit { tier: Tier::Prefix, quality: quality + of_same_name(index, entry, name, quality) });
            }
        }
        if floor >= Tier::Word.ceiling() {
            return None;
        }
        if let Some((tier, at)) = find_inside(wanted, text, name) {
            return Some(Hit { tier, quality: coverage(wanted.len(), name, at) });
        }
        if floor >= Tier::Runs.ceiling() {
            return None;
        }
        if let Some(hit) = self.runs_hit(index, entry, text, name) {
            return Some(hit);
        }
        if floor >= Tier::Subsequence.ceiling() {
            return None;
        }
        if let Some(quality) = squashed_quality(&self.word.letters, text, name) {
            return Some(Hit { tier: Tier::Subsequence, quality });
        }
        if floor > Tier::Subsequence as u32 * TIER_SPAN + MAX_GAPPED {
            return None;
        }
        // Letters without the typed punctuation between them count only as beginnings of words.
        let is_clean = self.is_literal_in(name) || self.begins_words_of(text, name);
        if !is_clean && floor >= Tier::Scattered.ceiling() {
            return None;
        }
        let aligned = self.letters.quality_in(text, name).unwrap_or(1) * MAX_GAPPED / TIER_SPAN;
        let quality = aligned.saturating_sub(others(self.word.letters.len(), name).min(25) as u32 * OTHER_LETTER);
        let is_weak = quality < WEAK_GAPPED && self.typos > 0 && !self.begins_words_of(text, name);
        let tier = if is_clean && !is_weak { Tier::Subsequence } else { Tier::Scattered };
        if floor >= tier.ceiling() {
            return None;
        }
        Some(Hit { tier, quality: quality.max(1) })
    }

    fn path_hit(
        &self,
        whole: &[u16],
        index: &Index,
        entry: usize,
        text: &[u8],
        name: &[u8],
        floor: u32,
    ) -> Option<Hit> {
        if floor >= Tier::Runs.ceiling() {
            return None;
        }
        if let Some(hit) = self.runs_hit(index, entry, text, name) {
            return Some(hit);
        }
        match whole[index.directory(entry)] {
            0 => self.scattered(index, entry, text, name, floor),
            quality => Some(Hit { tier: Tier::Path, quality: u32::from(quality) }),
        }
    }

    /// The hit if the letters split into runs.
    fn runs_hit(&self, index: &Index, entry: usize, text: &[u8], name: &[u8]) -> Option<Hit> {
        let quality = self.runs.as_ref()?.quality(index, entry, text, name)?;
        Some(Hit { tier: Tier::Runs, quality })
    }

    /// The hit if the letters, with one typo, split into runs: less than the hit of a name with one typo in few letters, more than
    /// the hit of one with two.
    pub(crate) fn runs_hit_with_typo(&self, index: &Index, entry: usize, path: &[u8], typos: usize) -> Option<Hit> {
        let name = index.name(entry);
        let runs = self.runs.as_ref().filter(|_| typos == 1 && self.is_ascii)?;
        let quality = runs.quality_with_typo(index, entry, &path[path.len() - name.len()..], name)?;
        Some(Hit { tier: Tier::NameTypo, quality: quality.saturating_sub(self.other_case(path)) })
    }

    /// The hit if the letters occur in order, but not as a whole.
    fn scattered(&self, index: &Index, entry: usize, text: &[u8], name: &[u8], floor: u32) -> Option<Hit> {
        if floor >= Tier::PathWords.ceiling() {
            return None;
        }
        let directory = index.directory(entry);
        let (mut states, mut aligned) = (**self.scattered_state(index, directory)).clone();
        let as_words = self.alphabet.as_ref().is_none_or(|alphabet| {
            states.read(alphabet, text, name);
            states.typos(alphabet) == 0
        });
        let as_words = as_words && (!self.is_punctuated || self.is_separated(index, directory, name));
        let tier = if as_words { Tier::PathWords } else { Tier::Scattered };
        if floor >= tier.ceiling() {
            return None;
        }
        self.letters.read(&mut aligned, text, name);
        Some(Hit { tier, quality: self.letters.quality(&aligned).unwrap_or(1) })
    }

    fn scattered_state(&self, index: &Index, directory: usize) -> &ScatteredState {
        let empty = || std::iter::repeat_with(OnceLock::new).take(index.directories()).collect();
        self.scattered_states.get_or_init(empty)[directory].get_or_init(|| {
            if directory == 0 {
                return Box::new((States::START, self.letters.start()));
            }
            let (mut states, mut aligned) = (**self.scattered_state(index, index.parent(directory))).clone();
            let (text, folded) = index.segment(directory);
            if let Some(alphabet) = &self.alphabet {
                states.read(alphabet, text, folded);
                states.read_slash(alphabet);
            }
            self.letters.read(&mut aligned, text, folded);
            self.letters.read(&mut aligned, b"/", b"/");
            Box::new((states, aligned))
        })
    }
}

/// What a file has more that is called as its directory, and as the word.
fn of_same_name(index: &Index, entry: usize, name: &[u8], quality: u32) -> u32 {
    let is_same = || {
        let is_file = index.mask(entry) & DIRECTORY == 0;
        is_file && index.segment(index.directory(entry)).1 == &name[..stem_length(name)]
    };
    if quality >= OTHER_STEM && is_same() { SAME_NAME } else { 0 }
}

/// How many more letters than `letters` a name has in its stem, or in the whole name if they do not fit into the stem.
fn others(letters: usize, name: &[u8]) -> usize {
    let count = |text: &[u8]| text.iter().filter(|&&byte| is_word(byte)).count();
    let stem = count(&name[..stem_length(name)]);
    (if letters > stem { count(name) } else { stem }).saturating_sub(letters)
}

/// The quality of letters that are adjacent in a name without its separators.
fn squashed_quality(letters: &[u8], text: &[u8], name: &[u8]) -> Option<u32> {
    let quality = |(start, end): (usize, usize)| {
        let base = MAX_GAPPED + if start == 0 { 150 } else { 50 };
        // The rest of the stem counts twice: also as the rest of the name.
        let left = stem_length(name).saturating_sub(end) + name.len() - end;
        base + 240_u32.saturating_sub(left.min(40) as u32 * 6)
    };
    squashed(letters, text, name).map(quality).max()
}
