//! Many signatures, stored so that a query reads few of their bytes.
//!
//! Signatures of the same size are the columns of a block: row N holds bit N of all of them. A query reads the rows of its
//! grams and nothing else. Blocks are shared with the clones of a store until they change, so a clone costs one pointer for each
//! block.

use std::sync::Arc;

use crate::plan::Query;
use crate::signature::{MIN_BITS_LOG2, Signature};

/// The columns of a word.
const WORD: usize = 64;
/// The words of the widest row: a cache line.
const MAX_WORDS: usize = 8;
/// The numbers of columns are multiples of this, whatever the width of their block.
const STRIDE: usize = MAX_WORDS * WORD;

/// The place of a signature in a [`Store`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column(u32);

/// Some columns of a store.
#[derive(Clone, Debug, Default)]
pub struct Columns(Vec<[u64; MAX_WORDS]>);

impl Columns {
    /// Whether it has a column.
    #[must_use]
    pub fn contains(&self, Column(column): Column) -> bool {
        let (block, bit) = (column as usize / STRIDE, column as usize % STRIDE);
        self.0[block][bit / WORD] >> (bit % WORD) & 1 == 1
    }
}

/// Signatures, as columns.
#[derive(Clone, Debug, Default)]
pub struct Store {
    blocks: Vec<Arc<Block>>,
    bytes: usize,
    /// The words that no group has taken, by the size of the signatures.
    free_words: Vec<Vec<(u32, u8)>>,
    /// The columns in groups that are not full, and columns that were removed, by the size of the signatures.
    free_columns: Vec<Vec<Column>>,
}

#[derive(Clone, Debug)]
struct Block {
    bits_log2: u32,
    /// How many words a row has.
    words: usize,
    rows: Box<[u64]>,
}

impl Block {
    fn new(bits_log2: u32) -> Self {
        let words = words_of(bits_log2);
        Self { bits_log2, words, rows: vec![0; words << bits_log2].into() }
    }

    fn row(&self, bit: usize) -> &[u64] {
        &self.rows[bit * self.words..(bit + 1) * self.words]
    }

    /// Writes which columns meet a query to the first words of `found`.
    fn find(&self, query: &Query, found: &mut [u64]) {
        match query {
            Query::All => found.fill(u64::MAX),
            Query::Gram(gram) => found.copy_from_slice(self.row(gram.bit(self.bits_log2))),
            Query::And(parts) => self.combine(parts, found, u64::MAX, |found, part| *found &= part),
            Query::Or(parts) => self.combine(parts, found, 0, |found, part| *found |= part),
        }
    }

    /// Starts with `neutral` in all columns. Ends when the other parts change nothing.
    fn combine(&self, parts: &[Query], found: &mut [u64], neutral: u64, add: impl Fn(&mut u64, u64)) {
        found.fill(neutral);
        let mut part = [0; MAX_WORDS];
        for query in parts {
            let part = &mut part[..self.words];
            self.find(query, part);
            found.iter_mut().zip(&*part).for_each(|(found, part)| add(found, *part));
            if found.iter().all(|&word| word == !neutral) {
                return;
            }
        }
    }
}

/// Large signatures have narrow blocks, because the unused part of a block takes memory too.
fn words_of(bits_log2: u32) -> usize {
    match bits_log2 {
        0..13 => MAX_WORDS,
        13..15 => MAX_WORDS / 2,
        _ => 1,
    }
}

impl Store {
    /// Returns the memory that the signatures take, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the number of further bytes for one signature, or for a group of signatures of one size.
    #[must_use]
    pub fn bytes_for(&self, group: &[Signature]) -> usize {
        let Some(first) = group.first() else { return 0 };
        let bits_log2 = first.bits_log2();
        let is_free = |list: usize| list > 0;
        let size = bits_log2 as usize;
        let has_word = self.free_words.get(size).is_some_and(|words| is_free(words.len()));
        let has_column = group.len() == 1 && self.free_columns.get(size).is_some_and(|columns| is_free(columns.len()));
        if has_word || has_column { 0 } else { (words_of(bits_log2) << bits_log2) * size_of::<u64>() }
    }

    /// Adds one signature.
    pub fn add(&mut self, signature: &Signature) -> Column {
        let size = signature.bits_log2() as usize;
        self.free_columns.resize(self.free_columns.len().max(size + 1), Vec::new());
        let column = if let Some(column) = self.free_columns[size].pop() {
            column
        } else {
            let (block, word) = self.take_word(signature.bits_log2());
            let first = block * STRIDE as u32 + u32::from(word) * WORD as u32;
            self.free_columns[size].extend((first + 1..first + WORD as u32).rev().map(Column));
            Column(first)
        };
        let (block, bit) = (column.0 as usize / STRIDE, column.0 as usize % STRIDE);
        let block = Arc::make_mut(&mut self.blocks[block]);
        let (word, mask) = (bit / WORD, 1 << (bit % WORD));
        for (row, cell) in block.rows.iter_mut().skip(word).step_by(block.words).enumerate() {
            // A column that was removed still has its bits.
            *cell = if signature.words[row / 64] >> (row % 64) & 1 == 1 { *cell | mask } else { *cell & !mask };
        }
        column
    }

    /// Adds 64 signatures of one size, which is much faster than one by one. Their columns are the returned one and the 63 after it.
    ///
    /// # Panics
    /// When they are not 64, or not of one size.
    pub fn add_group(&mut self, group: &[Signature]) -> impl Iterator<Item = Column> + use<> {
        assert!(group.len() == WORD, "a group has 64 signatures");
        let (block, word) = self.take_word(group[0].bits_log2());
        let target = Arc::make_mut(&mut self.blocks[block as usize]);
        let mut square = [0; WORD];
        for part in 0..group[0].words.len() {
            for (row, signature) in square.iter_mut().zip(group) {
                *row = signature.words[part];
            }
            transpose(&mut square);
            let rows = target.rows[part * WORD * target.words + usize::from(word)..].iter_mut().step_by(target.words);
            rows.zip(square).for_each(|(cell, row)| *cell = row);
        }
        let first = block * STRIDE as u32 + u32::from(word) * WORD as u32;
        (first..first + WORD as u32).map(Column)
    }

    /// Gives the place of a signature to a later one of the same size.
    pub fn remove(&mut self, column: Column) {
        let size = self.blocks[column.0 as usize / STRIDE].bits_log2 as usize;
        self.free_columns.resize(self.free_columns.len().max(size + 1), Vec::new());
        self.free_columns[size].push(column);
    }

    /// Takes a word of a block for 64 columns.
    fn take_word(&mut self, bits_log2: u32) -> (u32, u8) {
        let size = bits_log2.max(MIN_BITS_LOG2) as usize;
        self.free_words.resize(self.free_words.len().max(size + 1), Vec::new());
        if let Some(word) = self.free_words[size].pop() {
            return word;
        }
        let number = self.blocks.len() as u32;
        let block = Block::new(bits_log2);
        self.bytes += size_of_val(&*block.rows);
        self.free_words[size].extend((1..block.words as u8).rev().map(|word| (number, word)));
        self.blocks.push(Arc::new(block));
        (number, 0)
    }

    /// Returns the columns of all signatures that meet a query.
    #[must_use]
    pub fn find(&self, query: &Query) -> Columns {
        let find = |block: &Arc<Block>| {
            let mut found = [0; MAX_WORDS];
            block.find(query, &mut found[..block.words]);
            found
        };
        Columns(self.blocks.iter().map(find).collect())
    }
}

/// Swaps the rows and columns of a square of bits: squares of half the size are swapped, then squares in them (the recursion of
/// Hacker's Delight, section 7-3).
fn transpose(square: &mut [u64; WORD]) {
    let (mut half, mut mask) = (WORD / 2, u64::MAX >> 32);
    while half > 0 {
        for row in (0..WORD).filter(|row| row & half == 0) {
            let swapped = (square[row] >> half ^ square[row + half]) & mask;
            square[row] ^= swapped << half;
            square[row + half] ^= swapped;
        }
        half /= 2;
        mask ^= mask << half;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grams::{Detail, Family, Gram};
    use crate::signature::SignatureBuilder;

    #[test]
    fn transposing_swaps_rows_and_columns() {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state
        };
        let before: [u64; WORD] = std::array::from_fn(|_| next());
        let mut after = before;
        transpose(&mut after);
        for (row, after) in after.into_iter().enumerate() {
            for (column, before) in before.into_iter().enumerate() {
                assert_eq!(after >> column & 1, before >> row & 1, "{row} {column}");
            }
        }
    }

    fn gram(text: &str) -> Query {
        Query::Gram(Gram::of(Family::Folded3, text.as_bytes()).unwrap())
    }

    #[test]
    fn groups_and_single_signatures_are_found_by_their_grams() {
        let mut builder = SignatureBuilder::new(Detail::Full);
        let texts: Vec<String> = (100..300).map(|number| format!("word{number} and {}", number * 7919)).collect();
        let signatures: Vec<Signature> =
            texts.iter().map(|text| builder.build(text.as_bytes(), false).unwrap()).collect();
        let mut store = Store::default();
        let mut groups = signatures.chunk_by(|a, b| a.words.len() == b.words.len());
        let mut columns = Vec::new();
        let grouped = groups.next().filter(|group| group.len() >= WORD).map(|group| &group[..WORD]);
        columns.extend(grouped.into_iter().flat_map(|group| store.add_group(group)));
        let rest = columns.len();
        columns.extend(signatures[rest..].iter().map(|signature| store.add(signature)));
        assert!(rest == WORD && columns.len() == texts.len());
        let all = |parts: &[&str]| Query::And(parts.iter().map(|part| gram(part)).collect());
        for query in [
            gram("wor"),
            gram("zzz"),
            all(&["d10", "100"]),
            all(&["d25", "250", "50 "]),
            Query::Or([gram("d19"), gram("zzz")].into()),
            Query::Or([all(&["d19", "190"]), all(&["d20", "202"])].into()),
            Query::Or([].into()),
            Query::All,
        ] {
            let found = store.find(&query);
            for (signature, column) in signatures.iter().zip(&columns) {
                assert_eq!(found.contains(*column), meets(signature, &query), "{query:?}");
            }
        }
    }

    /// What a query means, one signature at a time.
    fn meets(signature: &Signature, query: &Query) -> bool {
        match query {
            Query::All => true,
            Query::Gram(gram) => {
                let bit = gram.bit(signature.bits_log2());
                signature.words[bit / 64] >> (bit % 64) & 1 == 1
            }
            Query::And(parts) => parts.iter().all(|part| meets(signature, part)),
            Query::Or(parts) => parts.iter().any(|part| meets(signature, part)),
        }
    }

    #[test]
    fn the_place_of_a_removed_signature_is_used_again_and_clones_do_not_change() {
        let mut builder = SignatureBuilder::new(Detail::Full);
        let [first, second] = ["alpha", "delta"].map(|text| builder.build(text.as_bytes(), false).unwrap());
        let mut store = Store::default();
        let column = store.add(&first);
        let (before, bytes) = (store.clone(), store.bytes());
        store.remove(column);
        assert_eq!(store.bytes_for(std::slice::from_ref(&second)), 0);
        assert_eq!(store.add(&second), column);
        assert_eq!(store.bytes(), bytes);
        for (text, is_old) in [("alp", true), ("del", false)] {
            assert_eq!(before.find(&gram(text)).contains(column), is_old, "{text}");
            assert_eq!(store.find(&gram(text)).contains(column), !is_old, "{text}");
        }
    }

    #[test]
    fn the_bytes_of_a_new_block_are_known_before_it_is_made() {
        let mut builder = SignatureBuilder::new(Detail::Full);
        let mut store = Store::default();
        for length in [3, 100, 1_000, 10_000, 60_000] {
            let text: Vec<u8> = (0..length).map(|at: u32| (at.wrapping_mul(2_654_435_761) >> 13) as u8 | 1).collect();
            let Some(signature) = builder.build(&text, true) else { continue };
            let expected = store.bytes() + store.bytes_for(std::slice::from_ref(&signature));
            store.add(&signature);
            assert_eq!(store.bytes(), expected, "{length}");
        }
    }
}
