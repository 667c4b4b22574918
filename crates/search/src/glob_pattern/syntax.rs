//! The syntax of globs, translated to regular expressions over whole relative paths.
//!
//! `?` matches one Unicode character, not a byte. `*`, `?` and classes stop at `/`, and so does `**` next to other characters.
//! Braces are expanded first, so that each alternative is a glob by itself and `**` means the same inside and outside of
//! braces.
//!
//! # Why not `globset`
//! The rules of globs in `glob` and `grep` differ from it: `?` and `*` never match `/`, an alternative
//! may contain `/` and `**`. `globset` matches bytes, so `?` would match
//! a part of a character. Its set matching gives nothing for the single pattern of a call, and most patterns never come
//! here: `glob_pattern.rs` tests suffixes, names and literal paths directly. `globset` is a dependency through `ignore` only.

use std::fmt::Write as _;

use regex::{Regex, RegexBuilder};

/// The maximal number of alternatives, because each is matched by itself.
const MAX_ALTERNATIVES: usize = 4096;
/// The maximal size of the compiled expression in bytes.
const SIZE_LIMIT: usize = 64 << 20;

const OPEN_BRACE: &str = r"a { is not closed; close it, or use \{ for a brace in a name";

/// Compiles a glob. A closing brace without an opening one is a character.
///
/// The error states why the glob is not valid.
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
    // The innermost open brace is last: its finished alternatives, and the text before it.
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
                let (class, after) = class(rest)?;
                current.push(Token::Class(class));
                rest = after;
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
    if open.is_empty() { Ok(current) } else { Err(OPEN_BRACE.to_owned()) }
}

/// Ends the innermost brace.
fn close(open: &mut Vec<(Vec<Vec<Token>>, Vec<Token>)>, current: &mut Vec<Token>) {
    if let Some((mut alternatives, before)) = open.pop() {
        alternatives.push(std::mem::replace(current, before));
        current.push(Token::Alternatives(alternatives));
    }
}

/// The classes that POSIX names, of ASCII characters as in git.
const POSIX_CLASSES: [&str; 12] =
    ["alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit"];

/// The name in `[:name:]` at the beginning of a string, for any mark, and the rest after it.
pub(crate) fn named(text: &str, mark: char) -> Option<(&str, &str)> {
    let (name, rest) = text.strip_prefix('[')?.strip_prefix(mark)?.split_once(mark)?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    Some((name, rest.strip_prefix(']')?)).filter(|_| is_name)
}

/// Reads a class after its `[`. Returns the expression and the rest of the text. A `]` directly after the `[` or its
/// negation is a member, and so is any character that a backslash escapes.
fn class(text: &str) -> Result<(String, &str), String> {
    let unclosed = || "a [ is not closed; escape it as \\[ if it is meant literally".to_owned();
    let (negated, mut rest) = match text.strip_prefix(['!', '^']) {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut members: Vec<(char, bool)> = Vec::new();
    let mut items = String::new();
    loop {
        let character = rest.chars().next().ok_or_else(unclosed)?;
        if let Some((name, after)) = named(rest, ':') {
            if !POSIX_CLASSES.contains(&name) {
                return Err(format!("there is no class [:{name}:]; use one of {}", POSIX_CLASSES.join(", ")));
            }
            let _ = write!(items, "[:{name}:]");
            rest = after;
            continue;
        }
        if named(rest, '.').or(named(rest, '=')).is_some() {
            return Err("collating elements such as [.a.] and [=a=] are not supported; use the character".to_owned());
        }
        rest = &rest[character.len_utf8()..];
        match character {
            ']' if !members.is_empty() || !items.is_empty() => break,
            '\\' => {
                let escaped = rest.chars().next().ok_or_else(unclosed)?;
                members.push((escaped, true));
                rest = &rest[escaped.len_utf8()..];
            }
            other => members.push((other, false)),
        }
    }
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
        // As numbers the characters need no escapes.
        let _ = write!(items, "\\x{{{:X}}}-\\x{{{:X}}}", u32::from(first), u32::from(last));
    }
    if let Some(name) = POSIX_CLASSES.into_iter().find(|name| text.starts_with(&format!(":{name}:]"))) {
        return Err(format!("write the class as [[:{name}:]], with two brackets"));
    }
    let negation = if negated { "^" } else { "" };
    Ok((format!("[[{negation}{items}]&&[^/]]"), rest))
}

/// Appends every choice of alternatives, each after `before`.
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
            // The chosen alternative, which may contain braces, and what follows the brace.
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
            // The separator after `**` is part of its expression.
            Token::Separator
                if at > 0 && tokens[at - 1] == Token::Deep && (at == 1 || tokens[at - 2] == Token::Separator) => {}
            Token::Separator => into.push('/'),
            Token::One => into.push_str("[^/]"),
            Token::Deep if begins && next == Some(&Token::Separator) => into.push_str("(?:[^/]+/)*"),
            Token::Deep if begins && next.is_none() => into.push_str(".+"),
            // Next to other characters, `**` is a `*`.
            Token::Any | Token::Deep => into.push_str("[^/]*"),
            Token::Class(class) => into.push_str(class),
            Token::Alternatives(_) => unreachable!("expanded before"),
        }
    }
}
