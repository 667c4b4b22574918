//! Forms of other glob dialects that are rejected, because as plain text they would match nothing.

use std::fmt::Write as _;

use super::characters::plain_characters;

/// Why a glob is rejected that is valid in another dialect, or cannot match, with what to write instead.
pub(crate) fn refusal(glob: &str) -> Option<String> {
    if glob == "~" || glob.starts_with("~/") {
        return Some(r"~ is not expanded; use the absolute path, or \~ for a name".to_owned());
    }
    if glob.contains('\0') {
        return Some("no path has a NUL character; leave it out".to_owned());
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
                '!' => "exclude with a glob that begins with !".to_owned(),
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

/// The rejection of `{1..3}` at the beginning of a string.
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
            ("a\0b", "leave it out"),
        ] {
            let reason = refusal(glob).unwrap_or_else(|| panic!("{glob} is rejected"));
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
}
