//! No text that matches is ruled out: random expressions on random texts.
//!
//! `PROPTEST_CASES` sets the number of expressions, and `PROPTEST_RNG_SEED` another series of them.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngSeed, TestRunner};
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::hir::{Class, HirKind};

use super::*;

/// The number of texts for each expression.
const TEXTS: usize = 32;

/// Parts of expressions.
const PIECES: &[&str] = &[
    "foo",
    "Bar",
    "PM_RESUME",
    "_init",
    "ab",
    "k",
    "K",
    "s",
    "S",
    "ſ",
    "\u{212a}",
    "漢",
    "漢字",
    "é",
    "É",
    r"\x20",
    r"\t",
    "    x",
    ".",
    r"(?-u:.)",
    r"\w",
    r"\w+",
    r"\d",
    r"\s",
    r"\s+",
    r"\S",
    "[a-c]",
    "[a-cA-C]",
    "[^a]",
    "[Kk]",
    "[ks_]",
    "[0-9]",
    "[0-9A-F]",
    "[é漢x]",
    r"[x\n]",
    r"\p{Lu}",
    r"(?-u:\xff)",
    r"(?-u:[\x80-\x83])",
    r"(?-u:[a\xff])",
    r"(?-u:[^a])",
    r"(?-u:\w)",
    "^",
    "$",
    r"\A",
    r"\z",
    r"\b",
    r"\B",
    r"(?-u:\b)",
    r"\b{start}",
    r"\b{end-half}",
    r"\n",
    r"\r",
    r"\x00",
    r"\{",
    "[a&&b]",
    "",
];

/// Parts of texts.
const NOISE: &[&[u8]] = &[
    b"a",
    b"b",
    b"x",
    b"foo",
    b"fo",
    b"bar",
    b"Ba",
    b"_",
    b"_in",
    b"PM_",
    b"k",
    b"K",
    b"s",
    b" ",
    b"    ",
    b"\t",
    b"7",
    b"\xff",
    b"\x80",
    b"\0",
    b"\r",
    "ſ".as_bytes(),
    "\u{212a}".as_bytes(),
    "漢".as_bytes(),
    "é".as_bytes(),
    b"{",
];

fn pattern() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![2 => select(PIECES).prop_map(ToOwned::to_owned), 1 => "[a-dA-D_]{1,7}"];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let several = |range| proptest::collection::vec(inner.clone(), range);
        let repeat =
            select(&["*", "+", "?", "{2}", "{3}", "{2,}", "{4,}", "{5}", "{6,}", "{1,3}", "{0,2}", "{0}", "+?"][..]);
        let flags = select(&["i", "-i", "s", "-u", "U", "R", "-m"][..]);
        prop_oneof![
            4 => several(2..5).prop_map(|parts| parts.concat()),
            2 => several(2..5).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            1 => several(2..40).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            2 => (inner.clone(), repeat).prop_map(|(inner, repeat)| format!("(?:{inner}){repeat}")),
            1 => (inner.clone(), flags).prop_map(|(inner, flags)| format!("(?{flags}:{inner})")),
            1 => inner.prop_map(|inner| format!("({inner})")),
        ]
    })
}

/// Xorshift: the numbers are the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % limit
    }

    fn noise(&mut self, text: &mut Vec<u8>) {
        for _ in 0..[0, 0, 1, 4][self.below(4)] {
            text.extend(NOISE[self.below(NOISE.len())]);
        }
    }

    /// Adds what an expression matches, apart from its anchors.
    fn matching(&mut self, expression: &Hir, text: &mut Vec<u8>) {
        match expression.kind() {
            HirKind::Literal(literal) => text.extend(&literal.0),
            HirKind::Class(Class::Unicode(class)) if !class.ranges().is_empty() => {
                let range = class.ranges()[self.below(class.ranges().len())];
                let number = range.start() as usize + self.below(range.len());
                let character = char::from_u32(number as u32).unwrap_or(range.start());
                text.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            HirKind::Class(Class::Bytes(class)) if !class.ranges().is_empty() => {
                let range = class.ranges()[self.below(class.ranges().len())];
                text.push(range.start() + self.below(range.len()) as u8);
            }
            // An empty class has no match.
            HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => {}
            HirKind::Repetition(repetition) => {
                let most = repetition.max.unwrap_or(u32::MAX).min(repetition.min + 2);
                for _ in 0..repetition.min as usize + self.below((most - repetition.min) as usize + 1) {
                    self.matching(&repetition.sub, text);
                }
            }
            HirKind::Capture(capture) => self.matching(&capture.sub, text),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.matching(part, text)),
            HirKind::Alternation(parts) => {
                let part = self.below(parts.len());
                self.matching(&parts[part], text);
            }
        }
    }

    /// A few lines. Most have what the expression matches, and some of these have a wrong byte.
    fn text(&mut self, expression: &Hir) -> Vec<u8> {
        let mut text = Vec::new();
        for line in 0..=self.below(3) {
            if line > 0 {
                text.extend([&b"\n"[..], b"\r\n"][self.below(2)]);
            }
            let start = text.len();
            self.noise(&mut text);
            if self.below(4) > 0 {
                self.matching(expression, &mut text);
            }
            if self.below(3) == 0 && text.len() > start {
                let at = start + self.below(text.len() - start);
                text[at] = if self.below(2) == 0 { text[at] ^ 0x20 } else { self.below(256) as u8 };
            }
            self.noise(&mut text);
        }
        text
    }
}

#[derive(Clone, Debug, Default)]
struct Counts {
    expressions: usize,
    invalid: usize,
    planned: usize,
    texts: usize,
    matches: usize,
    excluded: usize,
    kinds: BTreeMap<&'static str, usize>,
}

impl Counts {
    fn add_kinds(&mut self, expression: &Hir) {
        let kind = match expression.kind() {
            HirKind::Empty => "empty",
            HirKind::Literal(_) => "literal",
            HirKind::Class(Class::Unicode(_)) => "class of characters",
            HirKind::Class(Class::Bytes(_)) => "class of bytes",
            HirKind::Look(_) => "assertion",
            HirKind::Repetition(_) => "repetition",
            HirKind::Capture(_) => "capture",
            HirKind::Concat(_) => "concatenation",
            HirKind::Alternation(_) => "alternation",
        };
        *self.kinds.entry(kind).or_default() += 1;
        for part in expression.kind().subs() {
            self.add_kinds(part);
        }
    }
}

fn compile(pattern: &str, ignore_case: bool, crlf: bool) -> Option<(Hir, Regex)> {
    let parser = ParserBuilder::new().multi_line(true).utf8(false).case_insensitive(ignore_case).crlf(crlf).build();
    let expression = { parser }.parse(pattern).ok()?;
    let mut builder = RegexBuilder::new(pattern);
    builder.multi_line(true).case_insensitive(ignore_case).crlf(crlf).size_limit(2 << 20);
    Some((expression, builder.build().ok()?))
}

/// Returns a text that matches an expression without anchors.
pub(super) fn text_that_matches(expression: &Hir) -> Vec<u8> {
    let mut text = Vec::new();
    Random(1).matching(expression, &mut text);
    text
}

/// Whether a text meets a condition, with grams that are found window by window.
pub(super) fn is_candidate(query: &Query, text: &[u8]) -> bool {
    let grams: HashSet<Gram> = FAMILIES.iter().flat_map(|&family| grams_of(text, family)).collect();
    query.matches(&|gram| grams.contains(&gram))
}

fn check_expressions(patterns: &[String], flags: (bool, bool), seed: u64, counts: &mut Counts) -> Result<(), String> {
    let compiled: Option<Vec<_>> = patterns.iter().map(|pattern| compile(pattern, flags.0, flags.1)).collect();
    let Some(compiled) = compiled else {
        counts.invalid += 1;
        return Ok(());
    };
    let (expressions, matchers): (Vec<Hir>, Vec<Regex>) = compiled.into_iter().unzip();
    counts.expressions += 1;
    for expression in &expressions {
        counts.add_kinds(expression);
    }
    let queries = [plan(&expressions, Detail::Full), plan(&expressions, Detail::Low)];
    counts.planned += usize::from(!queries[0].is_all());
    let mut random = Random(seed | 1);
    for _ in 0..TEXTS {
        let expression = &expressions[random.below(expressions.len())];
        let text = random.text(expression);
        // A search of single lines, and one of the whole text.
        for text in text.split(|byte| *byte == b'\n').chain([text.as_slice()]) {
            let is_match = matchers.iter().any(|matcher| matcher.is_match(text));
            counts.texts += 1;
            counts.matches += usize::from(is_match);
            for query in &queries {
                let is_candidate = is_candidate(query, text);
                counts.excluded += usize::from(!is_candidate);
                if is_match && !is_candidate {
                    return Err(format!("{patterns:?} matches {:?}: {query:?}", text.escape_ascii().to_string()));
                }
            }
        }
    }
    if queries.iter().all(is_simple) { Ok(()) } else { Err(format!("{patterns:?} makes {queries:?}")) }
}

#[test]
fn no_text_with_a_match_is_ruled_out() {
    let config = ProptestConfig::default();
    let rng_seed = if matches!(config.rng_seed, RngSeed::Random) { RngSeed::Fixed(20) } else { config.rng_seed };
    let mut runner = TestRunner::new(ProptestConfig { rng_seed, failure_persistence: None, ..config });
    let counts = RefCell::new(Counts::default());
    let patterns =
        prop_oneof![6 => proptest::collection::vec(pattern(), 1), 1 => proptest::collection::vec(pattern(), 2..4)];
    let cases = (patterns, any::<(bool, bool)>(), any::<u64>());
    let result = runner.run(&cases, |(patterns, flags, seed)| {
        check_expressions(&patterns, flags, seed, &mut counts.borrow_mut()).map_err(TestCaseError::fail)
    });
    let counts = counts.into_inner();
    assert_eq!(result, Ok(()), "{counts:?}");
    // The test is worth something only if it has all kinds of expressions, and matches and exclusions.
    assert!(counts.kinds.len() == 9 && counts.kinds.values().all(|&count| count >= 20), "{counts:?}");
    assert!(counts.planned * 4 > counts.expressions, "{counts:?}");
    assert!(counts.matches * 5 > counts.texts && counts.excluded * 10 > counts.texts, "{counts:?}");
}
