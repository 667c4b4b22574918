//! How one pattern is searched: as given, repaired, or literally.

use std::sync::Arc;

use cairn_cancel::CancelToken;
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use memchr::memmem::Finder;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind, Literal, Look};

use super::fault::{Fault, LINE_BREAK, describe, invalid, parse, place_of, refused_character};
use super::syntax::{Bounds, Syntax};
use super::{Program, build};
use crate::error::SearchError;
use crate::grep::outcome::RegexEngine;
use crate::grep::pcre::{Expression, Refusal};
use crate::grep::repair::{CARRIAGE_RETURN, LINE_FEED, escape_braces, repair, required_character};

/// The maximal length of a pattern. The engines take more than linear time to compile one.
const MAX_PATTERN_BYTES: usize = 64 << 10;
const TOO_LONG: &str = "it is longer than 64 KiB";
const NO_BOUNDS: &str = "it cannot be limited to whole words or lines; write the limits in the pattern";
pub(super) const LINE_END: &str =
    "every match of the pattern contains a line break, and lines are searched without theirs; set multiline";

/// How one pattern is searched.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) given: String,
    /// The expression for the engine.
    pub(super) text: String,
    pub(super) engine: RegexEngine,
    /// The pattern to show, if it is not the given one.
    pub(super) searched: Option<String>,
    /// Every match contains a line break, and a search of single lines has none.
    pub(super) is_line_end: bool,
    /// The program, if it is already built.
    program: Option<Program>,
}

impl Plan {
    /// Decides how a pattern is searched. The first of these steps that accepts it decides:
    ///
    /// 1. Rust's engine compiles the pattern as given, unless the caller asks for PCRE2.
    /// 2. PCRE2 compiles the pattern as given, for look-around, back-references and other syntax that only PCRE2 has. This
    ///    step is left out if the caller does not ask for PCRE2 and escaping the braces makes the pattern valid: it is then code, and PCRE2 would accept the braces
    ///    but give the rest of the code another meaning.
    /// 3. Rust's engine, then PCRE2, compile the repaired pattern.
    /// 4. The pattern is searched literally.
    ///
    /// Only a pattern that does not parse gets to the second step. A pattern that parses can still be rejected for its meaning
    /// (a line break without `multiline`, a NUL byte, its size). It would mean the same to another engine.
    ///
    /// A large program takes seconds to build, so `cancel` is checked between the steps and before a large build.
    pub(super) fn new(pattern: &str, syntax: Syntax, cancel: &CancelToken) -> Result<Self, SearchError> {
        if pattern.len() > MAX_PATTERN_BYTES {
            let is_boundary = |at: &usize| pattern.is_char_boundary(*at);
            let offset = (0..=MAX_PATTERN_BYTES).rev().find(is_boundary).unwrap_or(0);
            return Err(invalid(pattern, TOO_LONG, offset));
        }
        if syntax.literal {
            return Ok(Self::literal(pattern));
        }
        // The builder puts parentheses around a pattern, which would make `a)b(` valid.
        let fault = Fault::of(pattern);
        if fault.is_none() && !syntax.pcre2 {
            return Ok(Self::regex(pattern, pattern.to_owned(), None, None));
        }
        cancel.check()?;
        let mut refusal = None;
        if syntax.pcre2 || Fault::of(&escape_braces(pattern)).is_some() {
            match Self::pcre2(pattern, pattern, None, syntax) {
                Ok(plan) => return plan,
                Err(refused) => refusal = Some(refused),
            }
        }
        if fault.is_some()
            && let Some(plan) = Self::repaired(pattern, syntax, cancel)?
        {
            return Ok(plan);
        }
        match (fault, refusal) {
            (fault, Some(refusal)) if refusal.is_of_meaning || fault.is_none() => {
                Err(invalid(pattern, &refusal.reason, refusal.offset))
            }
            (Some(fault), _) if fault.is_of_meaning => Err(invalid(pattern, &fault.reason, fault.offset)),
            _ => Ok(Self::literal(pattern)),
        }
    }

    /// Compiles the repaired pattern, which finds the text as typed. Returns `None` if the pattern has no repair, or if the
    /// repaired pattern could match everywhere: every match must contain one of its literal characters.
    ///
    /// A repaired pattern may not match the text as typed: `\w+ \{`, the repair of `\w+ {`, does not. Then the text becomes
    /// an alternative of the pattern. The pattern in the result shows this alternative, unless the repair only closed a group.
    fn repaired(pattern: &str, syntax: Syntax, cancel: &CancelToken) -> Result<Option<Self>, SearchError> {
        let Some(repaired) = repair(pattern) else { return Ok(None) };
        // The text comes first: the other order makes the JIT compiler of PCRE2 miss some texts.
        let with_text = || format!("{}|(?:{repaired})", regex_syntax::escape(pattern));
        let is_only_closed = repaired.strip_prefix(pattern).is_some();
        let name = |searched: &str| Some(if is_only_closed { repaired.clone() } else { searched.to_owned() });
        let Ok(parsed) = parse(&repaired) else {
            cancel.check()?;
            let expression = Expression::new(&repaired, syntax.ignore_case, syntax.crlf);
            // A verb such as `(*COMMIT)` can keep PCRE2 from trying the other alternative.
            let is_sound =
                expression.is_ok_and(|expression| expression.requires_character()) && !repaired.contains("(*");
            if !is_sound || (!syntax.multiline && required_character(&repaired, &LINE_FEED).is_some()) {
                return Ok(None);
            }
            let searched = with_text();
            return Ok(Self::pcre2(pattern, &searched, name(&searched), syntax).ok().and_then(Result::ok));
        };
        if !requires_literal(&parsed) {
            return Ok(None);
        }
        let Ok(matcher) = build(&[&repaired], syntax, cancel)? else { return Ok(None) };
        if always_matches(&parsed, &repaired, &matcher, pattern) {
            return Ok(Some(Self::regex(pattern, repaired.clone(), Some(repaired), Some(matcher))));
        }
        let searched = with_text();
        // A pattern that is valid alone need not be valid as an alternative.
        if parse(&searched).is_err() {
            return Ok(None);
        }
        let matcher = build(&[&searched], syntax, cancel)?;
        let shown = name(&searched);
        Ok(matcher.ok().map(|matcher| Self::regex(pattern, searched, shown, Some(matcher))))
    }

    fn literal(pattern: &str) -> Self {
        let text = regex_syntax::escape(pattern);
        let engine = RegexEngine::Literal;
        Self { given: pattern.to_owned(), text, engine, searched: None, is_line_end: false, program: None }
    }

    fn regex(given: &str, text: String, searched: Option<String>, matcher: Option<RegexMatcher>) -> Self {
        let program = matcher.map(Program::Regex);
        Self { given: given.to_owned(), text, engine: RegexEngine::Regex, searched, is_line_end: false, program }
    }

    /// Compiles `text` with PCRE2. Rejects a pattern that requires a line break without `multiline`, as Rust's engine does.
    fn pcre2(
        given: &str,
        text: &str,
        searched: Option<String>,
        syntax: Syntax,
    ) -> Result<Result<Self, SearchError>, Refusal> {
        let mut expression = Expression::new(text, syntax.ignore_case, syntax.crlf)?;
        if !syntax.multiline
            && let Some(offset) = required_character(text, &LINE_FEED)
        {
            return Ok(Err(invalid(given, LINE_BREAK, offset)));
        }
        if let Some(bounds) = syntax.bounds {
            let Some(bounded) = bounded(text, bounds, syntax) else { return Ok(Err(invalid(given, NO_BOUNDS, 0))) };
            expression = bounded;
        }
        let requires = |spellings: &[&str]| required_character(text, spellings).is_some();
        let is_line_end = !syntax.multiline && (requires(&[r"\R"]) || (syntax.crlf && requires(&CARRIAGE_RETURN)));
        let program = Some(Program::Pcre2(Arc::new(expression)));
        let (given, text) = (given.to_owned(), text.to_owned());
        Ok(Ok(Self { given, text, engine: RegexEngine::Pcre2, searched, is_line_end, program }))
    }

    /// The program for this pattern alone.
    pub(super) fn program(&self, syntax: Syntax, cancel: &CancelToken) -> Result<Program, SearchError> {
        if let Some(program) = &self.program {
            return Ok(program.clone());
        }
        build(&[&self.text], syntax, cancel)?.map(Program::Regex).map_err(|error| {
            let character = refused_character(&error);
            let offset = match self.engine {
                RegexEngine::Literal => character.and_then(|character| self.given.find(character)),
                RegexEngine::Regex | RegexEngine::Pcre2 => character.map(|character| place_of(character, &self.given)),
            };
            invalid(&self.given, &describe(&error, syntax), offset.unwrap_or(0))
        })
    }

    /// The expression for Rust's engine.
    pub(super) fn parsed(&self, syntax: Syntax) -> Option<Hir> {
        let mut parser = ParserBuilder::new();
        parser.multi_line(true).utf8(false).case_insensitive(syntax.ignore_case).crlf(syntax.crlf);
        parser.build().parse(&self.text).ok()
    }

    /// Whether a search of a whole file finds exactly the lines that match by themselves, and a string that every match
    /// contains.
    pub(super) fn analysis(&self, syntax: Syntax) -> (bool, Option<Arc<Finder<'static>>>) {
        let Some(parsed) = self.parsed(syntax) else { return (false, None) };
        let assertions = parsed.properties().look_set();
        let is_local = !assertions.contains(Look::Start) && !assertions.contains(Look::End);
        // For a literal pattern the test would be the search itself.
        let is_text = matches!(parsed.kind(), HirKind::Literal(_));
        let required = if is_text { None } else { required_text(&parsed) };
        (is_local, required.map(|text| Arc::new(Finder::new(text).into_owned())))
    }

    /// Whether the text of the pattern can occur although the expression has no match.
    pub(super) fn can_miss_its_text(&self, syntax: Syntax) -> bool {
        if self.searched.is_some() || !self.given.contains(regex_syntax::is_meta_character) {
            return false;
        }
        match self.engine {
            RegexEngine::Literal => false,
            RegexEngine::Pcre2 => true,
            RegexEngine::Regex => {
                parse(&self.text).is_ok_and(|parsed| match self.program(syntax, &CancelToken::new()) {
                    Ok(Program::Regex(matcher)) => !always_matches(&parsed, &self.text, &matcher, &self.given),
                    _ => false,
                })
            }
        }
    }
}

/// The program of PCRE2 for a valid expression whose matches have bounds, as ripgrep writes them.
fn bounded(text: &str, bounds: Bounds, syntax: Syntax) -> Option<Expression> {
    let (before, after) = match bounds {
        Bounds::Word => (r"(?<!\w)", r"(?!\w)"),
        Bounds::Line => ("(?m:^)", "(?m:$)"),
    };
    // A comment or a quoted part at the end would hide the parenthesis after it.
    let compile =
        |end: &str| Expression::new(&format!("{before}(?:{text}{end}){after}"), syntax.ignore_case, syntax.crlf).ok();
    ["", "\n", r"\E"].into_iter().find_map(compile)
}

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
