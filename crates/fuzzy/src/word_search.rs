//! One word of a query, prepared for an index.

use std::sync::OnceLock;

use crate::align::{Aligned, Letters};
use crate::automaton::{Alphabet, States};
use crate::fold::{character_mask, symbols};
use crate::index::{DIRECTORY, Index};
use crate::name::contiguous;
use crate::query::Word;
use crate::runs::Runs;
use crate::score::Tier;
use crate::segments::SegmentAlignments;
use crate::subsequence::advance_in;

mod hit;
mod mark;

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
        let missing = progress.iter().map(|&reached| {
            // Everything in a directory that a slash ends is found, elsewhere only directories.
            let kind = if word.wants_directory && (reached as usize) < word.letters.len() { DIRECTORY } else { 0 };
            needs[reached as usize] | kind
        });
        let missing = missing.collect();
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
        let in_path = || self.progress[index.directory(entry)] as usize;
        if self.word.wants_directory && mask & DIRECTORY == 0 {
            return (in_path() == letters.len()).then_some(Occurs::InPath);
        }
        let in_name = |from: usize| {
            // For a single letter the mask is enough.
            let is_known = self.is_alphanumeric && from + 1 >= letters.len();
            self.needs[from] & !mask == 0 && (is_known || self.advance(from, index.name(entry)) == letters.len())
        };
        if !self.is_path && in_name(0) {
            return Some(Occurs::InName);
        }
        // Only now, because most names decide without it.
        let from = in_path();
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

    /// How well the word names a directory or one above it; 0 if it does not.
    pub(crate) fn above(&self, directory: usize) -> u32 {
        match &self.directories {
            DirectoryMatches::Whole(whole) => u32::from(whole[directory]),
            DirectoryMatches::Segments(_) => 0,
        }
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
