//! One word of a query, prepared for an index.

use std::sync::OnceLock;

use crate::align::{Aligned, Letters};
use crate::automaton::{Alphabet, States};
use crate::fold::{character_mask, fold_into, symbols};
use crate::index::{DIRECTORY, Index};
use crate::name::{
    WHOLE_STEM, beginning, contiguous, coverage, find_inside, is_boundary, is_whole_stem, is_word, occurrences,
    squashed, stem_length,
};
use crate::query::Word;
use crate::runs::Runs;
use crate::score::{Hit, MAX_GAPPED, TIER_SPAN, Tier};
use crate::segments::SegmentAlignments;
use crate::subsequence::{advance, advance_in, advance_separated};

/// The cost of typed upper-case letters that have another case in the path.
const OTHER_CASE: u32 = 80;
/// The cost of each letter of the name that was not typed, if the typed letters are not adjacent.
const OTHER_LETTER: u32 = 8;
/// What a whole stem has more if the directory has that name too.
const SAME_NAME: u32 = 5;
/// Next to other words, runs of less than this quality over a path are scattered letters.
const WEAK_RUNS: u32 = 750;
/// The quality of a stem that is the typed letters with other punctuation.
const OTHER_STEM: u32 = 940;
/// How much the quality of a directory falls for each level below it.
const FARTHER: u16 = 30;

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
    pub(crate) is_punctuated: bool,
    is_ascii: bool,
    /// Whether the letters are ASCII letters and digits, which have separate bits in a mask.
    is_alphanumeric: bool,
    /// The maximal number of typos.
    pub(crate) typos: usize,
    letters: Letters,
    /// The mask of the letters from each offset to the end.
    pub(crate) needs: Vec<u64>,
    /// For each directory, how many bytes of the letters occur in its path, in order.
    progress: Vec<u32>,
    /// For each directory, the characters that a name in it must have for the letters to occur.
    pub(crate) missing: Vec<u64>,
    directories: DirectoryMatches,
    runs: Option<Runs>,
    pub(crate) alphabet: Option<Alphabet>,
    /// The mask of the letters from each letter to the end, with the first byte of letters outside ASCII.
    pub(crate) suffix_masks: Vec<u64>,
    /// For each directory, computed on first use.
    scattered_states: OnceLock<Box<[OnceLock<ScatteredState>]>>,
}

/// The state of the letters after a directory's path: as beginnings of words, and their alignment.
type ScatteredState = Box<(States<1>, Aligned)>;

/// How a word matches the paths of directories.
#[derive(Debug)]
enum DirectoryMatches {
    /// For a word without a slash, the quality of its best occurrence; 0 if it does not occur.
    Whole(Vec<u16>),
    Segments(SegmentAlignments),
}

impl WordSearch {
    pub(crate) fn new<E>(word: &Word, index: &Index, check: &impl Fn() -> Result<(), E>) -> Result<Self, E> {
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
        let directories = if word.is_path() {
            DirectoryMatches::Segments(SegmentAlignments::new(word, index, check)?)
        } else {
            DirectoryMatches::Whole(whole_qualities(word, index, check)?)
        };
        Ok(Self {
            letters: Letters::new(&word.letters),
            progress,
            missing,
            directories,
            runs: Runs::new(word),
            alphabet: Alphabet::new(&word.letters),
            suffix_masks: suffix_masks(&word.letters),
            scattered_states: OnceLock::new(),
            needs,
            is_path: word.is_path(),
            is_punctuated: !word.is_path() && word.letters.len() < word.folded.len(),
            is_ascii,
            is_alphanumeric: word.letters.iter().all(u8::is_ascii_alphanumeric),
            typos: word.typos(),
            word: word.clone(),
        })
    }

    /// Where the word's letters occur in order: in the base name, otherwise in the path.
    #[inline]
    pub(crate) fn occurs(&self, index: &Index, entry: usize) -> Option<Occurs> {
        let mask = index.mask(entry);
        let letters = &self.word.letters;
        if self.word.wants_directory && mask & DIRECTORY == 0 {
            return None;
        }
        let in_name = |from: usize| {
            // For a single letter the mask is enough.
            let is_known = self.is_alphanumeric && from + 1 >= letters.len();
            self.needs[from] & !mask == 0 && (is_known || self.advance(from, index.name(entry)) == letters.len())
        };
        if !self.is_path && in_name(0) {
            return Some(Occurs::InName);
        }
        let from = self.progress[index.directory(entry)] as usize;
        (from == letters.len() || in_name(from)).then_some(Occurs::InPath)
    }

    /// Whether a name begins with the first byte of the word.
    pub(crate) fn begins(&self, name: &[u8]) -> bool {
        name.first() == self.word.folded.first()
    }

    #[inline]
    fn advance(&self, from: usize, text: &[u8]) -> usize {
        advance_in(&self.word.letters, self.is_ascii, from, text)
    }

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
                let aligned = alignments.hit_of_entry(index, index.directory(entry), index.mask(entry), text, name);
                aligned.or_else(|| self.scattered(index, entry, text, name, floor))
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
        if self.begins(name)
            && wanted.last().is_some_and(|&byte| is_word(byte))
            && is_whole_stem(&self.word.letters, name)
        {
            let quality = if self.is_punctuated { OTHER_STEM } else { WHOLE_STEM };
            return Some(Hit { tier: Tier::Prefix, quality: quality + of_same_name(index, entry, name, quality) });
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
        let tier = if is_clean { Tier::Subsequence } else { Tier::Scattered };
        if floor >= tier.ceiling() {
            return None;
        }
        let aligned = self.letters.quality_in(text, name).unwrap_or(1) * MAX_GAPPED / TIER_SPAN;
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

    /// The hit if the letters, with one typo, split into runs: less than that of a name with one typo in few letters, more than
    /// that of one with two.
    pub(crate) fn runs_hit_with_typo(&self, index: &Index, entry: usize, path: &[u8], typos: usize) -> Option<Hit> {
        let name = index.name(entry);
        let runs = self.runs.as_ref().filter(|_| typos == 1 && self.is_ascii)?;
        let quality = runs.quality_with_typo(index, entry, &path[path.len() - name.len()..], name)?;
        Some(Hit { tier: Tier::NameTypo, quality: quality.saturating_sub(self.other_case(path)) })
    }

    /// How well the word names a directory or one above it; 0 if it does not.
    pub(crate) fn above(&self, directory: usize) -> u32 {
        match &self.directories {
            DirectoryMatches::Whole(whole) => u32::from(whole[directory]),
            DirectoryMatches::Segments(_) => 0,
        }
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

    /// Appends the offsets of the bytes of `path` that the word matched.
    pub(crate) fn mark(
        &self,
        index: &Index,
        entry: usize,
        path: &[u8],
        occurs: Occurs,
        is_one_of_many: bool,
        positions: &mut Vec<usize>,
    ) {
        let marked = positions.len();
        let mut folded = Vec::with_capacity(path.len());
        fold_into(path, &mut folded);
        let name_start = path.len() - index.name(entry).len();
        let wanted = &self.word.folded;
        let whole = match occurs {
            Occurs::InName => {
                let in_name =
                    contiguous_at(wanted, &path[name_start..], &folded[name_start..]).map(|at| name_start + at);
                // Next to other words, a whole word in the path counts more than letters in the name.
                let is_above = in_name.is_none() && is_one_of_many && self.above(index.directory(entry)) > 0;
                if is_above { best_occurrence(wanted, path, &folded) } else { in_name }
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
        if let Some(runs) = self.runs.as_ref().filter(|_| !is_one_of_many) {
            runs.trace(index, entry, path, &folded[name_start..], positions);
            if positions.len() > marked {
                return;
            }
        }
        let from = if occurs == Occurs::InName { name_start } else { 0 };
        self.letters.trace(&path[from..], &folded[from..], positions);
        positions[marked..].iter_mut().for_each(|position| *position += from);
        positions.retain(|&position| path[position] != b'/');
    }
}

/// The mask of the letters from each letter to the end.
fn suffix_masks(letters: &[u8]) -> Vec<u64> {
    let mut masks = vec![0];
    masks.extend(symbols(letters).map(|symbol| character_mask(&symbol[..1]) & !DIRECTORY));
    masks.rotate_left(1);
    for at in (1..masks.len()).rev() {
        masks[at - 1] |= masks[at];
    }
    masks
}

/// For each directory, how well the word names it or a directory above it.
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
        let own = hit.map_or(0, |hit| {
            let (base, share) = match hit.tier {
                Tier::Exact => (950, 0),
                Tier::Prefix => (600, 5),
                Tier::Word => (400, 5),
                _ => (100, 5),
            };
            base + hit.quality.checked_div(share).unwrap_or(0) as u16
        });
        qualities[directory] = own.max(if above == 0 { 0 } else { above.saturating_sub(FARTHER).max(1) });
    })?;
    Ok(qualities)
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

fn contiguous_at(wanted: &[u8], text: &[u8], name: &[u8]) -> Option<usize> {
    crate::name::find_in_name(wanted, text, name).map(|(_, at)| at)
}

/// The best occurrence of `wanted` in a path: a whole segment, the beginning of a segment, the beginning of a word, or any
/// other; the last one of these.
fn best_occurrence(wanted: &[u8], path: &[u8], folded: &[u8]) -> Option<usize> {
    let rank = |&at: &usize| {
        let begins = at == 0 || folded[at - 1] == b'/';
        let ends = folded.get(at + wanted.len()).is_none_or(|&byte| byte == b'/');
        if begins { 2 + u8::from(ends) } else { u8::from(is_boundary(path, at)) }
    };
    occurrences(wanted, folded).max_by_key(rank)
}
