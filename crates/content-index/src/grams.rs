//! What a gram is: the only place that decides it, for texts and for expressions.

/// The number of bits of the largest filter, as a power of two. A filter of 2^k bits uses the lowest k bits of a hash.
pub(crate) const MAX_BITS_LOG2: u32 = 17;

/// A family of grams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Three bytes, ASCII letters in lower case.
    Folded3,
    /// Four bytes, ASCII letters in lower case.
    Folded4,
    /// Four bytes as they are, with at least one ASCII letter in upper case.
    Exact4,
}

/// Which families an index has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// All.
    Full,
    /// Only [`Family::Folded3`]: a quarter of the memory, and more candidates.
    Low,
}

impl Detail {
    /// Returns the families, the most selective first.
    pub(crate) fn families(self) -> &'static [Family] {
        match self {
            Self::Full => &[Family::Exact4, Family::Folded4, Family::Folded3],
            Self::Low => &[Family::Folded3],
        }
    }
}

impl Family {
    /// Returns the length of its grams in bytes.
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Folded3 => 3,
            Self::Folded4 | Self::Exact4 => 4,
        }
    }

    /// Whether upper and lower case of ASCII letters are the same in it.
    pub(crate) fn is_folded(self) -> bool {
        self != Self::Exact4
    }
}

/// A gram, as a hash of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Gram(u32);

impl Gram {
    /// Returns the gram of a window of a text; `None` if the window has the wrong length or is not a gram. A gram has no line feed,
    /// because matches of single lines have none, and at least one byte that is not a space or tab, because nearly all texts have
    /// the others.
    #[must_use]
    pub fn of(family: Family, window: &[u8]) -> Option<Self> {
        let is_blank = window.iter().all(|byte| matches!(byte, b' ' | b'\t'));
        if window.len() != family.len() || is_blank || window.contains(&b'\n') {
            return None;
        }
        let mut bytes = [0; 4];
        bytes[..window.len()].copy_from_slice(window);
        let exact = u32::from_le_bytes(bytes);
        let folded = u32::from_le_bytes(bytes.map(|byte| byte.to_ascii_lowercase()));
        match family {
            Family::Folded3 => Some(Self(hash3(folded))),
            Family::Folded4 => Some(Self(hash4(folded))),
            Family::Exact4 => (exact != folded).then(|| Self(hash4(exact))),
        }
    }

    /// Returns its bit in a filter of 2^`bits_log2` bits.
    pub(crate) fn bit(self, bits_log2: u32) -> usize {
        self.0 as usize & ((1 << bits_log2) - 1)
    }
}

/// The hash of a window of three bytes, whose fourth byte is ignored.
pub(crate) fn hash3(window: u32) -> u32 {
    // Odd numbers with well mixed bits: the fractional parts of the golden ratio and of the square root of two.
    ((u64::from(window & 0x00FF_FFFF)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as u32 & ((1 << MAX_BITS_LOG2) - 1)
}

/// The hash of a window of four bytes. One that is folded and one that is not are different strings, so they share the hash.
pub(crate) fn hash4(window: u32) -> u32 {
    (u64::from(window).wrapping_mul(0x6A09_E667_F3BC_C909) >> 40) as u32 & ((1 << MAX_BITS_LOG2) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_that_are_no_grams() {
        for (family, window) in [
            (Family::Folded3, &b"ab"[..]),
            (Family::Folded3, b"abcd"),
            (Family::Folded4, b"abc"),
            (Family::Folded3, b"a\nb"),
            (Family::Folded4, b"abc\n"),
            (Family::Folded3, b" \t "),
            (Family::Folded4, b"    "),
            (Family::Exact4, b"abcd"),
            (Family::Exact4, b"ab_1"),
        ] {
            assert_eq!(Gram::of(family, window), None, "{family:?} {window:?}");
        }
    }

    #[test]
    fn only_an_exact_gram_tells_upper_case_from_lower_case() {
        for (family, equal) in [(Family::Folded3, true), (Family::Folded4, true), (Family::Exact4, false)] {
            let gram = |text: &[u8]| Gram::of(family, &text[..family.len()]);
            assert_eq!(gram(b"PmRe") == gram(b"PMRE"), equal, "{family:?}");
            assert!(gram(b"PmRe").is_some());
        }
        // The bytes of other letters are not folded.
        assert_ne!(Gram::of(Family::Folded3, "Éa".as_bytes()), Gram::of(Family::Folded3, "éa".as_bytes()));
    }
}
