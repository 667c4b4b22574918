//! From what was typed to a matcher: as given, repaired, or literally.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;

use cairn_cancel::CancelToken;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use memchr::memmem::Finder;
use regex_syntax::ParserBuilder;
use regex_syntax::ast::parse::ParserBuilder as AstParserBuilder;
use regex_syntax::ast::{Ast, ClassSetItem, ErrorKind as AstErrorKind, Visitor, visit};
use regex_syntax::hir::{Hir, HirKind, Literal, Look};

use super::pcre::{Expression, Refusal};
use super::repair::{balance, escape_braces, required_line_break};
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
    ///
    /// A large program takes seconds to build: `cancel` is asked between the steps, and before anything large is built.
    pub(super) fn new(options: &GrepOptions, cancel: &CancelToken) -> Result<Self, SearchError> {
        let pattern = options.pattern.as_str();
        if pattern.len() > MAX_PATTERN_BYTES {
            let is_boundary = |at: &usize| pattern.is_char_boundary(*at);
            let offset = (0..=MAX_PATTERN_BYTES).rev().find(is_boundary).unwrap_or(0);
            return Err(invalid(pattern, TOO_LONG, offset));
        }
        if options.literal {
            return Self::literal(options, cancel);
        }
        let error = match build(pattern, options, cancel)? {
            Ok(matcher) => return Ok(Self::regex(matcher, pattern, None, options)),
            Err(error) => error,
        };
        let Some(fault) = Fault::of(pattern) else {
            let offset = refused_character(&error).map_or(0, |character| place_of(character, pattern));
            return Err(invalid(pattern, &describe(&error, options), offset));
        };
        let with_braces = escape_braces(pattern);
        if let Ok(matcher) = build(&with_braces, options, cancel)? {
            return Ok(Self::regex(matcher, &with_braces, Some(with_braces.clone()), options));
        }
        let refusal = match Self::pcre2(pattern, None, options) {
            Ok(compiled) => return compiled,
            Err(refusal) => refusal,
        };
        let balanced = balance(&with_braces);
        if let Ok(matcher) = build(&balanced, options, cancel)? {
            return Ok(Self::regex(matcher, &balanced, Some(balanced.clone()), options));
        }
        let balanced = balance(pattern);
        cancel.check()?;
        if let Ok(compiled) = Self::pcre2(&balanced, Some(balanced.clone()), options) {
            return compiled;
        }
        if (fault.is_unbalanced || refusal.is_unbalanced)
            && let Ok(compiled) = Self::literal(options, cancel)
        {
            return Ok(compiled);
        }
        Err(if fault.is_unknown_syntax {
            invalid(pattern, &refusal.reason, refusal.offset)
        } else {
            invalid(pattern, &fault.reason, fault.offset)
        })
    }

    fn literal(options: &GrepOptions, cancel: &CancelToken) -> Result<Self, SearchError> {
        let pattern = options.pattern.as_str();
        let matcher = build(&regex_syntax::escape(pattern), options, cancel)?.map_err(|error| {
            let offset = refused_character(&error).and_then(|character| pattern.find(character)).unwrap_or(0);
            invalid(pattern, &describe(&error, options), offset)
        })?;
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
            && let Some(offset) = required_line_break(&options.pattern)
        {
            return Ok(Err(invalid(&options.pattern, LINE_BREAK, offset)));
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
/// The longest pattern. What reads patterns here is of linear time, but the engines are not.
const MAX_PATTERN_BYTES: usize = 64 << 10;
/// The largest programs: of those built in a moment, and of all. The latter is ripgrep's.
const PROGRAM_BYTES: [usize; 2] = [4 << 20, 100 << 20];
const TOO_LONG: &str = "it is longer than 64 KiB";
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
fn build(
    pattern: &str,
    options: &GrepOptions,
    cancel: &CancelToken,
) -> Result<Result<RegexMatcher, grep_regex::Error>, SearchError> {
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).unicode(true).octal(false).case_insensitive(options.ignore_case).ban_byte(Some(0));
    builder.dfa_size_limit(DFA_BYTES);
    if !options.multiline {
        builder.line_terminator(Some(b'\n')).dot_matches_new_line(false);
    }
    // Without this a pattern of plain characters is searched as it is, its NUL too.
    let plain = if pattern.contains('\0') { Cow::Owned(format!("(?:){pattern}")) } else { Cow::Borrowed(pattern) };
    let [small, any] = PROGRAM_BYTES;
    cancel.check()?;
    match builder.size_limit(small).build(&plain) {
        Err(error) if matches!(error.kind(), grep_regex::ErrorKind::Regex(_)) => {}
        done => return Ok(done),
    }
    cancel.check()?;
    Ok(builder.size_limit(any).build(&plain))
}

fn invalid(pattern: &str, reason: &str, offset: usize) -> SearchError {
    SearchError::InvalidRegex { pattern: pattern.to_owned(), reason: reason.to_owned(), offset: Some(offset) }
}

/// What a pattern that parses may not match.
fn refused_character(error: &grep_regex::Error) -> Option<char> {
    match error.kind() {
        grep_regex::ErrorKind::NotAllowed(_) => Some('\n'),
        grep_regex::ErrorKind::Banned(_) => Some('\0'),
        _ => None,
    }
}

/// What is wrong with a pattern that parses.
fn describe(error: &grep_regex::Error, options: &GrepOptions) -> String {
    match refused_character(error) {
        Some('\n') if !options.multiline => LINE_BREAK.to_owned(),
        Some('\0') => "it matches a NUL byte, which no text has".to_owned(),
        _ => error.to_string(),
    }
}

/// Where a pattern that parses has a character for the first time, however it is written.
fn place_of(character: char, pattern: &str) -> usize {
    let parsed = AstParserBuilder::new().build().parse(pattern);
    parsed.ok().and_then(|parsed| visit(&parsed, FirstPlace { character, at: None }).ok()).flatten().unwrap_or(0)
}

struct FirstPlace {
    character: char,
    at: Option<usize>,
}

impl Visitor for FirstPlace {
    type Output = Option<usize>;
    type Err = Infallible;

    fn finish(self) -> Result<Option<usize>, Infallible> {
        Ok(self.at)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Infallible> {
        if let Ast::Literal(literal) = ast
            && literal.c == self.character
        {
            self.at.get_or_insert(literal.span.start.offset);
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Infallible> {
        let has_it = match item {
            ClassSetItem::Literal(literal) => literal.c == self.character,
            ClassSetItem::Range(range) => (range.start.c..=range.end.c).contains(&self.character),
            _ => false,
        };
        if has_it {
            self.at.get_or_insert(item.span().start.offset);
        }
        Ok(())
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
        // A verb of PCRE2's.
        let is_unknown_syntax = is_unknown_syntax || pattern.starts_with("(*");
        Some(Self { reason, offset, is_unbalanced, is_unknown_syntax })
    }
}

#[cfg(test)]
mod tests {
    use cairn_cancel::Stopped;
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
            let compiled =
                Compiled::new(&GrepOptions { ignore_case, ..GrepOptions::new(pattern, ".") }, &CancelToken::new());
            let compiled = compiled.expect("an expression");
            let found = compiled.required().map(|required| String::from_utf8_lossy(required.needle()));
            assert_eq!(found.as_deref(), required, "{pattern}");
        }
    }

    fn compile(pattern: &str) -> Result<(RegexEngine, Option<String>), SearchError> {
        let compiled = Compiled::new(&GrepOptions::new(pattern, "."), &CancelToken::new())?;
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
            ("a line break in a class", r"ab[\n]", Some(3)),
            ("a line break as white space that counts", "(?x) # \n a[\\n]b", Some(11)),
            ("a NUL", r"a|b\x00", Some(3)),
            ("a NUL as it is", "a\0b", Some(1)),
            ("a NUL in a class", "(?x) a [\0]", Some(8)),
            ("a pattern too large", r"\w{1000}{1000}", Some(0)),
            ("a pattern too long", &"é".repeat(33_000), Some(1 << 16)),
            ("options of PCRE2 at the start", "(*CRLF)foo$(?=)", Some(6)),
            ("more of them", "(*UTF)(*LIMIT_MATCH=1)foo(?=)", Some(5)),
            ("one for the whole program", "(*NO_JIT)foo(?=)", Some(8)),
        ] {
            match compile(pattern) {
                Err(SearchError::InvalidRegex { offset, .. }) => assert_eq!(offset, expected, "{reason}: {pattern}"),
                other => panic!("{reason}: {pattern} gave {other:?}"),
            }
        }
    }

    #[test]
    fn n66_a_literal_text_with_a_nul_or_a_line_break_is_refused_with_its_place() {
        for (pattern, place) in [("a(\0b", 2), ("\\\n", 1)] {
            let options = GrepOptions { literal: true, ..GrepOptions::new(pattern, ".") };
            match Compiled::new(&options, &CancelToken::new()) {
                Err(SearchError::InvalidRegex { offset, .. }) => assert_eq!(offset, Some(place), "{pattern:?}"),
                other => panic!("{pattern:?} gave {other:?}"),
            }
        }
        let options = GrepOptions::new("[^\0]", ".");
        assert!(Compiled::new(&options, &CancelToken::new()).is_ok(), "no NUL is what every text has");
    }

    #[test]
    fn n66_a_line_break_that_need_not_be_matched_is_left_to_pcre2() {
        for pattern in [
            r"a(?!\n)",
            r"(?<!\n)a",
            r"(a)\1[^\n]",
            r"(?=a)\\n",
            "(?x)foo\n(?=\\ bar)",
            "(?ix:foo\n(?=\\ bar))",
            r"(\r|\n)(?!x)",
            r"(?=f)foo\n?",
            r"(?=f)foo\n{0,1}",
            r"(?=f)foo|\n",
            r"(?=a)\Qa{b\n\E",
            "(?=a)a(?#\n)",
            r"(?=a)\c\n",
            r"(?=a)[\c]\n]",
            r"(?=a)a(*ACCEPT)\n",
        ] {
            assert_eq!(compile(pattern).expect(pattern).0, RegexEngine::Pcre2, "{pattern}");
        }
    }

    #[test]
    fn n08_building_a_large_program_ends_when_the_caller_says_so() {
        let timed_out = CancelToken::new().with_timeout(std::time::Duration::ZERO);
        for pattern in [r"\w{200}{20}", "a(?=b)", "a(?=b"] {
            let error = Compiled::new(&GrepOptions::new(pattern, "."), &timed_out).err();
            assert_eq!(error.and_then(|error| error.stopped()), Some(Stopped::TimedOut), "{pattern}");
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
            if let Err(SearchError::InvalidRegex { offset, .. }) = Compiled::new(&options, &CancelToken::new()) {
                prop_assert!(offset.is_some_and(|offset| pattern.is_char_boundary(offset)), "{pattern:?}: {offset:?}");
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
