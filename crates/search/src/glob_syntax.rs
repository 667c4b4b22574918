//! The syntax of globs, translated to regular expressions over whole relative paths.
//!
//! Characters are Unicode's, not bytes: `?` is one of them. `*`, `?` and classes stop at `/`. Braces are expanded first,
//! so that each alternative is a glob by itself and `**` means the same in them as outside.

use std::fmt::Write as _;

use regex::{Regex, RegexBuilder};

/// More alternatives than this are refused: each is matched for itself.
const MAX_ALTERNATIVES: usize = 4096;
/// The compiled expression may take so many bytes.
const SIZE_LIMIT: usize = 64 << 20;

/// Compiles a glob. A brace that is left open is closed at the end, one that closes nothing is a character.
///
/// The error says what is wrong with the glob.
pub(crate) fn regex_of(glob: &str) -> Result<Regex, String> {
    let tokens = tokens(glob)?;
    let mut alternatives = Vec::new();
    expand(&tokens, &mut Vec::new(), &mut alternatives)?;
    let mut pattern = String::from("^(?:");
    for (index, alternative) in alternatives.iter().enumerate() {
        if index > 0 {
            pattern.push('|');
        }
        translate(alternative, &mut pattern);
    }
    pattern.push_str(")$");
    RegexBuilder::new(&pattern)
        .dot_matches_new_line(true)
        .size_limit(SIZE_LIMIT)
        .build()
        .map_err(|_| "it is too large; use several shorter ones".to_owned())
}

/// A part of a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Literal(char),
    Separator,
    /// `?`
    One,
    /// `*`
    Any,
    /// `**`
    Deep,
    /// `[…]`, as an expression.
    Class(String),
    /// `{…}`
    Alternatives(Vec<Vec<Token>>),
}

fn tokens(glob: &str) -> Result<Vec<Token>, String> {
    // The innermost open brace is last: its finished alternatives, and the one at work.
    let mut open: Vec<(Vec<Vec<Token>>, Vec<Token>)> = Vec::new();
    let mut current = Vec::new();
    let mut rest = glob;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match character {
            '/' => current.push(Token::Separator),
            '?' => current.push(Token::One),
            '*' => {
                let more = rest.trim_start_matches('*');
                current.push(if more.len() < rest.len() { Token::Deep } else { Token::Any });
                rest = more;
            }
            '[' => {
                let (class, behind) = class(rest)?;
                current.push(Token::Class(class));
                rest = behind;
            }
            '\\' => {
                let escaped = rest.chars().next().ok_or("a backslash at the end escapes nothing")?;
                current.push(Token::Literal(escaped));
                rest = &rest[escaped.len_utf8()..];
            }
            '{' => open.push((Vec::new(), std::mem::take(&mut current))),
            ',' if !open.is_empty() => {
                if let Some((alternatives, _)) = open.last_mut() {
                    alternatives.push(std::mem::take(&mut current));
                }
            }
            '}' if !open.is_empty() => close(&mut open, &mut current),
            other => current.push(Token::Literal(other)),
        }
    }
    while !open.is_empty() {
        close(&mut open, &mut current);
    }
    Ok(current)
}

/// Ends the innermost brace.
fn close(open: &mut Vec<(Vec<Vec<Token>>, Vec<Token>)>, current: &mut Vec<Token>) {
    if let Some((mut alternatives, before)) = open.pop() {
        alternatives.push(std::mem::replace(current, before));
        current.push(Token::Alternatives(alternatives));
    }
}

/// Reads a class behind its `[`: the expression, and what follows it. A `]` right behind the opening, or behind its
/// negation, is a member, and so is whatever a backslash escapes.
fn class(text: &str) -> Result<(String, &str), String> {
    let unclosed = || "a [ is not closed; escape it as \\[ if it is meant literally".to_owned();
    let (negated, mut rest) = match text.strip_prefix(['!', '^']) {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut members: Vec<(char, bool)> = Vec::new();
    loop {
        let character = rest.chars().next().ok_or_else(unclosed)?;
        rest = &rest[character.len_utf8()..];
        match character {
            ']' if !members.is_empty() => break,
            '\\' => {
                let escaped = rest.chars().next().ok_or_else(unclosed)?;
                members.push((escaped, true));
                rest = &rest[escaped.len_utf8()..];
            }
            other => members.push((other, false)),
        }
    }
    let mut items = String::new();
    let mut at = 0;
    while let Some(&(first, _)) = members.get(at) {
        let last = match (members.get(at + 1), members.get(at + 2)) {
            (Some(('-', false)), Some(&(last, _))) => last,
            _ => first,
        };
        if last < first {
            return Err(format!("the range {first}-{last} is backwards"));
        }
        at += if matches!((members.get(at + 1), members.get(at + 2)), (Some(('-', false)), Some(_))) { 3 } else { 1 };
        // Numbers need no escaping of their own.
        let _ = write!(items, "\\x{{{:X}}}-\\x{{{:X}}}", u32::from(first), u32::from(last));
    }
    let negation = if negated { "^" } else { "" };
    Ok((format!("[[{negation}{items}]&&[^/]]"), rest))
}

/// Writes out every choice of alternatives behind `before`.
fn expand(tokens: &[Token], before: &mut Vec<Token>, into: &mut Vec<Vec<Token>>) -> Result<(), String> {
    let Some((first, rest)) = tokens.split_first() else {
        if into.len() == MAX_ALTERNATIVES {
            return Err(format!("it has more than {MAX_ALTERNATIVES} alternatives; use several shorter ones"));
        }
        into.push(before.clone());
        return Ok(());
    };
    let length = before.len();
    if let Token::Alternatives(alternatives) = first {
        for alternative in alternatives {
            // The chosen alternative, which may have braces of its own, and what follows the brace.
            let chosen = [alternative.as_slice(), rest].concat();
            expand(&chosen, before, into)?;
            before.truncate(length);
        }
        return Ok(());
    }
    let plain = tokens.iter().position(|token| matches!(token, Token::Alternatives(_))).unwrap_or(tokens.len());
    before.extend_from_slice(&tokens[..plain]);
    expand(&tokens[plain..], before, into)?;
    before.truncate(length);
    Ok(())
}

fn translate(tokens: &[Token], into: &mut String) {
    for (at, token) in tokens.iter().enumerate() {
        let begins = at == 0 || tokens[at - 1] == Token::Separator;
        let next = tokens.get(at + 1);
        match token {
            Token::Literal(character) => into.push_str(&regex::escape(character.encode_utf8(&mut [0; 4]))),
            // The separator behind `**` is part of what it stands for.
            Token::Separator
                if at > 0 && tokens[at - 1] == Token::Deep && (at == 1 || tokens[at - 2] == Token::Separator) => {}
            Token::Separator => into.push('/'),
            Token::One => into.push_str("[^/]"),
            Token::Any => into.push_str("[^/]*"),
            Token::Deep if begins && next == Some(&Token::Separator) => into.push_str("(?:[^/]+/)*"),
            Token::Deep if begins && next.is_none() => into.push_str(".+"),
            // Beside other characters: any text, slashes or not.
            Token::Deep => into.push_str(".*"),
            Token::Class(class) => into.push_str(class),
            Token::Alternatives(_) => unreachable!("expanded before"),
        }
    }
}
