//! A query against an index.

use std::ops::Range;
use std::sync::OnceLock;

use crate::align::{Aligned, Letters};
use crate::automaton::{Alphabet, States};
use crate::fold::{character_mask, fold_into, symbols};
use crate::index::{DIRECTORY, Index};
use crate::lay::Layout;
use crate::name::{beginning, contiguous, coverage, find_inside, is_boundary, is_word, occurrences, stem_length};
use crate::query::{Query, Word};
use crate::score::{Hit, SCATTERED, TIER_SPAN, Tier};
use crate::slips;

/// What is taken off when upper-case letters were typed and the path spells them otherwise.
const OTHER_CASE: u32 = 80;
/// What is taken off letters that do not stand side by side for each letter of the name that was not typed.
const OTHER_LETTER: u32 = 8;
/// What is taken off a directory's quality for each level below it.
const FARTHER: u16 = 30;

/// How an entry stands against a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does not match.
    Miss,
    /// It matches, with a score below the floor.
    Beaten,
    /// It matches.
    Score(u32),
}

/// A query made ready for one index: what it finds in each directory's path.
#[derive(Debug)]
pub struct Search {
    words: Vec<WordSearch>,
}

/// Where the letters of a word occur in order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occurs {
    InName,
    InPath,
}

#[derive(Debug)]
pub(crate) struct WordSearch {
    pub(crate) word: Word,
    pub(crate) is_path: bool,
    /// Whether it has punctuation, and not as a path.
    is_punctuated: bool,
    is_ascii: bool,
    /// Whether the letters are ASCII letters and digits, which have bits of their own in a mask.
    is_alphanumeric: bool,
    /// How many slips are forgiven at most.
    pub(crate) slips: usize,
    letters: Letters,
    /// The characters of the letters from an offset on.
    needs: Vec<u64>,
    /// For each directory how many bytes of the letters occur in its path, in order.
    progress: Vec<u32>,
    /// For each directory what a name in it must have for the letters to occur.
    missing: Vec<u64>,
    standing: Standing,
    pub(crate) alphabet: Option<Alphabet>,
    /// The characters from the letter with a number on, one bit each: the first byte of those outside ASCII.
    pub(crate) wanting: Vec<u64>,
    /// For each directory, made when first asked for: the letters as beginnings of words, and their alignment.
    deep: OnceLock<Box<[OnceLock<Deep>]>>,
}

/// How far a directory's path takes the letters of a word.
type Deep = Box<(States<1>, Aligned)>;

/// How a word stands in directories' paths.
#[derive(Debug)]
enum Standing {
    /// The quality of its best occurrence, 0 for none.
    Whole(Vec<u16>),
    Laid(Layout),
}

impl Search {
    /// Matches the directories of `index`; the entries are matched one by one with [`Search::score`]. Time and memory
    /// grow with words times directories, see [`Query::is_too_long`].
    ///
    /// # Errors
    /// What `check` says, which is asked every so often.
    pub fn new<E>(query: &Query, index: &Index, check: &impl Fn() -> Result<(), E>) -> Result<Self, E> {
        let words = query.words.iter().map(|word| WordSearch::new(word, index, check));
        Ok(Self { words: words.collect::<Result<_, E>>()? })
    }

    /// How entry `entry` of the index stands, whose path `path` gives. Whoever needs no score below `floor` says so,
    /// and is told sooner. A query without words matches nothing.
    #[must_use]
    pub fn score<'p>(&self, index: &Index, entry: usize, path: impl Fn() -> &'p [u8], floor: u32) -> Verdict {
        match self.words.as_slice() {
            [] => Verdict::Miss,
            [word] => match word.occurs(index, entry) {
                None => Verdict::Miss,
                Some(Occurs::InPath) if floor >= Tier::Path.ceiling() && !word.is_path => Verdict::Beaten,
                Some(Occurs::InName) if floor >= Tier::Word.ceiling() && !word.begins(index.name(entry)) => {
                    Verdict::Beaten
                }
                Some(occurs) => {
                    let hit = word.hit(index, entry, path(), occurs, floor);
                    hit.map_or(Verdict::Beaten, |hit| Verdict::Score(hit.score()))
                }
            },
            words => {
                let mut found = [Occurs::InPath; 8];
                for (at, word) in words.iter().enumerate() {
                    let Some(occurs) = word.occurs(index, entry) else { return Verdict::Miss };
                    if let Some(found) = found.get_mut(at) {
                        *found = occurs;
                    }
                }
                let in_path = found.iter().take(words.len()).any(|&occurs| occurs == Occurs::InPath);
                if in_path && floor >= Tier::Path.ceiling() && !words.iter().any(|word| word.word.is_path()) {
                    return Verdict::Beaten;
                }
                let path = path();
                let hits = words.iter().filter_map(|word| word.hit_as_typed(index, entry, path));
                Hit::of_query(hits).map_or(Verdict::Miss, Verdict::Score)
            }
        }
    }

    /// Which of at most 64 entries may match, a bit each, as far as the characters of their names tell.
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

    /// The offsets of the bytes of `path` that matched, ascending; of words with slips, the letters that are right.
    /// Asked of entries that match.
    #[must_use]
    pub fn positions(&self, index: &Index, entry: usize, path: &[u8]) -> Vec<usize> {
        let mut positions = Vec::new();
        for word in &self.words {
            match word.occurs(index, entry) {
                Some(occurs) => word.mark(index, entry, path, occurs, &mut positions),
                None => slips::mark(word, index, entry, path, &mut positions),
            }
        }
        positions.sort_unstable();
        positions.dedup();
        positions
    }
}

impl WordSearch {
    fn new<E>(word: &Word, index: &Index, check: &impl Fn() -> Result<(), E>) -> Result<Self, E> {
        let mut needs = vec![0; word.letters.len() + 1];
        for (at, byte) in word.letters.iter().enumerate().rev() {
            needs[at] = needs[at + 1] | (character_mask(&[*byte]) & !DIRECTORY);
        }
        let is_ascii = word.letters.is_ascii();
        let mut progress = vec![0; index.directories()];
        index.visit_directories(check, |directory| {
            let mut reached = progress[index.parent(directory)] as usize;
            if word
                .letters
                .get(reached)
                .is_some_and(|next| character_mask(&[*next]) & index.directory_mask(directory) != 0)
            {
                let (_, folded) = index.segment(directory);
                reached = advance_in(&word.letters, is_ascii, reached, folded);
            }
            progress[directory] = (reached + usize::from(word.letters.get(reached) == Some(&b'/'))) as u32;
        })?;
        let kind = if word.wants_directory { DIRECTORY } else { 0 };
        let missing = progress.iter().map(|&reached| needs[reached as usize] | kind).collect();
        let standing = if word.is_path() {
            Standing::Laid(Layout::new(word, index, check)?)
        } else {
            Standing::Whole(whole_qualities(word, index, check)?)
        };
        Ok(Self {
            letters: Letters::new(&word.letters),
            progress,
            missing,
            standing,
            alphabet: Alphabet::new(&word.letters),
            wanting: wanting(&word.letters),
            deep: OnceLock::new(),
            needs,
            is_path: word.is_path(),
            is_punctuated: !word.is_path() && word.letters.len() < word.folded.len(),
            is_ascii,
            is_alphanumeric: word.letters.iter().all(u8::is_ascii_alphanumeric),
            slips: word.slips(),
            word: word.clone(),
        })
    }

    /// Whether the word's letters occur in order: in the base name, else in the path.
    #[inline]
    pub(crate) fn occurs(&self, index: &Index, entry: usize) -> Option<Occurs> {
        let mask = index.mask(entry);
        let letters = &self.word.letters;
        if self.word.wants_directory && mask & DIRECTORY == 0 {
            return None;
        }
        let in_name = |from: usize| {
            // Of a single letter the mask tells all.
            let is_known = self.is_alphanumeric && from + 1 >= letters.len();
            self.needs[from] & !mask == 0 && (is_known || self.advance(from, index.name(entry)) == letters.len())
        };
        if !self.is_path && in_name(0) {
            return Some(Occurs::InName);
        }
        let from = self.progress[index.directory(entry)] as usize;
        (from == letters.len() || in_name(from)).then_some(Occurs::InPath)
    }

    /// Whether a name begins as the word does.
    fn begins(&self, name: &[u8]) -> bool {
        name.first() == self.word.folded.first()
    }

    #[inline]
    fn advance(&self, from: usize, text: &[u8]) -> usize {
        advance_in(&self.word.letters, self.is_ascii, from, text)
    }

    /// How the word matches as typed, beside other words.
    pub(crate) fn hit_as_typed(&self, index: &Index, entry: usize, path: &[u8]) -> Option<Hit> {
        let occurs = self.occurs(index, entry)?;
        let mut hit = self.hit(index, entry, path, occurs, 0)?;
        if let (Standing::Whole(whole), Occurs::InName) = (&self.standing, occurs) {
            let above = whole[index.directory(entry)];
            if hit.tier == Tier::Subsequence && !self.is_literal_in(index.name(entry)) {
                hit.quality = hit.quality.min(SCATTERED - 1);
            }
            if above > 0 && hit.is_scattered() {
                return self.hit(index, entry, path, Occurs::InPath, 0);
            }
            // A word that stands in the name and is a directory's as well was meant for the directory.
            hit.quality = (hit.quality + u32::from(above) / 10).min(TIER_SPAN - 1);
        }
        Some(hit)
    }

    /// Whether what was typed, punctuation and all, occurs in a name, in order.
    fn is_literal_in(&self, name: &[u8]) -> bool {
        !self.is_punctuated || advance(&self.word.folded, 0, name) == self.word.folded.len()
    }

    /// Whether the letters are beginnings of words of a name.
    fn begins_words_of(&self, text: &[u8], name: &[u8]) -> bool {
        self.alphabet.as_ref().is_some_and(|alphabet| {
            let mut states = States::<1>::START;
            states.read(alphabet, text, name);
            states.slips(alphabet) == 0
        })
    }

    /// Whether what was typed occurs in a path, in order, with any punctuation for the one that was typed.
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

    /// How the word matches, which occurs; `None` when that scores below `floor`.
    fn hit(&self, index: &Index, entry: usize, path: &[u8], occurs: Occurs, floor: u32) -> Option<Hit> {
        let name = index.name(entry);
        let text = &path[path.len() - name.len()..];
        let mut hit = match (&self.standing, occurs) {
            (Standing::Whole(_), Occurs::InName) => self.name_hit(text, name, floor),
            (Standing::Whole(whole), Occurs::InPath) => self.path_hit(whole, index, entry, text, name, floor),
            (Standing::Laid(layout), _) => {
                let laid = layout.on(index, index.directory(entry), index.mask(entry), text, name);
                laid.or_else(|| self.strewn(index, entry, text, name, floor))
            }
        }?;
        if !self.word.upper_case.is_empty() {
            let place = if occurs == Occurs::InName { text } else { path };
            let is_whole = !self.is_path && (hit.tier == Tier::Path || hit.tier >= Tier::Substring);
            let lost = match is_whole {
                true if memchr::memmem::find(place, &self.word.typed).is_some() => 0,
                true => OTHER_CASE,
                false => self.other_case(place),
            };
            hit.quality = hit.quality.saturating_sub(lost);
        }
        Some(hit)
    }

    /// What is taken off for the upper-case letters that are not in `text`, in order and in their case.
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
    fn name_hit(&self, text: &[u8], name: &[u8], floor: u32) -> Option<Hit> {
        let wanted = &self.word.folded;
        if name.starts_with(wanted) {
            let tier = if wanted.len() == name.len() { Tier::Exact } else { Tier::Prefix };
            return Some(Hit { tier, quality: beginning(wanted.len(), name) });
        }
        if floor >= Tier::Word.ceiling() {
            return None;
        }
        if let Some((tier, at)) = find_inside(wanted, text, name) {
            return Some(Hit { tier, quality: coverage(wanted.len(), name, at) });
        }
        if floor >= Tier::Subsequence.ceiling() {
            return None;
        }
        if let Some(quality) = squashed_quality(&self.word.letters, text, name) {
            return Some(Hit { tier: Tier::Subsequence, quality });
        }
        if floor > Tier::Subsequence as u32 * TIER_SPAN + SCATTERED {
            return None;
        }
        // Without the punctuation that was typed among them, letters are what was typed only as beginnings of words.
        let is_clean = self.is_literal_in(name) || self.begins_words_of(text, name);
        let tier = if is_clean { Tier::Subsequence } else { Tier::Strewn };
        if floor >= tier.ceiling() {
            return None;
        }
        let aligned = self.letters.quality_in(text, name).unwrap_or(1) * SCATTERED / TIER_SPAN;
        let quality = aligned.saturating_sub(others(self.word.letters.len(), name).min(25) as u32 * OTHER_LETTER);
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
        if floor >= Tier::Path.ceiling() {
            return None;
        }
        match whole[index.directory(entry)] {
            0 => self.strewn(index, entry, text, name, floor),
            quality => Some(Hit { tier: Tier::Path, quality: u32::from(quality) }),
        }
    }

    /// Letters that occur in order, but nowhere as a whole.
    fn strewn(&self, index: &Index, entry: usize, text: &[u8], name: &[u8], floor: u32) -> Option<Hit> {
        if floor >= Tier::PathWords.ceiling() {
            return None;
        }
        let directory = index.directory(entry);
        let (mut states, mut aligned) = (**self.deep(index, directory)).clone();
        let as_words = self.alphabet.as_ref().is_none_or(|alphabet| {
            states.read(alphabet, text, name);
            states.slips(alphabet) == 0
        });
        let as_words = as_words && (!self.is_punctuated || self.is_separated(index, directory, name));
        let tier = if as_words { Tier::PathWords } else { Tier::Strewn };
        if floor >= tier.ceiling() {
            return None;
        }
        self.letters.read(&mut aligned, text, name);
        Some(Hit { tier, quality: self.letters.quality(&aligned).unwrap_or(1) })
    }

    fn deep(&self, index: &Index, directory: usize) -> &Deep {
        let nothing = || std::iter::repeat_with(OnceLock::new).take(index.directories()).collect();
        self.deep.get_or_init(nothing)[directory].get_or_init(|| {
            if directory == 0 {
                return Box::new((States::START, self.letters.start()));
            }
            let (mut states, mut aligned) = (**self.deep(index, index.parent(directory))).clone();
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

    fn mark(&self, index: &Index, entry: usize, path: &[u8], occurs: Occurs, positions: &mut Vec<usize>) {
        let mut folded = Vec::with_capacity(path.len());
        fold_into(path, &mut folded);
        let name_start = path.len() - index.name(entry).len();
        let wanted = &self.word.folded;
        let whole = match occurs {
            Occurs::InName => {
                contiguous_at(wanted, &path[name_start..], &folded[name_start..]).map(|at| name_start + at)
            }
            Occurs::InPath if self.word.is_path() => occurrences(wanted, &folded)
                .filter(|&at| (at == 0 || folded[at - 1] == b'/') && at + wanted.len() > name_start)
                .last(),
            Occurs::InPath => best_occurrence(wanted, path, &folded),
        };
        if let Some(at) = whole {
            positions.extend(at..at + wanted.len());
            return;
        }
        let from = if occurs == Occurs::InName { name_start } else { 0 };
        let marked = positions.len();
        self.letters.trace(&path[from..], &folded[from..], positions);
        positions[marked..].iter_mut().for_each(|position| *position += from);
        positions.retain(|&position| path[position] != b'/');
    }
}

/// How much of the letters from `from` on occurs in `text`, in order; `from` plus that.
pub(crate) fn advance(letters: &[u8], from: usize, text: &[u8]) -> usize {
    advance_in(letters, letters.is_ascii(), from, text)
}

/// [`advance`] for letters of which it is known whether they are ASCII.
#[inline]
fn advance_in(letters: &[u8], is_ascii: bool, from: usize, text: &[u8]) -> usize {
    if is_ascii {
        return advance_bytes(letters, from, text);
    }
    symbols(text).fold(from, |at, symbol| if letters[at..].starts_with(symbol) { at + symbol.len() } else { at })
}

/// [`advance`] for letters of one byte each.
#[inline]
fn advance_bytes(letters: &[u8], from: usize, text: &[u8]) -> usize {
    let mut at = from;
    for &byte in text {
        match letters.get(at) {
            None => break,
            Some(&wanted) => at += usize::from(byte == wanted),
        }
    }
    at
}

/// What is left of `wanted` behind `text`, in which it occurs in order, any punctuation being as good as any other.
fn advance_separated<'w>(wanted: &'w [u8], text: &[u8]) -> &'w [u8] {
    let is_found = |wanted: u8, byte: u8| wanted == byte || !(is_word(wanted) || is_word(byte));
    text.iter().fold(wanted, |wanted, &byte| match wanted {
        [first, rest @ ..] if is_found(*first, byte) => rest,
        _ => wanted,
    })
}

/// The characters of the letters from each letter on.
fn wanting(letters: &[u8]) -> Vec<u64> {
    let mut wanting = vec![0];
    wanting.extend(symbols(letters).map(|symbol| character_mask(&symbol[..1]) & !DIRECTORY));
    wanting.rotate_left(1);
    for at in (1..wanting.len()).rev() {
        wanting[at - 1] |= wanting[at];
    }
    wanting
}

/// For each directory how well the word names it, or one above it.
fn whole_qualities<E>(word: &Word, index: &Index, check: &impl Fn() -> Result<(), E>) -> Result<Vec<u16>, E> {
    let mut qualities = vec![0_u16; index.directories()];
    let mask = character_mask(&word.folded);
    index.visit_directories(check, |directory| {
        let above = qualities[index.parent(directory)];
        let hit = if mask & !index.directory_mask(directory) == 0 {
            let (text, folded) = index.segment(directory);
            contiguous(&word.folded, text, folded)
        } else {
            None
        };
        let here = hit.map_or(0, |hit| {
            let (base, share) = match hit.tier {
                Tier::Exact => (950, 0),
                Tier::Prefix => (600, 5),
                Tier::Word => (400, 5),
                _ => (100, 5),
            };
            base + hit.quality.checked_div(share).unwrap_or(0) as u16
        });
        qualities[directory] = here.max(if above == 0 { 0 } else { above.saturating_sub(FARTHER).max(1) });
    })?;
    Ok(qualities)
}

/// How many letters a name has beside so many: its stem, or when those do not fit in there, all of it.
fn others(letters: usize, name: &[u8]) -> usize {
    let count = |text: &[u8]| text.iter().filter(|&&byte| is_word(byte)).count();
    let stem = count(&name[..stem_length(name)]);
    (if letters > stem { count(name) } else { stem }).saturating_sub(letters)
}

/// The quality of letters that stand side by side in a name when separators are left out.
fn squashed_quality(letters: &[u8], text: &[u8], name: &[u8]) -> Option<u32> {
    let mut best = None;
    for start in occurrences(&letters[..1], name).filter(|&start| is_boundary(text, start)) {
        let mut end = start;
        let mut wanted = letters;
        while let (Some((&next, rest)), Some(&byte)) = (wanted.split_first(), name.get(end)) {
            if byte == next {
                wanted = rest;
            } else if is_word(byte) {
                break;
            }
            end += 1;
        }
        if wanted.is_empty() {
            let base = SCATTERED + if start == 0 { 150 } else { 50 };
            // What is left of the stem counts more than what is left of the name.
            let left = stem_length(name).saturating_sub(end) + name.len() - end;
            let quality = base + 240_u32.saturating_sub(left.min(40) as u32 * 6);
            best = best.max(Some(quality));
        }
    }
    best
}

fn contiguous_at(wanted: &[u8], text: &[u8], name: &[u8]) -> Option<usize> {
    crate::name::find_in_name(wanted, text, name).map(|(_, at)| at)
}

/// Where in a path `wanted` stands best: as a segment, at the beginning of one, else of a word, else anywhere; the
/// last one.
fn best_occurrence(wanted: &[u8], path: &[u8], folded: &[u8]) -> Option<usize> {
    let rank = |&at: &usize| {
        let begins = at == 0 || folded[at - 1] == b'/';
        let ends = folded.get(at + wanted.len()).is_none_or(|&byte| byte == b'/');
        if begins { 2 + u8::from(ends) } else { u8::from(is_boundary(path, at)) }
    };
    occurrences(wanted, folded).max_by_key(rank)
}

#[cfg(test)]
mod tests;
