//! Lines of ignore files, translated to what the `ignore` crate takes for the same rule.
//!
//! The crate's globs know braces, which git's do not; they let a class match `/`; they know neither escapes nor named
//! classes in brackets; they keep blanks git drops, and drop some that git keeps. gitignore(5) and git's `wildmatch.c`
//! decide here.

/// The line for the crate that stands for `line`, or `None` when it is no rule or can match nothing.
///
/// `line` is without its line break. Bytes that are not UTF-8 cannot be expressed: such a line matches nothing.
pub(crate) fn translate(line: &str) -> Option<String> {
    let line = trim_trailing_spaces(line.strip_suffix('\r').unwrap_or(line));
    if line.starts_with('#') {
        return None;
    }
    let (negation, pattern) = match line.strip_prefix('!') {
        Some(pattern) => ("!", pattern),
        None => ("", line),
    };
    let (pattern, directory) = match pattern.strip_suffix('/') {
        Some(pattern) => (pattern, "/"),
        None => (pattern, ""),
    };
    // Said here and not left to the crate, which looks for slashes in classes too.
    let (anchor, pattern) = if pattern.contains('/') || (directory == "/" && pattern.is_empty()) {
        ("/", pattern.strip_prefix('/').unwrap_or(pattern))
    } else {
        ("**/", pattern)
    };
    if pattern.is_empty() {
        return None;
    }
    Some(format!("{negation}{anchor}{}{directory}", translate_pattern(pattern)?))
}

/// Drops the blanks at the end, but those that a backslash escapes.
fn trim_trailing_spaces(line: &str) -> &str {
    let mut blanks_from = None;
    let mut characters = line.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            ' ' => _ = blanks_from.get_or_insert(at),
            '\\' => {
                characters.next();
                blanks_from = None;
            }
            _ => blanks_from = None,
        }
    }
    &line[..blanks_from.unwrap_or(line.len())]
}

fn translate_pattern(pattern: &str) -> Option<String> {
    let mut result = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern;
    let mut begins_component = true;
    while let Some(character) = take(&mut rest) {
        match character {
            // A backslash at the end makes a pattern that never matches.
            '\\' => push_literal(take(&mut rest)?, &mut result),
            '[' => {
                let (class, behind) = class(rest)?;
                result.push_str(&class);
                rest = behind;
            }
            '*' => {
                let behind = rest.trim_start_matches('*');
                let several = behind.len() < rest.len();
                let whole = begins_component && (behind.is_empty() || behind.starts_with('/'));
                result.push_str(if several && whole { "**" } else { "*" });
                rest = behind;
            }
            '?' | '/' => result.push(character),
            other => push_literal(other, &mut result),
        }
        begins_component = character == '/';
    }
    Some(result)
}

/// Writes a character that stands for itself. White space goes into brackets, or the crate would trim it at the end.
fn push_literal(character: char, into: &mut String) {
    match character {
        blank if blank.is_whitespace() => into.extend(['[', blank, ']']),
        special if special.is_ascii_punctuation() && special != '/' => into.extend(['\\', special]),
        other => into.push(other),
    }
}

/// Reads a class behind its `[`: the class for the crate, and what follows it. `None` when it is not closed, which makes
/// a pattern that never matches. A class matches one byte, never `/`; members beyond ASCII are parts of characters.
fn class(text: &str) -> Option<(String, &str)> {
    let (negated, mut rest) = match text.strip_prefix(['!', '^']) {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut members = [false; 128];
    let mut set = |character: char| {
        if let Some(member) = members.get_mut(character as usize) {
            *member = true;
        }
    };
    let mut previous: Option<char> = None;
    let mut first = true;
    loop {
        let character = take(&mut rest)?;
        if character == ']' && !first {
            break;
        }
        first = false;
        if character == '[' && rest.starts_with(':') {
            let (name, behind) = rest[1..].split_once(":]")?;
            let named = named_class(name)?;
            (0..128_u8).filter(named).for_each(|byte| set(char::from(byte)));
            rest = behind;
            previous = None;
        } else if let Some(from) = previous.filter(|_| character == '-' && !rest.starts_with(']')) {
            let to = take(&mut rest)?;
            let to = if to == '\\' { take(&mut rest)? } else { to };
            (from..=to).take_while(char::is_ascii).for_each(&mut set);
            previous = None;
        } else {
            let member = if character == '\\' { take(&mut rest)? } else { character };
            set(member);
            previous = Some(member);
        }
    }
    members['/' as usize] = negated;
    Some((write_class(negated, &members)?, rest))
}

/// Takes the next character off the front of `text`.
fn take(text: &mut &str) -> Option<char> {
    let mut characters = text.chars();
    let character = characters.next()?;
    *text = characters.as_str();
    Some(character)
}

type IsMember = fn(&u8) -> bool;

/// The classes of POSIX that git knows, in ASCII.
fn named_class(name: &str) -> Option<IsMember> {
    Some(match name {
        "alnum" => u8::is_ascii_alphanumeric,
        "alpha" => u8::is_ascii_alphabetic,
        "blank" => |byte| matches!(byte, b' ' | b'\t'),
        "cntrl" => u8::is_ascii_control,
        "digit" => u8::is_ascii_digit,
        "graph" => u8::is_ascii_graphic,
        "lower" => u8::is_ascii_lowercase,
        "print" => |byte| byte.is_ascii_graphic() || *byte == b' ',
        "punct" => u8::is_ascii_punctuation,
        "space" => |byte| byte.is_ascii_whitespace() || *byte == 0x0B,
        "upper" => u8::is_ascii_uppercase,
        "xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}

/// Writes a class so that no member is taken for syntax: `]` first, `-` last, `!` and `^` not first.
fn write_class(negated: bool, members: &[bool; 128]) -> Option<String> {
    let has = |character: char| members[character as usize];
    let mut ordinary: String = (0..128_u8)
        .map(char::from)
        .filter(|&character| has(character) && !matches!(character, ']' | '-' | '!' | '^'))
        .collect();
    let mut special: Vec<char> = ['!', '^', '-'].into_iter().filter(|&character| has(character)).collect();
    if has(']') {
        ordinary.insert(0, ']');
    }
    if ordinary.is_empty() && !negated {
        // Nothing harmless to stand first.
        let alternatives: Vec<String> = special.iter().map(|character| format!("\\{character}")).collect();
        return (!special.is_empty()).then(|| format!("{{{}}}", alternatives.join(",")));
    }
    let mut class = format!("[{}{ordinary}", if negated { "!" } else { "" });
    class.extend(special.drain(..));
    class.push(']');
    Some(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_the_same_rule_for_the_crate() {
        for (reason, line, expected) in [
            ("a name matches anywhere", "foo", Some("**/foo")),
            ("a path is anchored", "a/foo", Some("/a/foo")),
            ("so is a name behind a slash", "/foo", Some("/foo")),
            ("a slash behind asks for directories", "foo/", Some("**/foo/")),
            ("both", "/foo/", Some("/foo/")),
            ("a negation", "!foo", Some("!**/foo")),
            ("a comment", "# foo", None),
            ("nothing", "", None),
            ("a negation of nothing", "!", None),
            ("a slash alone", "/", None),
            ("blanks at the end are dropped", "foo  ", Some("**/foo")),
            ("but not escaped ones", r"foo\  ", Some("**/foo[ ]")),
            ("a tab stays", "foo\t", Some("**/foo[\t]")),
            ("a carriage return goes", "foo\r", Some("**/foo")),
            ("braces are characters", "{a,b}", Some(r"**/\{a\,b\}")),
            ("an escaped exclamation mark", r"\!foo", Some(r"**/\!foo")),
            ("a class stops at a slash", "a[!x]b", Some("**/a[!/x]b")),
            ("an escape in a class", r"[\]a]", Some("**/[]a]")),
            ("a range", "[a-c]", Some("**/[abc]")),
            ("a named class", "[[:digit:]x]", Some("**/[0123456789x]")),
            ("a hyphen at the end of a class", "[a-]", Some("**/[a-]")),
            ("a caret in a class", "[x^]", Some("**/[x^]")),
            ("only a caret", r"[\^]", Some(r"**/{\^}")),
            ("a class that is not closed matches nothing", "a[b", None),
            ("a class of nothing but a slash matches nothing", "a[/]b", None),
            ("a backslash at the end matches nothing", r"foo\", None),
            ("two stars beside characters are one", "a**b", Some("**/a*b")),
            ("more than two are two", "a/***/b", Some("/a/**/b")),
        ] {
            assert_eq!(translate(line).as_deref(), expected, "{reason}: {line:?}");
        }
    }
}
