//! Why a pattern is rejected, and where.

use std::convert::Infallible;

use regex_syntax::ParserBuilder;
use regex_syntax::ast::parse::ParserBuilder as AstParserBuilder;
use regex_syntax::ast::{Ast, ClassSetItem, ErrorKind as AstErrorKind, Visitor, visit};
use regex_syntax::hir::Hir;

use super::syntax::Syntax;
use crate::error::SearchError;

pub(super) const LINE_BREAK: &str = "it matches a line break; set multiline to let matches span lines";
const NO_CARRIAGE_RETURN: &str =
    "it matches a carriage return, which is part of the end of a line with crlf; search without crlf or with multiline";

/// Parses an expression as the builder does, but without the parentheses around it, and case-sensitively.
pub(super) fn parse(pattern: &str) -> Result<Hir, Box<regex_syntax::Error>> {
    ParserBuilder::new().multi_line(true).utf8(false).build().parse(pattern).map_err(Box::new)
}

/// Why a pattern is not a valid Rust regular expression.
pub(super) struct Fault {
    pub(super) reason: String,
    /// In bytes from the beginning of the pattern.
    pub(super) offset: usize,
    /// Its syntax is clear, so that its text cannot be the intent.
    pub(super) is_of_meaning: bool,
}

impl Fault {
    pub(super) fn of(pattern: &str) -> Option<Self> {
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

pub(super) fn invalid(pattern: &str, reason: &str, offset: usize) -> SearchError {
    SearchError::InvalidRegex { pattern: pattern.to_owned(), reason: reason.to_owned(), offset: Some(offset) }
}

/// Returns the character for which the builder rejected a pattern that parses.
pub(super) fn refused_character(error: &grep_regex::Error) -> Option<char> {
    match error.kind() {
        grep_regex::ErrorKind::NotAllowed(text) => text.chars().next(),
        grep_regex::ErrorKind::Banned(_) => Some('\0'),
        _ => None,
    }
}

/// Why a pattern that parses is rejected.
pub(super) fn describe(error: &grep_regex::Error, syntax: Syntax) -> String {
    match refused_character(error) {
        Some('\n') if !syntax.multiline => LINE_BREAK.to_owned(),
        Some('\r') => NO_CARRIAGE_RETURN.to_owned(),
        Some('\0') => "it matches a NUL byte, which text files do not contain".to_owned(),
        _ => error.to_string(),
    }
}

/// Returns the offset of the first occurrence of a character in a valid pattern, however it is written.
pub(super) fn place_of(character: char, pattern: &str) -> usize {
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
