//! Compiles patterns to a matcher, each as given, repaired, or literally.

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

use super::options::{Binary, GrepOptions};
use super::outcome::{GrepOutcome, RegexEngine, SearchedPattern};
use super::pcre::{Expression, Refusal};
use super::repair::{CARRIAGE_RETURN, LINE_FEED, escape_braces, repair, required_character};
use crate::error::SearchError;

/// The compiled patterns, and what they search.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    program: Program,
    engine: RegexEngine,
    plans: Arc<[Plan]>,
    syntax: Syntax,
    is_local: bool,
    required: Option<Arc<Finder<'static>>>,
}

/// The program of an engine.
#[derive(Clone, Debug)]
pub(super) enum Program {
    Regex(RegexMatcher),
    Pcre2(Arc<Expression>),
    /// Programs that cannot be one, because their engines differ or their groups have the same names.
    Many(Arc<[Program]>),
}

impl Compiled {
    /// Compiles the patterns of `options`, each as if it were the only one. See [`Plan::new`].
    pub(super) fn new(options: &GrepOptions, cancel: &CancelToken) -> Result<Self, SearchError> {
        let syntax = Syntax::of(options);
        let mut total = 0;
        let mut plans = Vec::with_capacity(options.patterns.len());
        for pattern in &options.patterns {
            total += pattern.len();
            if !plans.is_empty() && total > MAX_TOTAL_BYTES {
                return Err(invalid(pattern, TOO_LONG_TOGETHER, 0));
            }
            plans.push(Plan::new(pattern, syntax, cancel)?);
        }
        let program = match plans.as_slice() {
            [only] => only.program(syntax, cancel)?,
            plans => program_of_all(plans, syntax, cancel)?,
        };
        let engine_is = |engine| move |plan: &Plan| plan.engine == engine;
        let engine = if plans.iter().any(engine_is(RegexEngine::Pcre2)) {
            RegexEngine::Pcre2
        } else if syntax.literal || (!plans.is_empty() && plans.iter().all(engine_is(RegexEngine::Literal))) {
            RegexEngine::Literal
        } else {
            RegexEngine::Regex
        };
        let (mut is_local, mut required) = (matches!(program, Program::Regex(_)), None);
        for plan in plans.iter().filter(|plan| plan.engine == RegexEngine::Regex) {
            if is_local {
                (is_local, required) = plan.analysis(syntax);
            }
        }
        let required = if plans.len() == 1 { required } else { None };
        Ok(Self { program, engine, plans: plans.into(), syntax, is_local, required })
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

    /// The patterns with a text that can occur although their expressions have no match: `$scope` does not match its own text.
    pub(super) fn that_can_miss_their_text(&self) -> impl Iterator<Item = &str> {
        self.plans.iter().filter(|plan| plan.can_miss_its_text(self.syntax)).map(|plan| plan.given.as_str())
    }

    /// Why the patterns, if they have no match, cannot match in single lines.
    pub(super) fn hint(&self) -> Option<String> {
        let plan = self.plans.iter().find(|plan| plan.is_line_end)?;
        Some(if self.plans.len() == 1 { LINE_END.to_owned() } else { format!("{}: {LINE_END}", plan.given) })
    }

    /// The pattern that is searched, if it is not the given one, which is the only one.
    pub(super) fn searched(&self) -> Option<&str> {
        if let [only] = &*self.plans { only.searched.as_deref() } else { None }
    }

    /// States in an outcome how the patterns were searched.
    pub(super) fn describe(&self, outcome: &mut GrepOutcome) {
        outcome.engine = self.engine();
        outcome.searched_pattern = self.searched().map(ToOwned::to_owned);
        outcome.searched_patterns = self.searched_patterns();
    }

    /// Of several patterns, those that are not searched as given.
    pub(super) fn searched_patterns(&self) -> Vec<SearchedPattern> {
        if self.plans.len() == 1 || self.syntax.literal {
            return Vec::new();
        }
        let searched = |plan: &Plan| match plan.engine {
            RegexEngine::Literal => Some(plan.text.clone()),
            RegexEngine::Regex | RegexEngine::Pcre2 => plan.searched.clone(),
        };
        let pair = |plan: &Plan| Some(SearchedPattern { pattern: plan.given.clone(), searched: searched(plan)? });
        self.plans.iter().filter_map(pair).collect()
    }
}

/// The program that matches where one of several patterns does.
fn program_of_all(plans: &[Plan], syntax: Syntax, cancel: &CancelToken) -> Result<Program, SearchError> {
    if plans.iter().all(|plan| plan.engine != RegexEngine::Pcre2) {
        let texts: Vec<&str> = plans.iter().map(|plan| plan.text.as_str()).collect();
        if let Ok(matcher) = build(&texts, syntax, cancel)? {
            return Ok(Program::Regex(matcher));
        }
    }
    // One of them is refused, or they are valid only one by one.
    let mut parts = Vec::new();
    for plan in plans {
        let part = plan.program(syntax, cancel)?;
        if parts.len() == MAX_PARTS {
            return Err(invalid(&plan.given, TOO_MANY, 0));
        }
        parts.push(part);
    }
    Ok(Program::Many(parts.into()))
}

/// What the options state about the meaning of every pattern.
#[derive(Clone, Copy, Debug)]
struct Syntax {
    literal: bool,
    pcre2: bool,
    /// Whether a match may have a NUL byte.
    nul: bool,
    ignore_case: bool,
    multiline: bool,
    crlf: bool,
    bounds: Option<Bounds>,
}

/// What a match must have on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bounds {
    Word,
    Line,
}

impl Syntax {
    fn of(options: &GrepOptions) -> Self {
        Self {
            literal: options.literal,
            pcre2: options.pcre2,
            nul: options.binary == Binary::Text,
            ignore_case: options.ignore_case || (options.smart_case && is_in_lower_case(options)),
            multiline: options.multiline,
            crlf: options.crlf,
            bounds: if options.whole_line { Some(Bounds::Line) } else { options.whole_word.then_some(Bounds::Word) },
        }
    }
}

/// Whether the patterns have a literal character, and none in upper case: ripgrep's rule for its smart case.
fn is_in_lower_case(options: &GrepOptions) -> bool {
    let mut letters = Letters::default();
    for pattern in &options.patterns {
        if options.literal {
            pattern.chars().for_each(|character| letters.add(character));
            continue;
        }
        let parsed = AstParserBuilder::new().build().parse(pattern).ok();
        if let Some(parsed) = parsed.filter(|_| !options.pcre2) {
            let Ok(found) = visit(&parsed, letters);
            letters = found;
            continue;
        }
        // As ripgrep does with PCRE2.
        let mut characters = pattern.chars();
        while let Some(character) = characters.next() {
            if character == '\\' {
                characters.next();
            } else {
                letters.add(character);
            }
        }
    }
    letters.any && !letters.upper
}

#[derive(Clone, Copy, Default)]
struct Letters {
    any: bool,
    upper: bool,
}

impl Letters {
    fn add(&mut self, character: char) {
        self.any = true;
        self.upper |= character.is_uppercase();
    }
}

impl Visitor for Letters {
    type Output = Self;
    type Err = Infallible;

    fn finish(self) -> Result<Self, Infallible> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Infallible> {
        if let Ast::Literal(literal) = ast {
            self.add(literal.c);
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Infallible> {
        match item {
            ClassSetItem::Literal(literal) => self.add(literal.c),
            ClassSetItem::Range(range) => [range.start.c, range.end.c].into_iter().for_each(|end| self.add(end)),
            _ => {}
        }
        Ok(())
    }
}

/// How one pattern is searched.
#[derive(Clone, Debug)]
struct Plan {
    given: String,
    /// The expression for the engine.
    text: String,
    engine: RegexEngine,
    /// The pattern to show, if it is not the given one.
    searched: Option<String>,
    /// Every match contains a line break, and a search of single lines has none.
    is_line_end: bool,
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
    /// Only a pattern that does not parse gets to the second step. A pattern that parses can still be refused for its meaning
    /// (a line break without `multiline`, a NUL byte, its size). It would mean the same to another engine.
    ///
    /// A large program takes seconds to build, so `cancel` is checked between the steps and before a large build.
    fn new(pattern: &str, syntax: Syntax, cancel: &CancelToken) -> Result<Self, SearchError> {
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

    /// Compiles `text` with PCRE2. Refuses a pattern that requires a line break without `multiline`, as Rust's engine does.
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
    fn program(&self, syntax: Syntax, cancel: &CancelToken) -> Result<Program, SearchError> {
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

    /// Whether a search of a whole file finds exactly the lines that match by themselves, and a text that every match
    /// contains.
    fn analysis(&self, syntax: Syntax) -> (bool, Option<Arc<Finder<'static>>>) {
        let parsed = ParserBuilder::new()
            .multi_line(true)
            .utf8(false)
            .case_insensitive(syntax.ignore_case)
            .crlf(syntax.crlf)
            .build()
            .parse(&self.text);
        let Ok(parsed) = parsed else { return (false, None) };
        let assertions = parsed.properties().look_set();
        let is_local = !assertions.contains(Look::Start) && !assertions.contains(Look::End);
        // For a literal pattern the test would be the search itself.
        let is_text = matches!(parsed.kind(), HirKind::Literal(_));
        let required = if is_text { None } else { required_text(&parsed) };
        (is_local, required.map(|text| Arc::new(Finder::new(text).into_owned())))
    }

    /// Whether the text of the pattern can occur although the expression has no match.
    fn can_miss_its_text(&self, syntax: Syntax) -> bool {
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

/// The maximal memory of a thread's lazy automaton, which is cleared when it is full. ripgrep's limit is 1000 MB.
const DFA_BYTES: usize = 32 << 20;
/// The maximal length of a pattern. The engines take more than linear time to compile one.
const MAX_PATTERN_BYTES: usize = 64 << 10;
/// The maximal size of a program that is quick to build, and of any program. The second is ripgrep's limit.
const PROGRAM_BYTES: [usize; 2] = [4 << 20, 100 << 20];
/// The maximal length of all patterns of a search.
const MAX_TOTAL_BYTES: usize = 4 << 20;
/// The maximal number of patterns that cannot be one program.
const MAX_PARTS: usize = 256;
const TOO_LONG: &str = "it is longer than 64 KiB";
const TOO_LONG_TOGETHER: &str = "the patterns up to it have more than 4 MiB; search in several calls";
const TOO_MANY: &str = "more than 256 patterns cannot be one expression, because they are too large, have groups of the same \
    name, or need PCRE2; search in several calls";
const NO_BOUNDS: &str = "it cannot be limited to whole words or lines; write the limits in the pattern";
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
    patterns: &[&str],
    syntax: Syntax,
    cancel: &CancelToken,
) -> Result<Result<RegexMatcher, grep_regex::Error>, SearchError> {
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).unicode(true).octal(false).case_insensitive(syntax.ignore_case);
    builder.ban_byte((!syntax.nul).then_some(0));
    builder.word(syntax.bounds == Some(Bounds::Word)).whole_line(syntax.bounds == Some(Bounds::Line));
    // `crlf` sets the line terminator too.
    builder.dfa_size_limit(DFA_BYTES).crlf(syntax.crlf);
    if syntax.multiline {
        builder.line_terminator(None);
    } else {
        builder.dot_matches_new_line(false);
        if !syntax.crlf {
            builder.line_terminator(Some(b'\n'));
        }
    }
    let plain = patterns.iter().map(|pattern| {
        // For a pattern of plain characters, the builder leaves out the check for a NUL. The empty group makes it check.
        let mut plain = Cow::Borrowed(*pattern);
        if pattern.contains('\0') {
            plain = Cow::Owned(format!("(?:){pattern}"));
        }
        // After `(?x)`, a comment at the end of the pattern would also hide the parenthesis that the builder puts after it.
        if pattern.contains('#') && parse(pattern).is_ok() && parse(&format!("(?:{pattern})")).is_err() {
            plain.to_mut().push('\n');
        }
        plain
    });
    let plain: Vec<Cow<'_, str>> = plain.collect();
    let [small, any] = PROGRAM_BYTES;
    cancel.check()?;
    match builder.size_limit(small).build_many(&plain) {
        Err(error) if matches!(error.kind(), grep_regex::ErrorKind::Regex(_)) => {}
        done => return Ok(done),
    }
    cancel.check()?;
    Ok(builder.size_limit(any).build_many(&plain))
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
fn describe(error: &grep_regex::Error, syntax: Syntax) -> String {
    match refused_character(error) {
        Some('\n') if !syntax.multiline => LINE_BREAK.to_owned(),
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
