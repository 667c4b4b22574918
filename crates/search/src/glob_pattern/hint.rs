//! What a glob that matches nothing may have meant.

use super::characters::{has_wildcard, plain_characters, separated};

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

#[cfg(test)]
mod tests {
    use super::*;

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
