//! From what was typed to a matcher: as given, repaired, or literally.

use std::sync::Arc;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use memchr::memmem::Finder;
use regex_syntax::ParserBuilder;
use regex_syntax::ast::ErrorKind as AstErrorKind;
use regex_syntax::hir::{Hir, HirKind, Literal, Look};

use super::pcre::{Expression, Refusal};
use super::repair::{balance, escape_braces, line_break};
use super::{GrepOptions, RegexEngine};
use crate::error::SearchError;

/// A compiled pattern, and what was done to it.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    program: Program,
    engine: RegexEngine,
    repaired: Option<String>,
    is_local: bool,
    required: Option<Arc<Finder<'static>>>,
}

/// What searches.
#[derive(Clone, Debug)]
pub(super) enum Program {
    Regex(RegexMatcher),
    Pcre2(Arc<Expression>),
}

impl Compiled {
    /// Compiles the pattern of `options`, by the first of these that takes it:
    ///
    /// 1. Rust's regular expressions, the pattern as given;
    /// 2. the same, with the braces escaped that quantify nothing;
    /// 3. PCRE2, the pattern as given: look-around, back-references and whatever else only PCRE2 knows;
    /// 4. both, in this order, with unbalanced brackets escaped, and groups that were begun, such as `(?=`, closed;
    /// 5. if brackets are what is wrong with it, a literal search.
    ///
    /// Only a pattern that does not parse gets beyond the first step: one that is refused for what it means (a line
    /// break without `multiline`, a NUL byte, its size) means no more to another engine.
    pub(super) fn new(options: &GrepOptions) -> Result<Self, SearchError> {
        let pattern = options.pattern.as_str();
        if options.literal {
            return Self::literal(options);
        }
        let error = match build(pattern, options) {
            Ok(matcher) => return Ok(Self::regex(matcher, pattern, None, options)),
            Err(error) => error,
        };
        let Some(fault) = Fault::of(pattern) else {
            let offset = if is_line_break(&error, options) { line_break(pattern) } else { None };
            return Err(invalid(pattern, &describe(&error, options), offset));
        };
        let with_braces = escape_braces(pattern);
        if let Ok(matcher) = build(&with_braces, options) {
            return Ok(Self::regex(matcher, &with_braces, Some(with_braces.clone()), options));
        }
        let refusal = match Self::pcre2(pattern, None, options) {
            Ok(compiled) => return compiled,
            Err(refusal) => refusal,
        };
        let balanced = balance(&with_braces);
        if let Ok(matcher) = build(&balanced, options) {
            return Ok(Self::regex(matcher, &balanced, Some(balanced.clone()), options));
        }
        let balanced = balance(pattern);
        if let Ok(compiled) = Self::pcre2(&balanced, Some(balanced.clone()), options) {
            return compiled;
        }
        if (fault.is_unbalanced || refusal.is_unbalanced)
            && let Ok(compiled) = Self::literal(options)
        {
            return Ok(compiled);
        }
        Err(if fault.is_unknown_syntax {
            invalid(pattern, &refusal.reason, Some(refusal.offset))
        } else {
            invalid(pattern, &fault.reason, Some(fault.offset))
        })
    }

    fn literal(options: &GrepOptions) -> Result<Self, SearchError> {
        let pattern = options.pattern.as_str();
        let matcher = build(&regex_syntax::escape(pattern), options)
            .map_err(|error| invalid(pattern, &describe(&error, options), pattern.find('\n')))?;
        let program = Program::Regex(matcher);
        Ok(Self { program, engine: RegexEngine::Literal, repaired: None, is_local: true, required: None })
    }

    fn regex(matcher: RegexMatcher, pattern: &str, repaired: Option<String>, options: &GrepOptions) -> Self {
        let parsed = ParserBuilder::new()
            .multi_line(true)
            .utf8(false)
            .case_insensitive(options.ignore_case)
            .build()
            .parse(pattern);
        let looks = parsed.as_ref().map(|parsed| parsed.properties().look_set());
        let is_local = looks.is_ok_and(|looks| !looks.contains(Look::Start) && !looks.contains(Look::End));
        // A pattern that is nothing else needs no test before it.
        let required = parsed.ok().filter(|parsed| !matches!(parsed.kind(), HirKind::Literal(_)));
        let required = required.as_ref().and_then(required_text).map(|text| Arc::new(Finder::new(text).into_owned()));
        Self { program: Program::Regex(matcher), engine: RegexEngine::Regex, repaired, is_local, required }
    }

    /// The pattern for PCRE2. What PCRE2 takes but can never match is refused as the other engine refuses it.
    fn pcre2(
        pattern: &str,
        repaired: Option<String>,
        options: &GrepOptions,
    ) -> Result<Result<Self, SearchError>, Refusal> {
        let expression = Expression::new(pattern, options.ignore_case)?;
        if !options.multiline
            && let Some(offset) = line_break(&options.pattern)
        {
            return Ok(Err(invalid(&options.pattern, LINE_BREAK, Some(offset))));
        }
        let program = Program::Pcre2(Arc::new(expression));
        Ok(Ok(Self { program, engine: RegexEngine::Pcre2, repaired, is_local: false, required: None }))
    }

    /// Whether a line matches in a whole file as it does by itself. Not so with `\\A` and `\\z`, which the searcher
    /// applies line by line, nor with look-around.
    pub(super) fn is_local(&self) -> bool {
        self.is_local
    }

    /// Text that is in every match, of an expression that has more to it.
    pub(super) fn required(&self) -> Option<&Arc<Finder<'static>>> {
        self.required.as_ref()
    }

    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    pub(super) fn engine(&self) -> RegexEngine {
        self.engine
    }

    /// The pattern searched for, when it is not the one given.
    pub(super) fn repaired(&self) -> Option<&str> {
        self.repaired.as_deref()
    }
}

/// What a thread may keep of an automaton. ripgrep's is 1000 MB; a full one is begun anew.
const DFA_BYTES: usize = 32 << 20;
const LINE_BREAK: &str = "it matches a line break; set multiline to let matches span lines";

/// The longest text that is in every match. A regular expression engine looks for what a match begins with, which is
/// often the more frequent: in `static\s+int\s+\w+_probe` the end tells more files apart than the beginning.
fn required_text(expression: &Hir) -> Option<&[u8]> {
    match expression.kind() {
        HirKind::Literal(Literal(text)) => Some(text),
        HirKind::Capture(capture) => required_text(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => required_text(&repetition.sub),
        HirKind::Concat(parts) => parts.iter().filter_map(required_text).max_by_key(|text| text.len()),
        _ => None,
    }
}

/// Builds the matcher as ripgrep's command does (`matcher_rust` in `crates/core/flags/hiargs.rs`).
fn build(pattern: &str, options: &GrepOptions) -> Result<RegexMatcher, grep_regex::Error> {
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).unicode(true).octal(false).case_insensitive(options.ignore_case).ban_byte(Some(0));
    builder.dfa_size_limit(DFA_BYTES);
    if !options.multiline {
        builder.line_terminator(Some(b'\n')).dot_matches_new_line(false);
    }
    builder.build(pattern)
}

fn invalid(pattern: &str, reason: &str, offset: Option<usize>) -> SearchError {
    SearchError::InvalidRegex { pattern: pattern.to_owned(), reason: reason.to_owned(), offset }
}

fn is_line_break(error: &grep_regex::Error, options: &GrepOptions) -> bool {
    !options.multiline && matches!(error.kind(), grep_regex::ErrorKind::NotAllowed(_))
}

/// What is wrong with a pattern that parses.
fn describe(error: &grep_regex::Error, options: &GrepOptions) -> String {
    match error.kind() {
        _ if is_line_break(error, options) => LINE_BREAK.to_owned(),
        grep_regex::ErrorKind::Banned(_) => "it matches a NUL byte, which no text has".to_owned(),
        _ => error.to_string(),
    }
}

/// Why a pattern is no regular expression of Rust's.
struct Fault {
    reason: String,
    /// In bytes from the beginning of the pattern.
    offset: usize,
    is_unbalanced: bool,
    /// Whether it may be an expression of another kind.
    is_unknown_syntax: bool,
}

impl Fault {
    fn of(pattern: &str) -> Option<Self> {
        let error = ParserBuilder::new().multi_line(true).utf8(false).build().parse(pattern).err()?;
        let (reason, offset) = match &error {
            regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.span().start.offset),
            regex_syntax::Error::Translate(error) => (error.kind().to_string(), error.span().start.offset),
            _ => (error.to_string(), 0),
        };
        let kind = if let regex_syntax::Error::Parse(error) = &error { Some(error.kind()) } else { None };
        let is_unbalanced = matches!(
            kind,
            Some(AstErrorKind::GroupUnclosed | AstErrorKind::GroupUnopened | AstErrorKind::ClassUnclosed)
        );
        let is_unknown_syntax = matches!(
            kind,
            Some(
                AstErrorKind::UnsupportedLookAround
                    | AstErrorKind::UnsupportedBackreference
                    | AstErrorKind::EscapeUnrecognized
                    | AstErrorKind::FlagUnrecognized
                    | AstErrorKind::GroupNameInvalid
            )
        );
        Some(Self { reason, offset, is_unbalanced, is_unknown_syntax })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_every_match_has_is_looked_for_first() {
        for (pattern, ignore_case, required) in [
            (r"static\s+int\s+\w+_probe\(", false, Some("_probe(")),
            ("(abc)+x?", false, Some("abc")),
            ("(abc)*xy", false, Some("xy")),
            ("abc|abd", false, None),
            ("(?i)abc.", false, None),
            ("abc.", true, None),
            (r"\w+", false, None),
            // Nothing else than a text.
            ("abc", false, None),
        ] {
            let compiled = Compiled::new(&GrepOptions { ignore_case, ..GrepOptions::new(pattern, ".") });
            let compiled = compiled.expect("an expression");
            let found = compiled.required().map(|required| String::from_utf8_lossy(required.needle()));
            assert_eq!(found.as_deref(), required, "{pattern}");
        }
    }

    fn compile(pattern: &str) -> Result<(RegexEngine, Option<String>), SearchError> {
        let compiled = Compiled::new(&GrepOptions::new(pattern, "."))?;
        Ok((compiled.engine(), compiled.repaired().map(ToOwned::to_owned)))
    }

    #[test]
    fn n66_patterns_as_models_write_them_find_their_engine() {
        use RegexEngine::{Literal, Pcre2, Regex};
        for (reason, pattern, engine, repaired) in [
            ("a valid pattern is left alone", r"a{2,3}b", Regex, None),
            ("a brace behind a word", "interface {", Regex, Some(r"interface \{")),
            ("template syntax", "${name}", Regex, Some(r"$\{name\}")),
            ("braces of an object, a quantifier beside them", r"\w{3} = {}", Regex, Some(r"\w{3} = \{\}")),
            ("a brace at the beginning", "{foo", Regex, Some(r"\{foo")),
            ("a call that is not closed", "foo(", Regex, Some(r"foo\(")),
            ("a group that was never opened", "bar)", Regex, Some(r"bar\)")),
            ("one of two is closed", "if (a(b)", Regex, Some(r"if \(a(b)")),
            ("an index that is not closed", "a[i", Regex, Some(r"a\[i")),
            ("braces in a class are literal anyway", "foo([{]", Regex, Some(r"foo\([{]")),
            ("nothing else helps", ")|*x", Literal, None),
            ("Rust's own repetition of a repetition", "a++", Regex, None),
            ("look-ahead", "a(?=b)", Pcre2, None),
            ("negative look-ahead", "a(?!b)", Pcre2, None),
            ("look-behind", "(?<=a)b", Pcre2, None),
            ("negative look-behind", "(?<!a)b", Pcre2, None),
            ("look-behind of several lengths", "(?<=a|bcd)e", Pcre2, None),
            ("a back-reference", r"(a)\1", Pcre2, None),
            ("a back-reference in braces", r"(a)\g{1}", Pcre2, None),
            ("one counted back", r"(a)\g{-1}", Pcre2, None),
            ("one by name, as Python", "(?P<n>a)(?P=n)", Pcre2, None),
            ("one by name, as Perl", r"(?<n>a)\k<n>", Pcre2, None),
            ("one by name, in braces", r"(?<n>a)\k{n}", Pcre2, None),
            ("a possessive group of PCRE2", "(?>a+)b", Pcre2, None),
            ("recursion", r"\((?:[^()]|(?0))*\)", Pcre2, None),
            ("in Rust, carriage returns before line breaks; in PCRE2, recursion", "(?R)a$", Regex, None),
            ("a subroutine", "(?<n>a|b)(?&n)", Pcre2, None),
            ("a condition", "(a)?(?(1)b|c)", Pcre2, None),
            ("a reset of the match", r"foo\Kbar", Pcre2, None),
            ("horizontal white space", r"a\hb", Pcre2, None),
            ("any line break", r"a\R?", Pcre2, None),
            ("a quoted part", r"\Qa.b\E", Pcre2, None),
            ("the end but for a line break", r"a\Z", Pcre2, None),
            ("a branch reset", "(?|(a)|(b))", Pcre2, None),
            ("verbs", "a(*SKIP)(*FAIL)|b", Pcre2, None),
            ("a comment", "a(?#why)b", Pcre2, None),
            ("a brace beside look-around", "interface (?=I) {", Pcre2, None),
            ("an unclosed call beside look-around", "(?<=a)foo(", Pcre2, Some(r"(?<=a)foo\(")),
            ("look-around that is not closed", "foo(?=bar", Pcre2, Some("foo(?=bar)")),
            ("a group that is not closed", "foo(?:bar", Regex, Some("foo(?:bar)")),
            ("nothing helps look-around", "(?<=a+)b)", Literal, None),
        ] {
            let done = compile(pattern).unwrap_or_else(|error| panic!("{reason}: {pattern}: {error}"));
            assert_eq!(done, (engine, repaired.map(ToOwned::to_owned)), "{reason}: {pattern}");
        }
    }

    #[test]
    fn n66_what_no_engine_takes_is_refused_with_its_place() {
        for (reason, pattern, expected) in [
            ("nothing to repeat", "ab|*c", Some(3)),
            ("a class backwards", "x[z-a]", Some(2)),
            ("an unknown property", r"a\p{Nothing}", Some(1)),
            ("an unknown escape", r"ab\i", Some(3)),
            ("a backslash at the end", r"ab\", Some(2)),
            ("a reference to no group", r"(a)\2", Some(4)),
            ("look-behind without a bound", "(?<=a+)b", Some(0)),
            ("a repetition backwards behind look-around", "(?=é)a{2,1}", Some(11)),
            ("a line break without multiline", r"a\nb", Some(1)),
            ("a line break beside look-around", r"(?=a)\w\nb", Some(7)),
            ("a pattern too large", r"\w{1000}{1000}", None),
        ] {
            match compile(pattern) {
                Err(SearchError::InvalidRegex { offset, .. }) => assert_eq!(offset, expected, "{reason}: {pattern}"),
                other => panic!("{reason}: {pattern} gave {other:?}"),
            }
        }
    }

    #[test]
    fn n66_a_line_break_may_be_looked_for_where_it_is_not_matched() {
        for pattern in [r"a(?!\n)", r"(?<!\n)a", r"(a)\1[^\n]", r"(?=a)\\n"] {
            assert_eq!(compile(pattern).expect(pattern).0, RegexEngine::Pcre2, "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn n66_no_pattern_panics_and_a_refusal_points_into_it(
            pattern in proptest::collection::vec(
                prop_oneof![
                    proptest::sample::select(PIECES).prop_map(ToOwned::to_owned),
                    any::<char>().prop_map(String::from),
                ],
                0..12,
            ).prop_map(|pieces| pieces.concat()),
            multiline in any::<bool>(),
            literal in any::<bool>(),
        ) {
            let options = GrepOptions { literal, multiline, ..GrepOptions::new(pattern.as_str(), ".") };
            if let Err(SearchError::InvalidRegex { offset, .. }) = Compiled::new(&options) {
                prop_assert!(offset.is_none_or(|offset| pattern.is_char_boundary(offset)), "{pattern:?}: {offset:?}");
            }
        }
    }

    const PIECES: &[&str] = &[
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "{2}",
        "{,3}",
        "*",
        "+",
        "?",
        "|",
        "^",
        "$",
        ".",
        "\\",
        "-",
        "&&",
        "(?=",
        "(?<!",
        "(?<=",
        "(?:",
        "(?P<n>",
        "(?P=n)",
        "(?R)",
        "(?1)",
        "(?(1)",
        "(?>",
        "(?|",
        "(?#",
        "(?i)",
        "(?x)",
        "(*",
        "(*ACCEPT)",
        "(*UTF)",
        r"\1",
        r"\g{1}",
        r"\k<n>",
        r"\K",
        r"\R",
        r"\Q",
        r"\E",
        r"\p{L}",
        r"\x{",
        r"\n",
        r"\b",
        "[:alpha:]",
        "a",
        "é",
        "\n",
        "\0",
    ];
}
