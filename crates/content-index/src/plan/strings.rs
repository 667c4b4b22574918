//! Sets of strings: whole matches, their beginnings and their ends.

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, ClassBytes, ClassUnicode};

use super::Query;
use crate::grams::{Family, Gram};

/// The maximal number of beginnings or ends.
const MAX_EDGES: usize = 16;
/// The maximal number of members of a class that is a set of strings; a larger one can be anything.
const MAX_MEMBERS: usize = 16;

/// A set of strings. If it is empty, there is no match.
pub(super) type Strings = BTreeSet<Vec<u8>>;

/// A side of a string.
#[derive(Clone, Copy)]
pub(super) enum Side {
    Start,
    End,
}

/// Returns each string of `left` followed by each of `right`.
pub(super) fn cross(left: &Strings, right: &Strings) -> Strings {
    left.iter().flat_map(|left| right.iter().map(move |right| [left.as_slice(), right].concat())).collect()
}

/// Returns the beginnings or ends of strings: `max_len` bytes of each, or fewer bytes if that keeps the set small.
pub(super) fn edges(strings: &Strings, side: Side, max_len: usize) -> Strings {
    let cut = |string: &[u8], len: usize| {
        let len = len.min(string.len());
        match side {
            Side::Start => string[..len].to_vec(),
            Side::End => string[string.len() - len..].to_vec(),
        }
    };
    let mut edges: Strings = strings.iter().map(|string| cut(string, max_len)).collect();
    let mut len = max_len;
    while edges.len() > MAX_EDGES {
        len -= 1;
        edges = edges.iter().map(|edge| cut(edge, len)).collect();
    }
    edges
}

/// Returns the grams of a string, each once, in their order.
fn grams(string: &[u8], family: Family) -> Vec<Gram> {
    let mut grams = Vec::new();
    for gram in string.windows(family.len()).filter_map(|window| Gram::of(family, window)) {
        if !grams.contains(&gram) {
            grams.push(gram);
        }
    }
    grams
}

/// Returns the condition that a text has one of the strings. A string without grams can be in any text.
pub(super) fn any_of(strings: &Strings, family: Family) -> Query {
    let each: Vec<Vec<Gram>> = strings.iter().map(|string| grams(string, family)).collect();
    let Some((first, others)) = each.split_first() else { return Query::or([]) };
    // Grams that all strings have are moved out of the alternatives, which makes the query smaller.
    let common: Vec<Gram> =
        first.iter().filter(|gram| others.iter().all(|other| other.contains(gram))).copied().collect();
    let rest = each
        .iter()
        .map(|grams| Query::and(grams.iter().filter(|gram| !common.contains(gram)).map(|&gram| Query::Gram(gram))));
    let rest = Query::or(rest);
    Query::and(common.iter().map(|&gram| Query::Gram(gram)).chain([rest]))
}

/// Returns a string as the family has it.
pub(super) fn folded(string: &[u8], family: Family) -> Vec<u8> {
    if family.is_folded() { string.to_ascii_lowercase() } else { string.to_vec() }
}

/// Returns the members of a class; `None` if there are too many.
pub(super) fn members(class: &Class, family: Family) -> Option<Strings> {
    match class {
        Class::Unicode(class) => at_most(characters(class).map(|character| {
            let mut bytes = [0; 4];
            folded(character.encode_utf8(&mut bytes).as_bytes(), family)
        })),
        Class::Bytes(class) => at_most(bytes(class).map(|byte| folded(&[byte], family))),
    }
}

fn characters(class: &ClassUnicode) -> impl Iterator<Item = char> {
    class.iter().flat_map(|range| range.start()..=range.end())
}

fn bytes(class: &ClassBytes) -> impl Iterator<Item = u8> {
    class.iter().flat_map(|range| range.start()..=range.end())
}

/// Collects strings until there are too many. Few are read before that, because folding makes at most two of them equal.
fn at_most(strings: impl Iterator<Item = Vec<u8>>) -> Option<Strings> {
    let mut members = Strings::new();
    for string in strings {
        members.insert(string);
        if members.len() > MAX_MEMBERS {
            return None;
        }
    }
    Some(members)
}
