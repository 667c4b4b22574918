//! From what was typed to a matcher: as given, repaired, or literally.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ast::{ErrorKind as AstErrorKind, parse::ParserBuilder};
use regex_syntax::hir::Look;

use super::{GrepOptions, RegexEngine};
use crate::error::SearchError;

/// A compiled pattern, and what was done to it.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    matcher: RegexMatcher,
    engine: RegexEngine,
    repaired: Option<String>,
    is_local: bool,
}

impl Compiled {
    /// Compiles the pattern of `options`.
    ///
    /// A pattern that is no regular expression is tried again with the braces escaped that quantify nothing, then
    /// with the unbalanced brackets escaped as well, and at last, if brackets are all that is wrong with it, literally.
    /// Look-around and back-references have no such fallback: they mean something that this engine cannot do.
    pub(super) fn new(options: &GrepOptions) -> Result<Self, SearchError> {
        let pattern = options.pattern.as_str();
        if options.literal {
            let matcher = build(&regex_syntax::escape(pattern), options)
                .map_err(|error| invalid(pattern, &describe(&error, options), None))?;
            return Ok(Self::built(matcher, RegexEngine::Literal, pattern, None));
        }
        let error = match build(pattern, options) {
            Ok(matcher) => return Ok(Self::built(matcher, RegexEngine::Regex, pattern, None)),
            Err(error) => error,
        };
        let Some((kind, offset)) = syntax_error(pattern) else {
            return Err(invalid(pattern, &describe(&error, options), None));
        };
        let reason = match kind {
            AstErrorKind::UnsupportedLookAround => {
                "look-around is not supported; search for the part that is to match".to_owned()
            }
            AstErrorKind::UnsupportedBackreference => {
                "back-references are not supported; escape the backslash if it is meant literally".to_owned()
            }
            other => {
                for repaired in [escape_braces(pattern), escape_unbalanced(&escape_braces(pattern))] {
                    if let Ok(matcher) = build(&repaired, options) {
                        return Ok(Self::built(matcher, RegexEngine::Regex, &repaired, Some(repaired.clone())));
                    }
                }
                if is_unbalanced(&other)
                    && let Ok(matcher) = build(&regex_syntax::escape(pattern), options)
                {
                    return Ok(Self::built(matcher, RegexEngine::Literal, pattern, None));
                }
                other.to_string()
            }
        };
        Err(invalid(pattern, &reason, Some(offset)))
    }

    fn built(matcher: RegexMatcher, engine: RegexEngine, pattern: &str, repaired: Option<String>) -> Self {
        Self { matcher, engine, repaired, is_local: engine == RegexEngine::Literal || !anchors_to_haystack(pattern) }
    }

    /// Whether a line matches in a whole file as it does by itself. Not so with `\\A` and `\\z`, which the searcher
    /// applies line by line.
    pub(super) fn is_local(&self) -> bool {
        self.is_local
    }

    pub(super) fn matcher(&self) -> &RegexMatcher {
        &self.matcher
    }

    pub(super) fn engine(&self) -> RegexEngine {
        self.engine
    }

    /// The pattern searched for, when it is not the one given.
    pub(super) fn repaired(&self) -> Option<&str> {
        self.repaired.as_deref()
    }
}

/// Whether a pattern looks for the beginning or the end of all that is searched.
fn anchors_to_haystack(pattern: &str) -> bool {
    let parsed = regex_syntax::ParserBuilder::new().multi_line(true).utf8(false).build().parse(pattern);
    parsed.map_or(true, |parsed| {
        let looks = parsed.properties().look_set();
        looks.contains(Look::Start) || looks.contains(Look::End)
    })
}

/// Builds the matcher as ripgrep's command does (`matcher_rust` in `crates/core/flags/hiargs.rs`).
fn build(pattern: &str, options: &GrepOptions) -> Result<RegexMatcher, grep_regex::Error> {
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).unicode(true).octal(false).case_insensitive(options.ignore_case).ban_byte(Some(0));
    if !options.multiline {
        builder.line_terminator(Some(b'\n')).dot_matches_new_line(false);
    }
    builder.build(pattern)
}

fn invalid(pattern: &str, reason: &str, offset: Option<usize>) -> SearchError {
    SearchError::InvalidRegex { pattern: pattern.to_owned(), reason: reason.to_owned(), offset }
}

/// What is wrong with a pattern that parses.
fn describe(error: &grep_regex::Error, options: &GrepOptions) -> String {
    match error.kind() {
        grep_regex::ErrorKind::NotAllowed(_) if !options.multiline => {
            "it matches a line break; set multiline to let matches span lines".to_owned()
        }
        grep_regex::ErrorKind::Banned(_) => "it matches a NUL byte, which no text has".to_owned(),
        _ => error.to_string(),
    }
}

/// The first syntax error and its byte offset.
fn syntax_error(pattern: &str) -> Option<(AstErrorKind, usize)> {
    let error = ParserBuilder::new().build().parse(pattern).err()?;
    Some((error.kind().clone(), error.span().start.offset))
}

fn is_unbalanced(kind: &AstErrorKind) -> bool {
    matches!(kind, AstErrorKind::GroupUnclosed | AstErrorKind::GroupUnopened | AstErrorKind::ClassUnclosed)
}

/// The parts of a pattern that brackets can be told apart in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Plain,
    Escaped,
    InClass,
}

/// Calls `visit` with each character, where it begins, and what part of the pattern it is in.
fn scan(pattern: &str, mut visit: impl FnMut(usize, char, Part)) {
    let mut characters = pattern.char_indices().peekable();
    let mut class_depth = 0_usize;
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                visit(at, character, Part::Escaped);
                if let Some((next_at, next)) = characters.next() {
                    visit(next_at, next, Part::Escaped);
                    // \p{…}, \x{…}, \u{…}, \b{…}: the braces belong to the escape.
                    if matches!(next, 'p' | 'P' | 'x' | 'u' | 'U' | 'b')
                        && characters.peek().is_some_and(|&(_, c)| c == '{')
                    {
                        for (at, inner) in characters.by_ref() {
                            visit(at, inner, Part::Escaped);
                            if inner == '}' {
                                break;
                            }
                        }
                    }
                }
                continue;
            }
            '[' if class_depth == 0 && pattern[at..].contains(']') => {
                class_depth = 1;
                visit(at, character, Part::InClass);
                for leading in ['^', ']'] {
                    if characters.peek().is_some_and(|&(_, next)| next == leading) {
                        characters.next();
                    }
                }
                continue;
            }
            '[' if class_depth > 0 => class_depth += 1,
            ']' if class_depth > 0 => {
                class_depth -= 1;
                visit(at, character, Part::InClass);
                continue;
            }
            _ => {}
        }
        visit(at, character, if class_depth > 0 { Part::InClass } else { Part::Plain });
    }
}

/// Escapes the braces that do not quantify anything: `{` that is not the beginning of `{3}`, `{3,}` or `{3,5}` behind
/// something that can be repeated.
fn escape_braces(pattern: &str) -> String {
    let mut escaped = Vec::new();
    let mut quantifier_ends_at = None;
    let mut repeatable = false;
    scan(pattern, |at, character, part| {
        match (character, part) {
            ('{', Part::Plain) => match quantifier_length(&pattern[at..]).filter(|_| repeatable) {
                Some(length) => quantifier_ends_at = Some(at + length - 1),
                None => escaped.push(at),
            },
            ('}', Part::Plain) if quantifier_ends_at != Some(at) => escaped.push(at),
            _ => {}
        }
        repeatable = !(part == Part::Plain && matches!(character, '(' | '|' | '^' | '{'));
    });
    insert_backslashes(pattern, &escaped)
}

/// The length of the quantifier that `text`, which begins with `{`, begins with.
fn quantifier_length(text: &str) -> Option<usize> {
    let inner = &text[1..text.find('}')?];
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let valid = match inner.split_once(',') {
        None => number(inner),
        Some((least, most)) => number(least) && (most.is_empty() || number(most)),
    };
    valid.then_some(inner.len() + 2)
}

/// Escapes the parentheses without a partner and the `[` that is never closed.
fn escape_unbalanced(pattern: &str) -> String {
    let mut escaped = Vec::new();
    let mut open = Vec::new();
    scan(pattern, |at, character, part| match (character, part) {
        ('(', Part::Plain) => open.push(at),
        (')', Part::Plain) if open.pop().is_none() => escaped.push(at),
        ('[', Part::Plain) => escaped.push(at),
        _ => {}
    });
    escaped.append(&mut open);
    escaped.sort_unstable();
    insert_backslashes(pattern, &escaped)
}

fn insert_backslashes(pattern: &str, positions: &[usize]) -> String {
    let mut result = String::with_capacity(pattern.len() + positions.len());
    let mut from = 0;
    for &at in positions {
        result.push_str(&pattern[from..at]);
        result.push('\\');
        from = at;
    }
    result.push_str(&pattern[from..]);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compile(pattern: &str) -> Result<(RegexEngine, Option<String>), SearchError> {
        let compiled = Compiled::new(&GrepOptions::new(pattern, "."))?;
        Ok((compiled.engine(), compiled.repaired().map(ToOwned::to_owned)))
    }

    #[test]
    fn patterns_as_models_write_them_are_repaired() {
        use RegexEngine::{Literal, Regex};
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
        ] {
            let done = compile(pattern).unwrap_or_else(|error| panic!("{reason}: {pattern}: {error}"));
            assert_eq!(done, (engine, repaired.map(ToOwned::to_owned)), "{reason}: {pattern}");
        }
    }

    #[test]
    fn what_no_engine_takes_is_refused_with_its_place() {
        for (reason, pattern, expected) in [
            ("nothing to repeat", "ab|*c", Some(3)),
            ("a class backwards", "x[z-a]", Some(2)),
            ("an unknown property", r"a\p{Nothing}", None),
            ("look-around", "a(?=b)", Some(1)),
            ("a back-reference", r"(a)\1", Some(3)),
            ("a line break without multiline", r"a\nb", None),
        ] {
            match compile(pattern) {
                Err(SearchError::InvalidRegex { offset, .. }) => assert_eq!(offset, expected, "{reason}: {pattern}"),
                other => panic!("{reason}: {pattern} gave {other:?}"),
            }
        }
    }
}
