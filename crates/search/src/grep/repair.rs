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
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let valid = match inner.split_once(',') {
        None => number(inner),
        Some((min, max)) => number(min) && (max.is_empty() || number(max)),
    };
    valid.then_some(inner.len() + 2)
}

/// Escapes parentheses without a partner and a `[` that is not closed. A group that cannot be meant literally, such as
/// `(?=`, is closed at the end instead.
pub(super) fn balance(pattern: &str) -> String {
    let mut escaped = Vec::new();
    let mut open = Vec::new();
    scan(pattern, |at, character, part| match (character, part) {
        ('(', Part::Plain) => open.push(at),
        (')', Part::Plain) if open.pop().is_none() => escaped.push(at),
        ('[', Part::Plain) => escaped.push(at),
        _ => {}
    });
    let (groups, texts): (Vec<usize>, Vec<usize>) = open.into_iter().partition(|&at| pattern[at..].starts_with("(?"));
    escaped.extend(texts);
    escaped.sort_unstable();
    insert_backslashes(pattern, &escaped) + &")".repeat(groups.len())
}

/// The offset of a line break that every match of a PCRE2 pattern contains: outside of groups and classes, without an
/// alternative and without a quantifier after it. `None` for a pattern with syntax that changes the meaning of characters.
pub(super) fn required_line_break(pattern: &str) -> Option<usize> {
    let (mut found, mut depth, mut escaped_at, mut is_clear) = (None, 0_usize, None, true);
    scan(pattern, |at, character, part| {
        let text = &pattern[at..];
        let line_break = match (character, part) {
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
            ('\n', Part::Plain) => Some("\n"),
            ('\\', Part::InClass) => {
                is_clear &= !text.starts_with(r"\Q") && !text.starts_with(r"\c");
                None
            }
            ('\\', Part::Escaped) if escaped_at.is_none_or(|escape| at != escape + 1) => {
                escaped_at = Some(at);
                is_clear &= !text.starts_with(r"\Q") && !text.starts_with(r"\c");
                LINE_BREAKS.into_iter().find(|line_break| text.starts_with(line_break))
            }
            _ => None,
        };
        if let Some(line_break) = line_break
            && depth == 0
            && !text[line_break.len()..].starts_with(['?', '*', '{'])
        {
            found = found.or(Some(at));
        }
    });
    found.filter(|_| is_clear)
}

const LINE_BREAKS: [&str; 7] = [r"\n", r"\x0a", r"\x0A", r"\x{a}", r"\x{A}", r"\x{0a}", r"\x{0A}"];

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
