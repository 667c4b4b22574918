//! Forms of other glob dialects: which are refused, how grep's option holds several globs, and what a glob without a match
//! may have meant.

use std::fmt::Write as _;

use crate::glob_syntax::named;

/// The characters of a glob that are neither escaped nor in a class, with their offsets. A class is its `[`.
fn plain_characters(glob: &str) -> Vec<(usize, char)> {
    let mut plain = Vec::new();
    let mut at = 0;
    while let Some(character) = glob[at..].chars().next() {
        match character {
            '\\' => at += glob[at + 1..].chars().next().map_or(0, char::len_utf8),
            '[' => {
                plain.push((at, character));
                at += class_length(&glob[at..]).map_or(0, |length| length - 1);
            }
            _ => plain.push((at, character)),
        }
        at += character.len_utf8();
    }
    plain
}

/// The length of the class at the beginning of a text, which begins with `[`.
fn class_length(text: &str) -> Option<usize> {
    let mut characters = text.char_indices().skip(1).peekable();
    characters.next_if(|&(_, character)| matches!(character, '!' | '^'));
    let mut is_first = true;
    while let Some((at, character)) = characters.next() {
        match character {
            ']' if !is_first => return Some(at + 1),
            '\\' => {
                characters.next();
            }
            '[' => {
                if let Some((_, rest)) = named(&text[at..], ':') {
                    let end = text.len() - rest.len();
                    while characters.next_if(|&(next, _)| next < end).is_some() {}
                }
            }
            _ => {}
        }
        is_first = false;
    }
    None
}

/// Why a glob is refused that is valid in another dialect, with what to write instead.
pub(crate) fn refusal(glob: &str) -> Option<String> {
    if glob == "~" || glob.starts_with("~/") {
        return Some(r"~ is not expanded; use the absolute path, or \~ for a name".to_owned());
    }
    // Most globs have neither, and need no list of their characters.
    if !glob.contains(['(', '{']) {
        return None;
    }
    let plain = plain_characters(glob);
    for (index, &(at, character)) in plain.iter().enumerate() {
        let rest = &glob[at..];
        if character == '{'
            && let Some(range) = brace_range(rest)
        {
            return Some(range);
        }
        let is_sign = matches!(character, '!' | '@' | '+' | '?' | '*');
        if !is_sign || plain.get(index + 1) != Some(&(at + 1, '(')) {
            continue;
        }
        let after = &plain[index + 2..];
        let Some(length) = after.iter().position(|&(_, character)| character == ')') else { continue };
        let end = after[length].0 - at;
        let inner = &rest[2..end];
        // `*(1)` and `?(1)` may also be a copy of a file.
        if matches!(character, '!' | '@' | '+') || after[..length].iter().any(|&(_, character)| character == '|') {
            let instead = match character {
                '!' => "exclude in grep with a glob that begins with !".to_owned(),
                '?' | '*' => format!("use {{,{}}}", inner.replace('|', ",")),
                _ => format!("use {{{}}}", inner.replace('|', ",")),
            };
            return Some(format!(
                r"extended globs such as {} are not supported; {instead}, or \( for a parenthesis in a name",
                &rest[..=end]
            ));
        }
    }
    None
}

/// The refusal of `{1..3}` at the beginning of a text.
fn brace_range(text: &str) -> Option<String> {
    let inner = &text[1..text.find('}')?];
    let mut parts = inner.split("..");
    let (first, last, step) = (parts.next()?, parts.next()?, parts.next());
    let is_number = |text: &str| text.parse::<i64>().is_ok();
    let is_letter = |text: &str| text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_range = (is_number(first) && is_number(last)) || (is_letter(first) && is_letter(last));
    if !is_range || step.is_some_and(|step| !is_number(step)) || parts.next().is_some() {
        return None;
    }
    let mut numbers = String::new();
    // `{01..10}` is `{01,02,…}`.
    let is_padded =
        |number: &str| number.trim_start_matches('-').len() > 1 && number.trim_start_matches('-').starts_with('0');
    if let (Ok(first), Ok(last), None) = (first.parse::<i64>(), last.parse::<i64>(), step)
        && !inner.split("..").any(is_padded)
        && first <= last
        && last.saturating_sub(first) < 10
    {
        for number in first..=last {
            let _ = write!(numbers, "{}{number}", if numbers.is_empty() { "" } else { "," });
        }
    } else {
        let _ = write!(numbers, "{first},…,{last}");
    }
    Some(format!("the range {{{inner}}} is not supported; use {{{numbers}}}"))
}

/// The globs of grep's option. A comma outside of braces separates them if every part has a wildcard or excludes.
pub(crate) fn split(glob: &str) -> Vec<&str> {
    if !glob.contains(',') {
        return vec![glob];
    }
    let parts = separated(glob, ',');
    let is_glob = |part: &&str| has_wildcard(part) || part.starts_with('!');
    if parts.len() > 1 && parts.iter().all(is_glob) { parts } else { vec![glob] }
}

/// The parts of a glob between characters that are neither escaped nor in a class or braces.
fn separated(glob: &str, separator: char) -> Vec<&str> {
    let mut depth = 0_usize;
    let mut from = 0;
    let mut parts = Vec::new();
    for (at, character) in plain_characters(glob) {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if character == separator && depth == 0 => {
                parts.push(glob[from..at].trim());
                from = at + separator.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(glob[from..].trim());
    parts
}

fn has_wildcard(glob: &str) -> bool {
    plain_characters(glob).iter().any(|(_, character)| matches!(character, '*' | '?' | '[' | '{'))
}

/// A glob that matches nothing and looks like a regular expression.
pub(crate) fn regex_hint(glob: &str) -> Option<String> {
    let is_regex = (glob.starts_with('^') || glob.ends_with('$') || glob.contains(r"\.") || glob.contains(".*"))
        && (glob.contains(['^', '$', '(', '|']) || glob.contains(r"\."));
    is_regex.then(|| "it looks like a regular expression: in a glob, * is any text and . is a dot".to_owned())
}

/// A whole component that is a class of several letters, as frameworks name the directory of a parameter: `[id]`.
fn bracketed_name(glob: &str) -> Option<&str> {
    glob.split('/').find(|part| {
        let inner = part.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or_default();
        let is_plain = |one: char| one.is_alphanumeric() || matches!(one, '_' | '.' | '[' | ']');
        inner.len() > 1 && inner.chars().all(is_plain)
    })
}

/// What a glob that matches nothing may have meant.
pub(crate) fn hint(glob: &str) -> Option<String> {
    let plain = plain_characters(glob);
    let has = |wanted: char| plain.iter().any(|&(_, character)| character == wanted);
    if glob.trim() != glob {
        return Some("white space at the beginning or end is part of the name: leave it out".to_owned());
    }
    if glob.contains('"') || ['\'', '`'].into_iter().any(|quote| glob.starts_with(quote) && glob.ends_with(quote)) {
        return Some("quotes are part of the name: leave them out".to_owned());
    }
    let parts = glob.trim_end_matches('/').split(['/', '{', '}', ',']);
    if glob.contains("//") || parts.enumerate().any(|(at, part)| part == ".." || (part == "." && at > 0)) {
        return Some("no path has an empty component, `.` or `..` in it: leave it out".to_owned());
    }
    for separator in [',', ';', '|', ' '] {
        let parts = separated(glob, separator);
        if parts.len() > 1 && (parts[0].is_empty() || parts[parts.len() - 1].is_empty()) {
            return Some(format!("{separator:?} at the beginning or end is part of the name: leave it out"));
        }
        let is_likely = separator == ',' || parts.iter().all(|part| has_wildcard(part));
        if parts.len() > 1 && is_likely && parts.iter().all(|part| !part.is_empty()) {
            let what = if separator == ' ' { "a space".to_owned() } else { format!("{separator:?}") };
            return Some(format!("{what} does not separate globs here: use {{{}}}", parts.join(",")));
        }
    }
    if let Some(regex) = regex_hint(glob) {
        return Some(regex);
    }
    let mut escapes = glob.split('\\').skip(1);
    // `src\*` is a path, `\*` a name.
    let is_path = glob.contains(r"\*") && !glob.starts_with(r"\*");
    if is_path || escapes.any(|after| after.starts_with(|next: char| next.is_alphanumeric())) {
        return Some(r"a backslash takes the next character literally: separate directories with /".to_owned());
    }
    if glob.contains("*(") || glob.contains("?(") || (has('(') && has('|')) {
        return Some("parentheses are part of the name: use {a,b} for alternatives".to_owned());
    }
    if glob.starts_with('$') || glob.starts_with('%') || glob.contains("://") {
        return Some("variables and URLs are not expanded: use a path".to_owned());
    }
    if let Some(name) = bracketed_name(glob) {
        let literal = name.replace('[', r"\[").replace(']', r"\]");
        return Some(format!("{name} is one of the characters in it: use {literal} for that name"));
    }
    if has('}') && !has('{') {
        return Some("a } without a { is part of the name".to_owned());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_other_dialects_are_refused_with_what_to_write_instead() {
        for (glob, instead) in [
            ("!(a)", "begins with !"),
            ("src/@(a|b).ts", "{a,b}"),
            ("+(a)", "{a}"),
            ("x?(a|b)", "{,a,b}"),
            ("*(a|b)", "{,a,b}"),
            ("{1..3}", "{1,2,3}"),
            ("a{-1..1}", "{-1,0,1}"),
            ("{a..e}.ts", "{a,…,e}"),
            ("{01..99}", "{01,…,99}"),
            ("{08..10}", "{08,…,10}"),
            ("{1..9..2}", "{1,…,9}"),
            ("~", "absolute"),
            ("~/src/*.ts", "absolute"),
        ] {
            let reason = refusal(glob).unwrap_or_else(|| panic!("{glob} is refused"));
            assert!(reason.contains(instead), "{glob}: {reason}");
        }
        for glob in [
            r"\@(a)",
            r"@\(a)",
            r"@\b(a)",
            "[@](a)",
            "a(1).txt",
            "*(1).txt",
            "app/(group)/*.ts",
            "{1...3}",
            "{a,1..3}",
            "{..}",
            "{1..}",
            "a~",
            "~a/x",
            r"\~/x",
            "x@(",
            "[{]1..3}",
        ] {
            assert_eq!(refusal(glob), None, "{glob}");
        }
    }

    #[test]
    fn a_comma_separates_globs_that_all_have_a_wildcard() {
        for (glob, parts) in [
            ("*.ts,*.js", vec!["*.ts", "*.js"]),
            ("*.ts, *.js", vec!["*.ts", "*.js"]),
            ("!*.h,!*.c", vec!["!*.h", "!*.c"]),
            ("src/**,{a,b}", vec!["src/**", "{a,b}"]),
            ("[ab].c,?.h", vec!["[ab].c", "?.h"]),
            ("*.{ts,js}", vec!["*.{ts,js}"]),
            ("a,*.js", vec!["a,*.js"]),
            ("!a,!b", vec!["!a", "!b"]),
            ("*.ts,!a", vec!["*.ts", "!a"]),
            ("!a,b", vec!["!a,b"]),
            ("*,v", vec!["*,v"]),
            ("*.ts,", vec!["*.ts,"]),
            (r"*\,*", vec![r"*\,*"]),
            ("*[,]*", vec!["*[,]*"]),
            ("*{,*", vec!["*{,*"]),
            (r"*,\*", vec![r"*,\*"]),
        ] {
            assert_eq!(split(glob), parts, "{glob}");
        }
    }

    #[test]
    fn a_glob_without_a_match_may_have_meant_something_else() {
        for (glob, part) in [
            ("*.ts,*.js", "{*.ts,*.js}"),
            ("a.ts,b.ts", "{a.ts,b.ts}"),
            ("*.ts;*.js", "{*.ts,*.js}"),
            ("*.ts|*.js", "{*.ts,*.js}"),
            ("*.ts *.js", "{*.ts,*.js}"),
            (r".*\.tsx?$", "regular expression"),
            ("^src/(a|b)", "regular expression"),
            (r"src\lib\*.ts", "separate directories with /"),
            ("*(a)", "{a,b}"),
            ("$HOME/*.ts", "not expanded"),
            ("a//b", "leave it out"),
            ("a/./b", "leave it out"),
            ("{../a,b}", "leave it out"),
            ("\"*.ts\"", "leave them out"),
            ("'*.ts'", "leave them out"),
            ("*.ts ", "leave it out"),
            ("src/(a|b).ts", "{a,b}"),
            (r"src\**\*.ts", "separate directories with /"),
            ("app/[id]/page.tsx", r"\[id\]"),
            ("[[...slug]]", r"\[\[...slug\]\]"),
            ("*.ts,tsx}", "{*.ts,tsx}}"),
            ("a}", "part of the name"),
            ("*.ts,", "',' at the beginning or end"),
            (";*.ts", "';' at the beginning or end"),
        ] {
            let found = hint(glob).unwrap_or_else(|| panic!("a hint for {glob}"));
            assert!(found.contains(part), "{glob}: {found}");
        }
        for glob in ["*.ts", "src/**/*.{ts,js}", "a b.txt", r"\*.c", ".*", "[!a]", "./a/*.ts", "a/"] {
            assert_eq!(hint(glob), None, "{glob}");
        }
    }
}
