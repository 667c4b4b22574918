//! The file that `core.excludesFile` names: a user's excludes for all repositories.
//!
//! Reads git's configuration files in git's order, from the system's to the repository's; the last value wins
//! (git-config(1), "FILES" and "SYNTAX"). Included files and `-c` on the command line are not supported.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::paths::read_regular_file;

/// Returns the path of the excludes file. It need not exist.
///
/// `git_directory` contains the configuration of the repository, if there is one. `top` is the top of its work tree; a
/// relative path in the configuration is relative to it.
pub(crate) fn excludes_file(git_directory: Option<&Path>, top: &Path) -> Option<PathBuf> {
    let home = set("HOME").map(PathBuf::from);
    let xdg = set("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| Some(home.as_ref()?.join(".config")));
    let mut files: Vec<PathBuf> = Vec::new();
    if set("GIT_CONFIG_NOSYSTEM").is_none_or(|value| value == "0" || value == "false") {
        files.push(set("GIT_CONFIG_SYSTEM").map_or_else(|| PathBuf::from("/etc/gitconfig"), PathBuf::from));
    }
    if let Some(global) = set("GIT_CONFIG_GLOBAL") {
        files.push(PathBuf::from(global));
    } else {
        files.extend(xdg.as_ref().map(|xdg| xdg.join("git/config")));
        files.extend(home.as_ref().map(|home| home.join(".gitconfig")));
    }
    files.extend(git_directory.map(|directory| directory.join("config")));
    let named = files.iter().rev().find_map(|file| {
        let text = String::from_utf8_lossy(&read_regular_file(file).ok()?).into_owned();
        last_value(&text, "core", "excludesfile")
    });
    match named {
        // An empty value means no file, not the default file.
        Some(path) if path.is_empty() => None,
        Some(path) => Some(top.join(expand_home(&path, home.as_deref()))),
        None => Some(xdg?.join("git/ignore")),
    }
}

fn set(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

fn expand_home(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

/// Returns the last value of a key in a section without a subsection. Pass both names in lower case.
fn last_value(text: &str, section: &str, key: &str) -> Option<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let mut rest = text.as_str();
    let mut inside = false;
    let mut found = None;
    loop {
        rest = rest.trim_start();
        let first = rest.chars().next()?.to_ascii_lowercase();
        if first == '#' || first == ';' {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
        } else if first == '[' {
            let Some((header, after)) = rest[1..].split_once(']') else { return found };
            inside = header.trim().eq_ignore_ascii_case(section);
            rest = after;
        } else {
            let end = rest.find(|character: char| !(character.is_ascii_alphanumeric() || character == '-'));
            let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
            let after = after.trim_start_matches([' ', '\t']);
            let (value, after) = match after.strip_prefix('=') {
                Some(text) => value(text),
                // A key without a value, or a line that git refuses.
                None => (None, after.split_once('\n').map_or("", |(_, rest)| rest)),
            };
            if inside && name.eq_ignore_ascii_case(key) {
                found = value.or(found);
            }
            rest = after;
        }
        if rest.trim_start().is_empty() {
            return found;
        }
    }
}

/// Reads a value up to the end of its line. Returns the value and the text after it. Quotes preserve blanks and comment
/// marks; a backslash at the end of a line continues the value on the next line.
fn value(text: &str) -> (Option<String>, &str) {
    let mut value = String::new();
    // Blanks outside quotes only belong to the value when more text follows.
    let mut kept = 0;
    let mut quoted = false;
    let mut characters = text.chars();
    loop {
        match characters.next() {
            None | Some('\n') => break,
            Some('"') => {
                quoted = !quoted;
                kept = value.len();
            }
            Some('\\') => match characters.next() {
                Some('\n') => {}
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some('b') => _ = value.pop(),
                Some(other @ ('"' | '\\')) => value.push(other),
                // git refuses such a file; this parser skips the value.
                _ => return (None, characters.as_str().split_once('\n').map_or("", |(_, rest)| rest)),
            },
            Some('#' | ';') if !quoted => {
                let after = characters.as_str().split_once('\n').map_or("", |(_, rest)| rest);
                characters = after.chars();
                break;
            }
            Some(blank @ (' ' | '\t')) if !quoted => {
                if !value.is_empty() {
                    value.push(blank);
                }
                continue;
            }
            Some(other) => value.push(other),
        }
        kept = kept.max(value.trim_end_matches(if quoted { &[][..] } else { &[' ', '\t'][..] }).len());
    }
    value.truncate(kept);
    (Some(value), characters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_wins_as_in_git() {
        for (reason, text, expected) in [
            ("plain", "[core]\n\texcludesfile = /a/b\n", Some("/a/b")),
            ("case does not matter", "[CORE]\nExcludesFile=/a", Some("/a")),
            ("on the line of its section", "[core] excludesfile = /a", Some("/a")),
            ("the last of two", "[core]\nexcludesfile = /a\nexcludesfile = /b\n", Some("/b")),
            ("in a repeated section", "[core]\nexcludesfile=/a\n[user]\nname=x\n[core]\nexcludesfile=/b", Some("/b")),
            ("blanks inside", "[core]\nexcludesfile = /a b/c\n", Some("/a b/c")),
            ("trailing blanks", "[core]\nexcludesfile = /a  \n", Some("/a")),
            ("quotes", "[core]\nexcludesfile = \"/a b \"\n", Some("/a b ")),
            ("a trailing comment", "[core]\nexcludesfile = /a # mine\n", Some("/a")),
            ("a comment mark in quotes", "[core]\nexcludesfile = \"/a#b\"\n", Some("/a#b")),
            ("a comment before", "# x\n; y\n[core]\n# z\nexcludesfile = /a", Some("/a")),
            ("a continued line", "[core]\nexcludesfile = /a\\\n/b\n", Some("/a/b")),
            ("escapes", "[core]\nexcludesfile = /a\\\\b\\\"c\n", Some("/a\\b\"c")),
            ("line breaks of Windows", "[core]\r\nexcludesfile = /a\r\n", Some("/a")),
            ("an empty value", "[core]\nexcludesfile =\n", Some("")),
            ("another section", "[user]\nexcludesfile = /a\n", None),
            ("a subsection", "[core \"x\"]\nexcludesfile = /a\n", None),
            ("a key without a value", "[core]\nbare\nexcludesfile = /a\n", Some("/a")),
            ("an empty file", "", None),
            ("an unclosed section", "[core", None),
        ] {
            assert_eq!(last_value(text, "core", "excludesfile").as_deref(), expected, "{reason}: {text:?}");
        }
    }
}
