//! Compiles a pattern to a matcher: as given, repaired, or literally.

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

use super::options::GrepOptions;
use super::outcome::RegexEngine;
use super::pcre::{Expression, Refusal};
use super::repair::{balance, escape_braces, required_line_break};
use crate::error::SearchError;

/// A compiled pattern, and how it was repaired.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    program: Program,
    engine: RegexEngine,
    repaired: Option<String>,
    is_local: bool,
    required: Option<Arc<Finder<'static>>>,
}

/// The program of an engine.
#[derive(Clone, Debug)]
pub(super) enum Program {
    Regex(RegexMatcher),
    Pcre2(Arc<Expression>),
}

impl Compiled {
    /// Compiles the pattern of `options` by the first of these steps that accepts it:
    ///
    /// 1. Rust's regular expressions, the pattern as given;
    /// 2. the same, with braces escaped that are not quantifiers;
    /// 3. PCRE2, the pattern as given: look-around, back-references and other syntax that only PCRE2 has;
    /// 4. both, in this order, with unbalanced brackets escaped and open groups such as `(?=` closed;
    /// 5. a literal search, if the fault is an unbalanced bracket.
    ///
    /// Only a pattern that does not parse gets to the second step. A pattern that is refused for its meaning (a line break
    /// without `multiline`, a NUL byte, its size) would mean the same to another engine.
    ///
    /// A large program takes seconds to build, so `cancel` is checked between the steps and before a large build.
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
            .crlf(options.crlf)
            .build()
            .parse(pattern);
        let assertions = parsed.as_ref().map(|parsed| parsed.properties().look_set());
        let is_local = assertions.is_ok_and(|set| !set.contains(Look::Start) && !set.contains(Look::End));
        // A literal pattern needs no test before its own search.
        let required = parsed.ok().filter(|parsed| !matches!(parsed.kind(), HirKind::Literal(_)));
        let required = required.as_ref().and_then(required_text).map(|text| Arc::new(Finder::new(text).into_owned()));
        Self { program: Program::Regex(matcher), engine: RegexEngine::Regex, repaired, is_local, required }
    }

    /// Compiles the pattern with PCRE2. A pattern that can never match is refused like the other engine refuses it.
    fn pcre2(
        pattern: &str,
        repaired: Option<String>,
        options: &GrepOptions,
    ) -> Result<Result<Self, SearchError>, Refusal> {
        let expression = Expression::new(pattern, options.ignore_case, options.crlf)?;
        if !options.multiline
            && let Some(offset) = required_line_break(pattern)
        {
            return Ok(Err(invalid(
                &options.pattern,
                LINE_BREAK,
                offset_before_repair(&options.pattern, pattern, offset),
            )));
        }
        let program = Program::Pcre2(Arc::new(expression));
        Ok(Ok(Self { program, engine: RegexEngine::Pcre2, repaired, is_local: false, required: None }))
    }

    /// Whether a line matches in a whole file if and only if it matches by itself. Not with `\\A` and `\\z`, which the
    /// searcher applies line by line, nor with look-around.
    pub(super) fn is_local(&self) -> bool {
        self.is_local
    }

    /// A text that every match contains, if the expression is not just that text.
    pub(super) fn required(&self) -> Option<&Arc<Finder<'static>>> {
        self.required.as_ref()
    }

    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    pub(super) fn engine(&self) -> RegexEngine {
        self.engine
    }

    /// The pattern that is searched, if it is not the given one.
    pub(super) fn repaired(&self) -> Option<&str> {
        self.repaired.as_deref()
    }
}

/// The maximal memory of a thread's lazy automaton. ripgrep's limit is 1000 MB. A full one is cleared.
const DFA_BYTES: usize = 32 << 20;
/// The maximal length of a pattern. The repairs take linear time, the engines do not.
const MAX_PATTERN_BYTES: usize = 64 << 10;
/// The maximal size of a program that is built in a moment, and of any program. The latter is ripgrep's.
const PROGRAM_BYTES: [usize; 2] = [4 << 20, 100 << 20];
const TOO_LONG: &str = "it is longer than 64 KiB";
const LINE_BREAK: &str = "it matches a line break; set multiline to let matches span lines";

const CARRIAGE_RETURN: &str =
    "it matches a carriage return, which is part of the end of a line with crlf; search without crlf or with multiline";

/// The longest text that every match contains. A regular expression engine searches for the beginning of a match, which is
/// often more frequent: in `static\s+int\s+\w+_probe` the end excludes more files than the beginning.
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
    // This sets the line terminator too.
    builder.dfa_size_limit(DFA_BYTES).crlf(options.crlf);
    if options.multiline {
        builder.line_terminator(None);
    } else {
        builder.dot_matches_new_line(false);
        if !options.crlf {
            builder.line_terminator(Some(b'\n'));
        }
    }
    // Otherwise a pattern of plain characters is searched without the check for a NUL.
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

/// The offset in a pattern that `offset` in its repaired form comes from. A repair only inserts characters.
fn offset_before_repair(pattern: &str, repaired: &str, offset: usize) -> usize {
    let mut given = pattern.bytes().peekable();
    repaired.bytes().take(offset).filter(|byte| given.next_if_eq(byte).is_some()).count()
}

/// The character that makes a valid pattern refused.
fn refused_character(error: &grep_regex::Error) -> Option<char> {
    match error.kind() {
        grep_regex::ErrorKind::NotAllowed(text) => text.chars().next(),
        grep_regex::ErrorKind::Banned(_) => Some('\0'),
        _ => None,
    }
}

/// Why a pattern that parses is refused.
fn describe(error: &grep_regex::Error, options: &GrepOptions) -> String {
    match refused_character(error) {
        Some('\n') if !options.multiline => LINE_BREAK.to_owned(),
        Some('\r') => CARRIAGE_RETURN.to_owned(),
        Some('\0') => "it matches a NUL byte, which text files do not contain".to_owned(),
        _ => error.to_string(),
    }
}

/// The offset of the first place of a character in a valid pattern, in any notation.
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

/// Why a pattern is not a valid Rust regular expression.
struct Fault {
    reason: String,
    /// In bytes from the beginning of the pattern.
    offset: usize,
    is_unbalanced: bool,
    /// Whether it may be valid in PCRE2.
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
mod tests;
