//! Derives facts about the matches of an expression from the facts about its parts.

use regex_syntax::hir::{Hir, HirKind, Repetition};

use super::Query;
use super::strings::{Side, Strings, any_of, cross, edges, folded, members};
use crate::grams::Family;

/// The maximal number and length of the strings of [`Facts::Exact`].
const MAX_EXACT: usize = 32;
const MAX_EXACT_LEN: usize = 64;
/// The part of a longer literal that is planned.
const MAX_LITERAL_LEN: usize = 256;
/// The maximal number of strings that are made of two sets of edges.
const MAX_CROSSED: usize = 128;
/// The number of copies of `{n,}` that are planned. More would hardly rule out other texts.
const MAX_COPIES: u32 = 4;
/// The maximal work for all expressions, in strings made. It takes a few milliseconds.
const MAX_WORK: usize = 1 << 14;
/// The number of grams that cost as much as a string.
const GRAMS_PER_STRING: usize = 4;

/// The facts about every match of an expression.
#[derive(Clone)]
enum Facts {
    /// It is one of these strings.
    Exact(Strings),
    /// It is longer, or one of many strings.
    Inexact(Edges),
}

/// The facts about every match if it is not one of a few strings.
#[derive(Clone)]
struct Edges {
    /// It begins with one of these strings, and ends with one of the others. The two may overlap.
    starts: Strings,
    ends: Strings,
    /// A text with the match meets all of them.
    conditions: Vec<Query>,
}

/// Returns the condition that a text with a match of one of the expressions meets: at most `max` grams of a family.
pub(super) fn condition(expressions: &[Hir], family: Family, max: usize) -> Query {
    let mut algebra = Algebra { family, max, work: 0 };
    let facts = algebra.alternation(expressions);
    let conditions = match facts {
        Facts::Exact(strings) => vec![algebra.any_of(&strings)],
        Facts::Inexact(edges) => edges.conditions,
    };
    Query::and(conditions).limited(max)
}

/// Returns the work that [`condition`] takes.
#[cfg(test)]
pub(super) fn work(expressions: &[Hir], family: Family) -> usize {
    let mut algebra = Algebra { family, max: super::MAX_FOLDED_GRAMS, work: 0 };
    algebra.alternation(expressions);
    algebra.work
}

/// The algebra for one family of grams.
struct Algebra {
    family: Family,
    /// The maximal number of grams of a condition.
    max: usize,
    work: usize,
}

impl Algebra {
    fn facts(&mut self, expression: &Hir) -> Facts {
        self.work += 1;
        if self.is_exhausted() {
            return anything();
        }
        match expression.kind() {
            // An assertion matches the empty string.
            HirKind::Empty | HirKind::Look(_) => empty(),
            HirKind::Literal(literal) => self.literal(&literal.0),
            HirKind::Class(class) => members(class, self.family).map_or_else(anything, Facts::Exact),
            HirKind::Repetition(repetition) => self.repetition(repetition),
            HirKind::Capture(capture) => self.facts(&capture.sub),
            HirKind::Concat(parts) => {
                let mut facts = empty();
                for part in parts {
                    let next = self.facts(part);
                    facts = self.concat(facts, next);
                    if self.is_exhausted() {
                        return self.concat(facts, anything());
                    }
                }
                self.limited(facts)
            }
            HirKind::Alternation(parts) => self.alternation(parts),
        }
    }

    fn is_exhausted(&self) -> bool {
        self.work > MAX_WORK
    }

    fn literal(&mut self, literal: &[u8]) -> Facts {
        let bytes = &literal[..literal.len().min(MAX_LITERAL_LEN)];
        let start = folded(bytes, self.family);
        if literal.len() <= MAX_EXACT_LEN {
            return Facts::Exact([start].into());
        }
        let end = folded(&literal[literal.len() - MAX_EXACT_LEN..], self.family);
        Facts::Inexact(self.inexact(&[start].into(), &[end].into()))
    }

    fn repetition(&mut self, repetition: &Repetition) -> Facts {
        let Repetition { min, max, ref sub, .. } = *repetition;
        if min == 0 {
            return match self.facts(sub) {
                Facts::Exact(mut strings) if max == Some(1) && strings.len() < MAX_EXACT => {
                    strings.insert(Vec::new());
                    Facts::Exact(strings)
                }
                _ => anything(),
            };
        }
        let one = self.facts(sub);
        // A further copy has the same conditions.
        let again = match &one {
            Facts::Exact(_) => one.clone(),
            Facts::Inexact(Edges { starts, ends, .. }) => {
                Facts::Inexact(Edges { starts: starts.clone(), ends: ends.clone(), conditions: Vec::new() })
            }
        };
        let copies = min.min(MAX_COPIES);
        let mut facts = one;
        for _ in 1..copies {
            facts = self.concat(facts, again.clone());
        }
        // A longer match begins and ends with the copies.
        if max != Some(copies) {
            facts = Facts::Inexact(self.widened(facts));
        }
        self.limited(facts)
    }

    fn alternation(&mut self, expressions: &[Hir]) -> Facts {
        // The condition has at least one gram for each.
        if expressions.len() > self.max {
            return anything();
        }
        let mut alternatives = Vec::with_capacity(expressions.len());
        for expression in expressions {
            if self.is_exhausted() {
                return anything();
            }
            alternatives.push(self.facts(expression));
        }
        if let Some(strings) = self.union(&alternatives) {
            return Facts::Exact(strings);
        }
        let (mut all_starts, mut all_ends, mut queries) = (Strings::new(), Strings::new(), Vec::new());
        for alternative in alternatives {
            let edges = self.widened(alternative);
            all_starts.extend(edges.starts);
            all_ends.extend(edges.ends);
            let query = Query::and(edges.conditions);
            self.work += query.grams() / GRAMS_PER_STRING;
            queries.push(query);
        }
        let conditions = vec![Query::or(queries)];
        let (starts, ends) = (self.edges(&all_starts, Side::Start), self.edges(&all_ends, Side::End));
        self.limited(Facts::Inexact(Edges { starts, ends, conditions }))
    }

    /// Returns the strings of all alternatives, if there are only strings and few of them.
    fn union(&mut self, alternatives: &[Facts]) -> Option<Strings> {
        let mut union = Strings::new();
        for alternative in alternatives {
            let Facts::Exact(strings) = alternative else { return None };
            self.work += strings.len();
            union.extend(strings.iter().cloned());
            if union.len() > MAX_EXACT {
                return None;
            }
        }
        Some(union)
    }

    /// Returns the facts about a match of one expression followed by a match of another.
    fn concat(&mut self, left: Facts, right: Facts) -> Facts {
        let fits = |left: &Strings, right: &Strings, max: usize| left.len() * right.len() <= max;
        match (left, right) {
            (Facts::Exact(left), Facts::Exact(right))
                if fits(&left, &right, MAX_EXACT) && longest(&left) + longest(&right) <= MAX_EXACT_LEN =>
            {
                Facts::Exact(self.cross(&left, &right))
            }
            (Facts::Exact(left), Facts::Inexact(mut right)) if fits(&left, &right.starts, MAX_CROSSED) => {
                let starts = self.cross(&left, &right.starts);
                right.conditions.push(self.any_of(&starts));
                right.starts = self.edges(&starts, Side::Start);
                Facts::Inexact(right)
            }
            (Facts::Inexact(mut left), Facts::Exact(right)) if fits(&left.ends, &right, MAX_CROSSED) => {
                let ends = self.cross(&left.ends, &right);
                left.conditions.push(self.any_of(&ends));
                left.ends = self.edges(&ends, Side::End);
                Facts::Inexact(left)
            }
            (left, right) => {
                let (mut left, right) = (self.widened(left), self.widened(right));
                left.conditions.extend(right.conditions);
                if fits(&left.ends, &right.starts, MAX_CROSSED) {
                    let middle = self.cross(&left.ends, &right.starts);
                    left.conditions.push(self.any_of(&middle));
                }
                Facts::Inexact(Edges { ends: right.ends, ..left })
            }
        }
    }

    /// Returns facts that also hold for longer matches with the same beginning and end.
    fn widened(&mut self, facts: Facts) -> Edges {
        match facts {
            Facts::Exact(strings) => self.inexact(&strings, &strings),
            Facts::Inexact(edges) => edges,
        }
    }

    /// Returns the facts about matches that begin with one of `starts` and end with one of `ends`.
    fn inexact(&mut self, starts: &Strings, ends: &Strings) -> Edges {
        Edges {
            starts: self.edges(starts, Side::Start),
            ends: self.edges(ends, Side::End),
            conditions: vec![self.any_of(starts)],
        }
    }

    /// Weakens conditions that have become too large.
    fn limited(&mut self, facts: Facts) -> Facts {
        let Facts::Inexact(mut edges) = facts else { return facts };
        let size = edges.conditions.iter().map(Query::grams).sum::<usize>();
        if size > self.max {
            self.work += size / GRAMS_PER_STRING;
            edges.conditions = vec![Query::and(edges.conditions).limited(self.max)];
        }
        Facts::Inexact(edges)
    }

    fn cross(&mut self, left: &Strings, right: &Strings) -> Strings {
        self.work += left.len() * right.len();
        cross(left, right)
    }

    fn edges(&mut self, strings: &Strings, side: Side) -> Strings {
        self.work += strings.len();
        edges(strings, side, self.family.len() - 1)
    }

    fn any_of(&mut self, strings: &Strings) -> Query {
        self.work += strings.len() + strings.iter().map(Vec::len).sum::<usize>() / GRAMS_PER_STRING;
        any_of(strings, self.family)
    }
}

/// The facts about the empty string.
fn empty() -> Facts {
    Facts::Exact([Vec::new()].into())
}

/// The facts about any string.
fn anything() -> Facts {
    Facts::Inexact(Edges { starts: [Vec::new()].into(), ends: [Vec::new()].into(), conditions: Vec::new() })
}

fn longest(strings: &Strings) -> usize {
    strings.iter().map(Vec::len).max().unwrap_or(0)
}
