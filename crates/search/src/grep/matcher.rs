//! Compiles a pattern to a matcher: as given, repaired, or literally.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;

use cairn_cancel::CancelToken;
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use memchr::memmem::Finder;
use regex_syntax::ParserBuilder;
use regex_syntax::ast::parse::ParserBuilder as AstParserBuilder;
use regex_syntax::ast::{Ast, ClassSetItem, ErrorKind as AstErrorKind, Visitor, visit};
use regex_syntax::hir::{Hir, HirKind, Literal, Look};

use super::options::GrepOptions;
use super::outcome::RegexEngine;
use super::pcre::{Expression, Refusal};
use super::repair::{CARRIAGE_RETURN, LINE_FEED, escape_braces, repair, required_character};
use crate::error::SearchError;

/// A compiled pattern, and what it searches.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    program: Program,
    engine: RegexEngine,
    searched: Option<String>,
    is_local: bool,
    required: Option<Arc<Finder<'static>>>,
    hint: Option<&'static str>,
}

/// The program of an engine.
#[derive(Clone, Debug)]
pub(super) enum Program {
    Regex(RegexMatcher),
    Pcre2(Arc<Expression>),
}

impl Compiled {
    /// Compiles the pattern of `options`. The first of these steps that accepts it decides:
    ///
    /// 1. Rust's engine compiles the pattern as given.
    /// 2. PCRE2 compiles the pattern as given, for look-around, back-references and other syntax that only PCRE2 has. This
    ///    step is left out if escaping the braces makes the pattern valid: it is then code, and PCRE2 would accept the braces
    ///    but give the rest of the code another meaning.
    /// 3. Rust's engine, then PCRE2, compile the repaired pattern.
    /// 4. The pattern is searched literally.
    ///
    /// Only a pattern that does not parse gets to the second step. A pattern that parses can still be refused for its meaning
    /// (a line break without `multiline`, a NUL byte, its size). It would mean the same to another engine.
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
        // The builder puts parentheses around a pattern, which would make `a)b(` valid.
        let Some(fault) = Fault::of(pattern) else {
            return match build(pattern, options, cancel)? {
                Ok(matcher) => Ok(Self::regex(matcher, pattern, None, options)),
                Err(error) => {
                    let offset = refused_character(&error).map_or(0, |character| place_of(character, pattern));
                    Err(invalid(pattern, &describe(&error, options), offset))
                }
            };
        };
        cancel.check()?;
        let mut refusal = None;
        if Fault::of(&escape_braces(pattern)).is_some() {
            match Self::pcre2(pattern, None, options) {
                Ok(compiled) => return compiled,
                Err(refused) => refusal = Some(refused),
            }
        }
        if let Some(compiled) = Self::repaired(options, cancel)? {
            return Ok(compiled);
        }
        match (fault, refusal) {
            (_, Some(refusal)) if refusal.is_of_meaning => Err(invalid(pattern, &refusal.reason, refusal.offset)),
            (fault, _) if fault.is_of_meaning => Err(invalid(pattern, &fault.reason, fault.offset)),
            _ => Self::literal(options, cancel),
        }
    }

    /// Compiles the repaired pattern, which finds the text as typed. Returns `None` if the pattern has no repair, or if the
    /// repaired pattern could match everywhere: every match must contain one of its literal characters.
    ///
    /// A repaired pattern may not match the text as typed: `\w+ \{`, the repair of `\w+ {`, does not. Then the text becomes
    /// an alternative of the pattern. The pattern in the result shows this alternative, unless the repair only closed a group.
    fn repaired(options: &GrepOptions, cancel: &CancelToken) -> Result<Option<Self>, SearchError> {
        let pattern = options.pattern.as_str();
        let Some(repaired) = repair(pattern) else { return Ok(None) };
        // The text comes first: the other order makes the JIT compiler of PCRE2 miss some texts.
        let with_text = || format!("{}|(?:{repaired})", regex_syntax::escape(pattern));
        let is_only_closed = repaired.strip_prefix(pattern).is_some();
        let name = |searched: &str| Some(if is_only_closed { repaired.clone() } else { searched.to_owned() });
        let Ok(parsed) = parse(&repaired) else {
            cancel.check()?;
            let expression = Expression::new(&repaired, options.ignore_case, options.crlf);
            // A verb such as `(*COMMIT)` can keep PCRE2 from trying the other alternative.
            let is_sound =
                expression.is_ok_and(|expression| expression.requires_character()) && !repaired.contains("(*");
            if !is_sound || (!options.multiline && required_character(&repaired, &LINE_FEED).is_some()) {
                return Ok(None);
            }
            let searched = with_text();
            return Ok(Self::pcre2(&searched, name(&searched), options).ok().and_then(Result::ok));
        };
        if !requires_literal(&parsed) {
            return Ok(None);
        }
        let Ok(matcher) = build(&repaired, options, cancel)? else { return Ok(None) };
        if always_matches(&parsed, &repaired, &matcher, pattern) {
            return Ok(Some(Self::regex(matcher, &repaired, Some(repaired.clone()), options)));
        }
        let searched = with_text();
        // A pattern that is valid alone need not be valid as an alternative.
        if parse(&searched).is_err() {
            return Ok(None);
        }
        let matcher = build(&searched, options, cancel)?;
        Ok(matcher.ok().map(|matcher| Self::regex(matcher, &searched, name(&searched), options)))
    }

    fn literal(options: &GrepOptions, cancel: &CancelToken) -> Result<Self, SearchError> {
        let pattern = options.pattern.as_str();
        let matcher = build(&regex_syntax::escape(pattern), options, cancel)?.map_err(|error| {
            let offset = refused_character(&error).and_then(|character| pattern.find(character)).unwrap_or(0);
            invalid(pattern, &describe(&error, options), offset)
        })?;
        let program = Program::Regex(matcher);
        let engine = RegexEngine::Literal;
        Ok(Self { program, engine, searched: None, is_local: true, required: None, hint: None })
    }

    fn regex(matcher: RegexMatcher, pattern: &str, searched: Option<String>, options: &GrepOptions) -> Self {
        let parsed = ParserBuilder::new()
            .multi_line(true)
            .utf8(false)
            .case_insensitive(options.ignore_case)
            .crlf(options.crlf)
            .build()
            .parse(pattern);
        let assertions = parsed.as_ref().map(|parsed| parsed.properties().look_set());
        let is_local = assertions.is_ok_and(|set| !set.contains(Look::Start) && !set.contains(Look::End));
        // For a literal pattern the test would be the search itself.
        let required = parsed.ok().filter(|parsed| !matches!(parsed.kind(), HirKind::Literal(_)));
        let required = required.as_ref().and_then(required_text).map(|text| Arc::new(Finder::new(text).into_owned()));
        let (program, engine) = (Program::Regex(matcher), RegexEngine::Regex);
        Self { program, engine, searched, is_local, required, hint: None }
    }

    /// Compiles the pattern with PCRE2. Refuses a pattern that requires a line break without `multiline`, as Rust's engine
    /// does.
    fn pcre2(
        pattern: &str,
        searched: Option<String>,
        options: &GrepOptions,
    ) -> Result<Result<Self, SearchError>, Refusal> {
        let expression = Expression::new(pattern, options.ignore_case, options.crlf)?;
        if !options.multiline
            && let Some(offset) = required_character(pattern, &LINE_FEED)
        {
            return Ok(Err(invalid(&options.pattern, LINE_BREAK, offset)));
        }
        let requires = |spellings: &[&str]| required_character(pattern, spellings).is_some();
        let is_line_end = requires(&[r"\R"]) || (options.crlf && requires(&CARRIAGE_RETURN));
        let hint = (is_line_end && !options.multiline).then_some(LINE_END);
        let (program, engine) = (Program::Pcre2(Arc::new(expression)), RegexEngine::Pcre2);
        Ok(Ok(Self { program, engine, searched, is_local: false, required: None, hint }))
    }

    /// Whether a search of a whole file finds exactly the lines that match by themselves. This is false for `\A` and `\z`,
    /// which the searcher applies line by line, and for PCRE2, whose look-around sees the neighbouring lines.
    pub(super) fn is_local(&self) -> bool {
        self.is_local
    }

    /// A text that every match contains. `None` if the expression is just a text.
    pub(super) fn required(&self) -> Option<&Arc<Finder<'static>>> {
        self.required.as_ref()
    }

    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    pub(super) fn engine(&self) -> RegexEngine {
        self.engine
    }

    /// Whether the text of `pattern` can occur although the expression has no match: `$scope` does not match its own text.
    pub(super) fn can_miss_its_text(&self, pattern: &str) -> bool {
        if self.searched.is_some() || !pattern.contains(regex_syntax::is_meta_character) {
            return false;
        }
        match (self.engine, &self.program) {
            (RegexEngine::Regex, Program::Regex(matcher)) => {
                parse(pattern).is_ok_and(|parsed| !always_matches(&parsed, pattern, matcher, pattern))
            }
            (engine, _) => engine == RegexEngine::Pcre2,
        }
    }

    /// Why the pattern, if it has no match, cannot match in single lines.
    pub(super) fn hint(&self) -> Option<&'static str> {
        self.hint
    }

    /// The pattern that is searched, if it is not the given one.
    pub(super) fn searched(&self) -> Option<&str> {
        self.searched.as_deref()
    }
}

/// The maximal memory of a thread's lazy automaton, which is cleared when it is full. ripgrep's limit is 1000 MB.
const DFA_BYTES: usize = 32 << 20;
/// The maximal length of a pattern. The engines take more than linear time to compile one.
const MAX_PATTERN_BYTES: usize = 64 << 10;
/// The maximal size of a program that is quick to build, and of any program. The second is ripgrep's limit.
const PROGRAM_BYTES: [usize; 2] = [4 << 20, 100 << 20];
const TOO_LONG: &str = "it is longer than 64 KiB";
const LINE_BREAK: &str = "it matches a line break; set multiline to let matches span lines";
const LINE_END: &str =
    "every match of the pattern contains a line break, and lines are searched without theirs; set multiline";
const NO_CARRIAGE_RETURN: &str =
    "it matches a carriage return, which is part of the end of a line with crlf; search without crlf or with multiline";

/// Returns the longest text that every match contains. The engine itself searches for the beginning of a match, which is
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

/// Parses an expression as the builder does, but without the parentheses around it, and case-sensitively.
fn parse(pattern: &str) -> Result<Hir, Box<regex_syntax::Error>> {
    ParserBuilder::new().multi_line(true).utf8(false).build().parse(pattern).map_err(Box::new)
}

/// Whether every match contains a literal character of the expression.
fn requires_literal(expression: &Hir) -> bool {
    match expression.kind() {
        HirKind::Literal(_) => true,
        HirKind::Capture(capture) => requires_literal(&capture.sub),
        HirKind::Repetition(repetition) => repetition.min > 0 && requires_literal(&repetition.sub),
        HirKind::Concat(parts) => parts.iter().any(requires_literal),
        HirKind::Alternation(parts) => parts.iter().all(requires_literal),
        HirKind::Empty | HirKind::Class(_) | HirKind::Look(_) => false,
    }
}

/// Whether an expression matches wherever `text` occurs. An expression without assertions and flags does if it matches in
/// `text` alone.
fn always_matches(parsed: &Hir, expression: &str, matcher: &RegexMatcher, text: &str) -> bool {
    parsed.properties().look_set().is_empty()
        && !expression.contains("(?")
        && matcher.is_match(text.as_bytes()).is_ok_and(|is_match| is_match)
}

/// Builds the matcher as ripgrep's command does (`matcher_rust` in `crates/core/flags/hiargs.rs`).
fn build(
    pattern: &str,
    options: &GrepOptions,
    cancel: &CancelToken,
) -> Result<Result<RegexMatcher, grep_regex::Error>, SearchError> {
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).unicode(true).octal(false).case_insensitive(options.ignore_case).ban_byte(Some(0));
    // `crlf` sets the line terminator too.
    builder.dfa_size_limit(DFA_BYTES).crlf(options.crlf);
    if options.multiline {
        builder.line_terminator(None);
    } else {
        builder.dot_matches_new_line(false);
        if !options.crlf {
            builder.line_terminator(Some(b'\n'));
        }
    }
    // For a pattern of plain characters, the builder leaves out the check for a NUL. The empty group makes it check.
    let mut plain = Cow::Borrowed(pattern);
    if pattern.contains('\0') {
        plain = Cow::Owned(format!("(?:){pattern}"));
    }
    // After `(?x)`, a comment at the end of the pattern would also hide the parenthesis that the builder puts after it.
    if pattern.contains('#') && parse(pattern).is_ok() && parse(&format!("(?:{pattern})")).is_err() {
        plain.to_mut().push('\n');
    }
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

/// Returns the character for which the builder refused a pattern that parses.
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
        Some('\r') => NO_CARRIAGE_RETURN.to_owned(),
        Some('\0') => "it matches a NUL byte, which text files do not contain".to_owned(),
        _ => error.to_string(),
    }
}

/// Returns the offset of the first occurrence of a character in a valid pattern, however it is written.
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
    /// Its syntax is clear, so that its text cannot be what is meant.
    is_of_meaning: bool,
}

impl Fault {
    fn of(pattern: &str) -> Option<Self> {
        let error = *parse(pattern).err()?;
        let (reason, offset) = match &error {
            regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.span().start.offset),
            regex_syntax::Error::Translate(error) => (error.kind().to_string(), error.span().start.offset),
            _ => (error.to_string(), 0),
        };
        let is_of_meaning = match &error {
            // `[z-a]`, but not `list[n-1]`.
            regex_syntax::Error::Parse(error) if *error.kind() == AstErrorKind::ClassRangeInvalid => {
                let before = pattern[..offset].rsplit_once('[').and_then(|(before, _)| before.chars().next_back());
                !before.is_some_and(|before| before.is_alphanumeric() || matches!(before, '_' | ')' | ']'))
            }
            // `\p{Nothing}`, but not `C:\path`.
            regex_syntax::Error::Translate(_) => {
                [r"\p{", r"\P{"].iter().any(|class| pattern[offset..].starts_with(class))
            }
            _ => false,
        };
        Some(Self { reason, offset, is_of_meaning })
    }
}

#[cfg(test)]
mod tests;
