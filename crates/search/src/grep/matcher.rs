//! Compiles the patterns of a search to one program.

mod fault;
mod plan;
mod syntax;

use std::borrow::Cow;
use std::sync::Arc;

use cairn_cancel::CancelToken;
use cairn_content_index::{Detail, Query, plan as plan_query};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use memchr::memmem::Finder;
use regex_syntax::hir::Hir;

use self::fault::{invalid, parse};
use self::plan::{LINE_END, Plan};
use self::syntax::{Bounds, Syntax};
use super::options::GrepOptions;
use super::outcome::{GrepOutcome, RegexEngine, SearchedPattern};
use super::pcre::Expression;
use crate::error::SearchError;

/// The maximal memory of a thread's lazy automaton, which is cleared when it is full. ripgrep's limit is 1000 MB.
const DFA_BYTES: usize = 32 << 20;
/// The maximal size of a program that is quick to build, and of any program. The second is ripgrep's limit.
const PROGRAM_BYTES: [usize; 2] = [4 << 20, 100 << 20];
/// The maximal length of all patterns of a search.
const MAX_TOTAL_BYTES: usize = 4 << 20;
/// The maximal number of patterns that cannot be one program.
const MAX_PARTS: usize = 256;
/// An expression without a match: an empty class.
const NOTHING: &str = "[a&&b]";
const TOO_LONG_TOGETHER: &str = "the patterns up to it have more than 4 MiB; search in several calls";
const TOO_MANY: &str = "more than 256 patterns cannot be one expression, because they are too large, have groups of the same \
    name, or need PCRE2; search in several calls";

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

    /// A string that every match contains. `None` if the expression is just a string.
    pub(super) fn required(&self) -> Option<&Arc<Finder<'static>>> {
        self.required.as_ref()
    }

    /// A condition that every file with a match meets.
    pub(super) fn query(&self, detail: Detail) -> Query {
        if self.plans.iter().any(|plan| plan.engine == RegexEngine::Pcre2) {
            return Query::All;
        }
        let parsed: Option<Vec<Hir>> = self.plans.iter().map(|plan| plan.parsed(self.syntax)).collect();
        parsed.map_or(Query::All, |parsed| plan_query(&parsed, detail))
    }

    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    pub(super) fn engine(&self) -> RegexEngine {
        self.engine
    }

    /// The patterns with a string that can occur although their expressions have no match: `$scope` does not match its own text.
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
    // One of them is rejected, or they are valid only one by one.
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
    let mut plain: Vec<Cow<'_, str>> = plain.collect();
    // The builder has the empty pattern in place of none.
    if plain.is_empty() {
        plain.push(Cow::Borrowed(NOTHING));
    }
    let [small, any] = PROGRAM_BYTES;
    cancel.check()?;
    match builder.size_limit(small).build_many(&plain) {
        Err(error) if matches!(error.kind(), grep_regex::ErrorKind::Regex(_)) => {}
        done => return Ok(done),
    }
    cancel.check()?;
    Ok(builder.size_limit(any).build_many(&plain))
}

#[cfg(test)]
mod tests;
