//! Makes the signature of a text.

use crate::grams::{Detail, MAX_BITS_LOG2, hash3, hash4};

/// The size of the parts that a long text is cut into, each with a signature of its own. A part ends with a line.
pub const PIECE_BYTES: usize = 64 << 10;

/// The smallest filter, as a power of two of bits.
pub(crate) const MIN_BITS_LOG2: u32 = 6;
/// The maximal part of a filter that is set, for short texts and for pieces of long ones, which are read whole for each false
/// candidate.
const MAX_DENSITY: f64 = 0.6;
const MAX_PIECE_DENSITY: f64 = 0.36;
/// A filter that is fuller shows nothing.
const USELESS_DENSITY: f64 = 0.8;

/// The Bloom filter of the grams of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// 2^k bits.
    pub(crate) words: Vec<u64>,
}

impl Signature {
    /// Returns the number of its words of 64 bits: a power of two.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Returns k for a filter of 2^k bits.
    pub(crate) fn bits_log2(&self) -> u32 {
        (self.words.len() * 64).ilog2()
    }
}

/// Makes signatures. It keeps its buffers: make one for each thread.
pub struct SignatureBuilder {
    detail: Detail,
    filter: Vec<u64>,
    folded: Vec<u8>,
}

impl SignatureBuilder {
    /// Makes a builder.
    #[must_use]
    pub fn new(detail: Detail) -> Self {
        Self { detail, filter: vec![0; 1 << (MAX_BITS_LOG2 - 6)], folded: Vec::new() }
    }

    /// Returns the signature of a text, or of one piece of several; `None` if the text has too many grams for a
    /// signature to show anything.
    pub fn build(&mut self, text: &[u8], is_one_of_several: bool) -> Option<Signature> {
        self.filter.fill(0);
        self.folded.clear();
        self.folded.extend(text.iter().map(u8::to_ascii_lowercase));
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', text).chain([text.len()]) {
            let blank = text[start..end].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            // The last three spaces and tabs are in a gram with the byte after them.
            add_line(&mut self.filter, self.detail, text, &self.folded, start + blank.saturating_sub(3)..end);
            start = end + 1;
        }
        fold(&self.filter, if is_one_of_several { MAX_PIECE_DENSITY } else { MAX_DENSITY })
    }
}

/// Sets the bits of the grams in a line.
fn add_line(filter: &mut [u64], detail: Detail, text: &[u8], folded: &[u8], line: std::ops::Range<usize>) {
    let mut set = |hash: u32| filter[hash as usize >> 6] |= 1 << (hash & 63);
    let mut rest = &folded[line.clone()];
    if detail == Detail::Full {
        let mut exact = &text[line];
        while let (Some(window), Some(as_is)) = (rest.first_chunk::<4>(), exact.first_chunk::<4>()) {
            let (window, as_is) = (u32::from_le_bytes(*window), u32::from_le_bytes(*as_is));
            set(hash3(window));
            set(hash4(window));
            if as_is != window {
                set(hash4(as_is));
            }
            (rest, exact) = (&rest[1..], &exact[1..]);
        }
    }
    while let Some(&[a, b, c]) = rest.first_chunk::<3>() {
        set(hash3(u32::from_le_bytes([a, b, c, 0])));
        rest = &rest[1..];
    }
}

/// Makes a filter as small as its density allows, by laying its halves over one another.
fn fold(filter: &[u64], max_density: f64) -> Option<Signature> {
    let ones = |words: &[u64]| words.iter().map(|word| word.count_ones() as usize).sum::<usize>() as f64;
    let density = |words: &[u64]| ones(words) / (words.len() * 64) as f64;
    if density(filter) > USELESS_DENSITY {
        return None;
    }
    let mut words = filter.to_vec();
    while words.len() > 1 << (MIN_BITS_LOG2 - 6) {
        let (low, high) = words.split_at(words.len() / 2);
        let half: Vec<u64> = low.iter().zip(high).map(|(low, high)| low | high).collect();
        if density(&half) > max_density {
            break;
        }
        words = half;
    }
    Some(Signature { words })
}

/// Returns the pieces of a text: the whole of a short one; otherwise parts of about [`PIECE_BYTES`] that end with a line.
pub fn pieces(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = (!text.is_empty()).then_some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = if text.len() <= PIECE_BYTES {
            text.len()
        } else {
            memchr::memrchr(b'\n', &text[..PIECE_BYTES])
                .or_else(|| memchr::memchr(b'\n', &text[PIECE_BYTES..]).map(|at| PIECE_BYTES + at))
                .map_or(text.len(), |at| at + 1)
        };
        let (piece, after) = text.split_at(end);
        rest = (!after.is_empty()).then_some(after);
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grams::{Family, Gram};

    /// The grams of a text by their definition.
    fn grams_of(text: &[u8], family: Family) -> impl Iterator<Item = Gram> {
        text.windows(family.len()).filter_map(move |window| Gram::of(family, window))
    }

    fn has(signature: &Signature, gram: Gram) -> bool {
        let bit = gram.bit(signature.bits_log2());
        signature.words[bit / 64] >> (bit % 64) & 1 == 1
    }

    #[test]
    fn a_signature_has_every_gram_of_its_text() {
        let long = "int sched_setaffinity(struct task_struct *PM_RESUME);\r\n\t\t    \tx\n".repeat(300);
        for text in [
            "",
            "a",
            "ab",
            "abc",
            "Abcd",
            "\n",
            " ",
            "   ",
            "    a",
            "\t\t\t\tif (x)\n",
            " a  ",
            "a\n\nb",
            "a\nbcd\n  \n    e fg",
            "ÄÖ ß 漢字 \u{212a}",
            "x\0\0\u{ff}y",
            &long,
        ] {
            for detail in [Detail::Full, Detail::Low] {
                let signature = SignatureBuilder::new(detail).build(text.as_bytes(), false).expect("a signature");
                for family in detail.families() {
                    assert!(
                        grams_of(text.as_bytes(), *family).all(|gram| has(&signature, gram)),
                        "{text:?} {family:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_builder_forgets_the_text_before() {
        let mut builder = SignatureBuilder::new(Detail::Full);
        builder.build(b"something else", false).expect("a signature");
        let again = builder.build(b"alpha", false);
        assert_eq!(again, SignatureBuilder::new(Detail::Full).build(b"alpha", false));
    }

    #[test]
    fn the_pieces_are_the_text_and_end_with_a_line() {
        let line = |length: usize| [vec![b'x'; length - 1], vec![b'\n']].concat();
        let texts = [
            vec![],
            line(1),
            line(PIECE_BYTES),
            line(PIECE_BYTES + 1),
            line(PIECE_BYTES * 3),
            vec![b'x'; PIECE_BYTES * 2],
            [line(PIECE_BYTES * 2), line(10), vec![b'y'; 5]].concat(),
            [line(100).repeat(3000), vec![b'y'; 5]].concat(),
        ];
        for text in texts {
            let all: Vec<&[u8]> = pieces(&text).collect();
            assert_eq!(all.concat(), text);
            assert_eq!(all.len() <= 1, text.len() <= PIECE_BYTES || !text[..text.len() - 1].contains(&b'\n'));
            for (number, piece) in all.iter().enumerate() {
                assert!(piece.ends_with(b"\n") || number + 1 == all.len(), "{}", piece.len());
                assert!(piece.len() <= PIECE_BYTES || !piece[..piece.len() - 1].contains(&b'\n'), "{}", piece.len());
            }
        }
    }

    #[test]
    fn a_text_with_too_many_grams_has_no_signature() {
        let mut state = 1_u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .take(200_000)
        .collect();
        let mut builder = SignatureBuilder::new(Detail::Full);
        assert_eq!(builder.build(&noise, false), None);
        assert!(builder.build(&noise[..1000], false).is_some());
    }
}
