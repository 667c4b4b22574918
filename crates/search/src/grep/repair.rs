//! Repairs patterns of language models: braces and brackets that were meant literally.

/// The kind of place of a character in a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Plain,
    Escaped,
    InClass,
}

/// Calls `visit` with each character, its offset, and its kind of place.
fn scan(pattern: &str, mut visit: impl FnMut(usize, char, Part)) {
    let mut characters = pattern.char_indices().peekable();
    let mut class_depth = 0_usize;
    let last_close = pattern.rfind(']');
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                let part = if class_depth > 0 { Part::InClass } else { Part::Escaped };
                visit(at, character, part);
                if let Some((next_at, next)) = characters.next() {
                    visit(next_at, next, part);
                    // \p{…}, \x{…}, \u{…}, \b{…}, \k{…}: the braces belong to the escape.
                    if matches!(next, 'p' | 'P' | 'x' | 'u' | 'U' | 'b' | 'k' | 'g' | 'o' | 'N')
                        && characters.peek().is_some_and(|&(_, c)| c == '{')
                    {
                        for (at, inner) in characters.by_ref() {
                            visit(at, inner, part);
                            if inner == '}' {
                                break;
                            }
                        }
                    }
                }
                continue;
            }
            '[' if class_depth == 0 && last_close.is_some_and(|last| last > at) => {
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

/// Repairs a pattern: puts a backslash before every character that cannot be meant as syntax, and closes open groups such as
/// `(?=`. Returns `None` if nothing needs repair, or if no repair means what was typed.
///
/// The result keeps every character of the pattern. It is not always a valid expression.
pub(super) fn repair(pattern: &str) -> Option<String> {
    let with_braces = escape_braces(pattern);
    let repaired = escape_brackets(&with_braces)?;
    (repaired != pattern).then_some(repaired)
}

/// Escapes the braces that are not quantifiers. A quantifier is `{3}`, `{3,}` or `{3,5}` after something that can be
/// repeated.
pub(super) fn escape_braces(pattern: &str) -> String {
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

/// The length of the quantifier at the beginning of `text`, which begins with `{`.
fn quantifier_length(text: &str) -> Option<usize> {
    let text = &text[1..];
    let end = text.find(|character: char| character != ',' && !character.is_ascii_digit())?;
    let inner = text[end..].starts_with('}').then_some(&text[..end])?;
    let number = |text: &str| text.parse::<u32>().ok();
    let valid = match inner.split_once(',') {
        None => number(inner).is_some(),
        Some((min, "")) => number(min).is_some(),
        Some((min, max)) => number(min).zip(number(max)).is_some_and(|(min, max)| min <= max),
    };
    valid.then_some(inner.len() + 2)
}

/// An open group.
struct Group {
    at: usize,
    /// It begins with `(?`, so it cannot be meant literally.
    is_special: bool,
    has_alternatives: bool,
    /// It contains nothing but plain text.
    is_text: bool,
}

/// Escapes the literal parts: a parenthesis without a partner, parentheses around plain text, such as the arguments of
/// a call, a `[` that is not closed, and a `$` or `^` in the middle of a string. Closes at the end a group that cannot be meant
/// literally, such as `(?=`.
///
/// Returns `None` if the repair would make a part of the text optional, or an alternative of its own.
fn escape_brackets(pattern: &str) -> Option<String> {
    let mut parts = Vec::new();
    scan(pattern, |at, character, part| parts.push((at, character, part)));
    let plain = |index: usize| match parts.get(index) {
        Some(&(_, character, Part::Plain)) => Some(character),
        _ => None,
    };
    let is_quantified = |index: usize| match plain(index + 1) {
        Some('{') => quantifier_length(&pattern[parts[index + 1].0..]).is_some(),
        next => matches!(next, Some('*' | '+' | '?')),
    };
    let refers = refers_to_groups(pattern);
    let mut escaped = Vec::new();
    let mut open: Vec<Group> = Vec::new();
    for (index, &(at, character, part)) in parts.iter().enumerate() {
        let before = index.checked_sub(1).and_then(plain);
        let next = plain(index + 1);
        let is_text = match (character, part) {
            ('(', Part::Plain) => {
                let is_special = next == Some('?');
                open.push(Group { at, is_special, has_alternatives: false, is_text: !is_special });
                continue;
            }
            (')', Part::Plain) => match open.pop() {
                Some(Group { at: start, is_text: true, has_alternatives: false, .. })
                    if !refers && !is_quantified(index) =>
                {
                    escaped.extend([(start, false), (at, false)]);
                    true
                }
                Some(_) => false,
                None => {
                    escaped.push((at, is_quantified(index)));
                    true
                }
            },
            ('|', Part::Plain) => {
                let is_empty = index == 0 || matches!(before, Some('(' | '|')) || matches!(next, Some(')' | '|'));
                if is_empty || index + 1 == parts.len() {
                    return None;
                }
                if let Some(group) = open.last_mut() {
                    group.has_alternatives = true;
                }
                false
            }
            ('[', Part::Plain) => {
                escaped.push((at, is_quantified(index)));
                true
            }
            ('$', Part::Plain) => {
                let is_group = next == Some('(') && plain(index + 2) != Some('?');
                let is_name = next.is_some_and(|next| next.is_alphanumeric() || matches!(next, '_' | '.'));
                // An escaped brace is text.
                let is_brace = pattern[at + 1..].starts_with("\\{");
                let is_text = is_group || is_name || is_brace;
                escaped.extend(is_text.then_some((at, false)));
                is_text
            }
            ('^', Part::Plain) => {
                let is_text = before.is_some_and(|before| before.is_alphanumeric() || matches!(before, '_' | ' '));
                escaped.extend(is_text.then_some((at, is_quantified(index))));
                is_text
            }
            (other, Part::Plain) => !matches!(other, '*' | '+' | '?' | '{'),
            ('\\', Part::Escaped) => true,
            // `\{` is text, `\w` is not.
            (other, Part::Escaped) => !other.is_alphanumeric() && !is_quantified(index),
            (_, Part::InClass) => false,
        };
        if let Some(group) = open.last_mut() {
            group.is_text &= is_text;
        }
    }
    let closing = ")".repeat(open.iter().filter(|group| group.is_special).count());
    for group in open.iter().filter(|group| !group.is_special) {
        let is_followed_by_quantifier = pattern[group.at + 1..].starts_with(['*', '+']);
        escaped.push((group.at, is_followed_by_quantifier || group.has_alternatives));
    }
    if escaped.iter().any(|&(_, is_changed)| is_changed) {
        return None;
    }
    let mut escaped: Vec<usize> = escaped.into_iter().map(|(at, _)| at).collect();
    escaped.sort_unstable();
    Some(insert_backslashes(pattern, &escaped) + &closing)
}

/// Whether a pattern refers to one of its groups by number or name. Then no group may become text.
fn refers_to_groups(pattern: &str) -> bool {
    let follows = |mark: &str, accepted: fn(char) -> bool| {
        pattern.match_indices(mark).any(|(at, _)| pattern[at + mark.len()..].starts_with(accepted))
    };
    follows("\\", |next| next.is_ascii_digit() || matches!(next, 'g' | 'k'))
        || follows("(?", |next| next.is_ascii_digit() || matches!(next, 'R' | '&' | 'P' | '(' | '+'))
}

/// Returns the offset of a character that every match of a PCRE2 pattern contains: outside of groups and classes, without an
/// alternative and without a quantifier after it. `spellings` are the ways to write the character. Returns `None` for a
/// pattern with syntax that changes the meaning of characters.
pub(super) fn required_character(pattern: &str, spellings: &[&str]) -> Option<usize> {
    let (mut found, mut depth, mut escaped_at, mut is_clear) = (None, 0_usize, None, true);
    scan(pattern, |at, character, part| {
        let text = &pattern[at..];
        let spelling = || spellings.iter().find(|spelling| text.starts_with(**spelling));
        let required = match (character, part) {
            ('(', Part::Plain) => {
                depth += 1;
                is_clear &= !has_own_syntax(text);
                None
            }
            (')', Part::Plain) => {
                depth = depth.saturating_sub(1);
                None
            }
            ('|', Part::Plain) => {
                is_clear &= depth > 0;
                None
            }
            ('\\', Part::InClass) => {
                is_clear &= !text.starts_with(r"\Q") && !text.starts_with(r"\c");
                None
            }
            ('\\', Part::Escaped) if escaped_at.is_none_or(|escape| at != escape + 1) => {
                escaped_at = Some(at);
                is_clear &= !text.starts_with(r"\Q") && !text.starts_with(r"\c");
                spelling()
            }
            (_, Part::Plain) => spelling(),
            _ => None,
        };
        if let Some(spelling) = required
            && depth == 0
            && !text[spelling.len()..].starts_with(['?', '*', '{'])
        {
            found = found.or(Some(at));
        }
    });
    found.filter(|_| is_clear)
}

pub(super) const LINE_FEED: [&str; 8] = ["\n", r"\n", r"\x0a", r"\x0A", r"\x{a}", r"\x{A}", r"\x{0a}", r"\x{0A}"];
pub(super) const CARRIAGE_RETURN: [&str; 8] = ["\r", r"\r", r"\x0d", r"\x0D", r"\x{d}", r"\x{D}", r"\x{0d}", r"\x{0D}"];

/// Whether a group is a verb or a comment, or sets the flag that ignores white space.
fn has_own_syntax(group: &str) -> bool {
    if group.starts_with("(*") || group.starts_with("(?#") {
        return true;
    }
    let flags = group.strip_prefix("(?").unwrap_or_default().chars();
    flags.take_while(|flag| flag.is_ascii_alphabetic() || matches!(flag, '^' | '-')).any(|flag| flag == 'x')
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
