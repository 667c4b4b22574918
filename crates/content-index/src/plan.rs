//! Which grams every match of an expression contains.
//!
//! The plan is made from the parsed expression that the matcher was compiled from, so the two cannot disagree about flags.
//! It is computed once for each family of grams, and a text must meet the conditions of all families.

mod algebra;
mod condition;
mod strings;
#[cfg(test)]
mod tests;

use regex_syntax::hir::Hir;

use crate::grams::{Detail, Family, Gram};

/// The maximal number of grams that the condition of a folded family has. With the other limits a query has at most 4,096.
const MAX_FOLDED_GRAMS: usize = 1984;
/// The maximal number of grams of the exact family. An expression that ignores case has the letters in all combinations, and
/// the folded families find as much with fewer grams.
const MAX_EXACT_GRAMS: usize = 128;

/// A condition on the grams of a text. A text that does not meet it has no match.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Query {
    /// Every text may have a match.
    All,
    /// The text must have this gram.
    Gram(Gram),
    /// All conditions must be met. Never empty, and without [`Query::All`].
    And(Box<[Query]>),
    /// One condition must be met; if there is none, no text has a match.
    Or(Box<[Query]>),
}

impl Query {
    /// Whether the query rules out no text.
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == Self::All
    }

    /// Whether a text meets the condition. `has` tells whether the text has a gram.
    pub fn matches(&self, has: &dyn Fn(Gram) -> bool) -> bool {
        match self {
            Self::All => true,
            Self::Gram(gram) => has(*gram),
            Self::And(parts) => parts.iter().all(|part| part.matches(has)),
            Self::Or(parts) => parts.iter().any(|part| part.matches(has)),
        }
    }
}

/// Returns a condition that every text with a match of one of the expressions meets. The grams of a text are all its windows
/// for which [`Gram::of`] returns one, or those of a single line if no match is longer than a line.
///
/// The expressions must be parsed as for a matcher of bytes (`utf8(false)`). Without expressions no text has a match. The time
/// and the size of the query are bounded: parts of a very large expression are taken to match everything.
#[must_use]
pub fn plan(expressions: &[Hir], detail: Detail) -> Query {
    Query::and(detail.families().iter().map(|&family| plan_family(expressions, family)))
}

/// Returns the condition on the grams of one family.
fn plan_family(expressions: &[Hir], family: Family) -> Query {
    let query = algebra::condition(expressions, family, MAX_FOLDED_GRAMS);
    if family == Family::Exact4 && query.grams() > MAX_EXACT_GRAMS { Query::All } else { query }
}
