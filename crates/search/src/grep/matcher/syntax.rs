//! What the options state about the meaning of every pattern.

use std::convert::Infallible;

use regex_syntax::ast::parse::ParserBuilder as AstParserBuilder;
use regex_syntax::ast::{Ast, ClassSetItem, Visitor, visit};

use crate::grep::options::{Binary, GrepOptions};

/// What the options state about the meaning of every pattern.
#[derive(Clone, Copy, Debug)]
pub(super) struct Syntax {
    pub(super) literal: bool,
    pub(super) pcre2: bool,
    /// Whether a match may have a NUL byte.
    pub(super) nul: bool,
    pub(super) ignore_case: bool,
    pub(super) multiline: bool,
    pub(super) crlf: bool,
    pub(super) bounds: Option<Bounds>,
}

/// What a match must have on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bounds {
    Word,
    Line,
}

impl Syntax {
    pub(super) fn of(options: &GrepOptions) -> Self {
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
