//! Tiers and scores of matches.

/// How a query matches, worst first. A score is `tier * 1000 + quality`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum Tier {
    /// Its letters are scattered over the path, in order, but not as beginnings of words; or over the base name, but without
    /// the punctuation that was typed among them.
    Scattered = 1,
    /// With typos: its pieces are beginnings of words of the path, in order.
    PathTypo = 2,
    /// With typos: it occurs in the base name.
    NameTypo = 3,
    /// Its pieces are beginnings of words of the path, in order.
    PathWords = 4,
    /// It occurs in the path, as a whole or segment by segment, but not in the base name.
    Path = 5,
    /// Its letters occur in the base name in order.
    Subsequence = 6,
    /// It splits into runs that begin words of the path, the last ones at the start of the base name; or into words:
    /// some occur in the base name, the others in the path.
    Runs = 7,
    /// It occurs in the base name.
    Substring = 8,
    /// It occurs in the base name where a word begins.
    Word = 9,
    /// The base name begins with it, or it is the stem of the base name but for punctuation.
    Prefix = 10,
    /// It is the base name.
    Exact = 11,
}

/// Qualities are below this, so that a tier always outranks the tiers below it.
pub(crate) const TIER_SPAN: u32 = 1000;

/// A point of quality, in the fractions in which costs are counted.
pub(crate) const POINT: u32 = 16;

/// The maximal quality of letters that are not adjacent in a base name.
pub(crate) const MAX_GAPPED: u32 = 600;

/// How one word matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hit {
    pub(crate) tier: Tier,
    pub(crate) quality: u32,
}

impl Tier {
    /// Scores of this tier and of the tiers below it are below this.
    #[must_use]
    pub fn ceiling(self) -> u32 {
        (self as u32 + 1) * TIER_SPAN
    }

    /// Whether a score is of this tier.
    pub(crate) fn includes(self, score: u32) -> bool {
        score / TIER_SPAN == self as u32
    }
}

impl Hit {
    /// Whether the match is in the base name.
    pub(crate) fn is_in_name(self) -> bool {
        self.tier == Tier::NameTypo || self.tier >= Tier::Subsequence
    }

    /// Whether its letters occur in a base name in order, but are not adjacent.
    pub(crate) fn is_gapped(self) -> bool {
        self.tier == Tier::Scattered || (self.tier == Tier::Subsequence && self.quality < MAX_GAPPED)
    }

    pub(crate) fn score(self) -> u32 {
        self.tier as u32 * TIER_SPAN + self.quality
    }

    /// The score of a whole query. Every word must match, so the weakest decides the tier; all of them decide the quality.
    pub(crate) fn of_query(hits: impl Iterator<Item = Self>) -> Option<u32> {
        let (mut weakest, mut total, mut count) = (Tier::Exact, 0, 0);
        // Directories come before names in a path, and so do their words if they are typed in the order of the path.
        let (mut in_name, mut in_order) = (false, true);
        for hit in hits {
            in_order &= !in_name || hit.is_in_name();
            in_name |= hit.is_in_name();
            // Next to other words, scattered letters in a name mean less than a whole word in the path.
            weakest = weakest.min(if hit.is_gapped() || hit.tier == Tier::Runs {
                hit.tier.min(Tier::PathWords)
            } else {
                hit.tier
            });
            total += hit.score();
            count += 1;
        }
        match count {
            0 => None,
            1 => Some(total),
            _ => {
                let quality = total / count * (TIER_SPAN - 1) / Tier::Exact.ceiling() + u32::from(in_order);
                Some(weakest as u32 * TIER_SPAN + quality)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_gapped_only_if_they_are_not_adjacent() {
        for (tier, quality, is_gapped) in [
            (Tier::Scattered, TIER_SPAN - 1, true),
            (Tier::Subsequence, MAX_GAPPED - 1, true),
            (Tier::Subsequence, MAX_GAPPED, false),
            (Tier::Substring, 1, false),
            (Tier::Word, TIER_SPAN - 1, false),
        ] {
            assert_eq!(Hit { tier, quality }.is_gapped(), is_gapped, "{tier:?} {quality}");
        }
    }
}
