//! What a match is worth.

/// How a query matches, worst first. A score is `tier * 1000 + quality`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum Tier {
    /// Its letters are strewn over the path, in order, but not as beginnings of words; or over the base name, but without
    /// the punctuation that was typed among them.
    Strewn = 1,
    /// Not as typed: slips forgiven, its pieces are beginnings of words of the path, in order.
    PathSlip = 2,
    /// Not as typed: slips forgiven, it occurs in the base name.
    NameSlip = 3,
    /// Its pieces are beginnings of words of the path, in order.
    PathWords = 4,
    /// It occurs in the path, as a whole or segment by segment, but not in the base name.
    Path = 5,
    /// Its letters occur in the base name in order.
    Subsequence = 6,
    /// It occurs in the base name.
    Substring = 7,
    /// It occurs in the base name where a word begins.
    Word = 8,
    /// The base name begins with it.
    Prefix = 9,
    /// It is the base name.
    Exact = 10,
}

/// Qualities are below this, so that a tier always outranks the one beneath.
pub(crate) const TIER_SPAN: u32 = 1000;

/// The best quality of letters that do not stand side by side in a base name.
pub(crate) const SCATTERED: u32 = 600;

/// How one word matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hit {
    pub(crate) tier: Tier,
    pub(crate) quality: u32,
}

impl Tier {
    /// Scores of this tier and of those beneath are below this.
    #[must_use]
    pub fn ceiling(self) -> u32 {
        (self as u32 + 1) * TIER_SPAN
    }
}

impl Hit {
    /// Whether a base name decides.
    fn is_in_name(self) -> bool {
        self.tier == Tier::NameSlip || self.tier >= Tier::Subsequence
    }

    /// Whether its letters occur in a base name in order, but not side by side.
    pub(crate) fn is_scattered(self) -> bool {
        self.tier == Tier::Strewn || (self.tier == Tier::Subsequence && self.quality < SCATTERED)
    }

    pub(crate) fn score(self) -> u32 {
        self.tier as u32 * TIER_SPAN + self.quality
    }

    /// The score of a whole query: every word must hold, so the weakest decides the tier, all of them the place within
    /// it.
    pub(crate) fn of_query(hits: impl Iterator<Item = Self>) -> Option<u32> {
        let (mut weakest, mut total, mut count) = (Tier::Exact, 0, 0);
        // Directories stand before names, so where words are typed in the order of the path, so do they.
        let (mut in_name, mut in_order) = (false, true);
        for hit in hits {
            in_order &= !in_name || hit.is_in_name();
            in_name |= hit.is_in_name();
            // Beside other words, letters that merely occur in a name say less than a word that stands in the path.
            weakest = weakest.min(if hit.is_scattered() { hit.tier.min(Tier::PathWords) } else { hit.tier });
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
