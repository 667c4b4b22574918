//! What git's configuration says about ignore rules: `core.excludesFile`, the user's excludes for all repositories, and
//! `core.ignoreCase`.
//!
//! Reads git's configuration files in git's order, from the system's to the repository's; the last value wins
//! (git-config(1), "FILES", "SYNTAX" and "INCLUDES"). `[include]` and `[includeIf]` with `gitdir:` or `gitdir/i:` are
//! followed. The conditions `onbranch:` and `hasconfig:`, `config.worktree`, and `-c` on git's command line, which sets
//! environment variables, are not.

use std::borrow::Cow;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use gix_glob::wildmatch;

use crate::paths::{from_bytes, read_regular_file, to_bytes};

use super::gitignore::glob_for_wildmatch;
use super::sources::Sources;

/// git rejects configuration files that are nested deeper.
const MAX_INCLUDES: usize = 10;

/// The environment variables that decide which configuration files git reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Environment {
    home: Option<PathBuf>,
    xdg: Option<PathBuf>,
    system: Option<PathBuf>,
    global: Option<PathBuf>,
}

/// A repository: the directories with its files. A linked worktree shares the second with the other worktrees.
#[derive(Clone, Debug)]
pub(crate) struct Repository {
    pub(crate) git_directory: PathBuf,
    pub(crate) common_directory: PathBuf,
}

/// What the configuration says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GitConfig {
    /// The path of the excludes file. It need not exist.
    pub(crate) excludes: Option<PathBuf>,
    /// Whether git compares names without regard to the case of ASCII letters.
    pub(crate) ignore_case: bool,
}

impl Environment {
    pub(crate) fn now() -> Self {
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let home = set("HOME").map(PathBuf::from);
        let xdg = set("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| Some(home.as_ref()?.join(".config")));
        let with_system = set("GIT_CONFIG_NOSYSTEM").is_none_or(|value| !is_true(&value.to_string_lossy()));
        let system = || set("GIT_CONFIG_SYSTEM").unwrap_or_else(|| OsString::from("/etc/gitconfig")).into();
        // For git, an empty value names no file.
        let global = env::var_os("GIT_CONFIG_GLOBAL").map(PathBuf::from);
        Self { system: with_system.then(system), home, xdg, global }
    }

    /// The configuration files outside repositories, in git's order.
    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.system.iter().cloned().collect();
        if let Some(global) = &self.global {
            files.extend((!global.as_os_str().is_empty()).then(|| global.clone()));
        } else {
            files.extend(self.xdg.as_ref().map(|xdg| xdg.join("git/config")));
            files.extend(self.home.as_ref().map(|home| home.join(".gitconfig")));
        }
        files
    }

    fn expand_home<'p>(&self, path: &'p str) -> Cow<'p, Path> {
        match (path.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => Cow::Owned(home.join(rest)),
            _ => Cow::Borrowed(Path::new(path)),
        }
    }
}

impl GitConfig {
    /// Reads the configuration of `repository`, or that outside repositories. `top` is the top of the work tree; a relative
    /// excludes file is relative to it. Adds the files that were read, also the missing ones, to `sources`.
    pub(crate) fn read(
        repository: Option<&Repository>,
        top: &Path,
        environment: &Environment,
        sources: &mut Sources,
    ) -> Self {
        let mut reader = Reader { environment, repository, sources, excludes: None, ignore_case: false };
        for file in environment.files() {
            reader.read_file(&file, 0);
        }
        if let Some(repository) = repository {
            reader.read_file(&repository.common_directory.join("config"), 0);
        }
        let excludes = match reader.excludes {
            // An empty value means no file, not the default file.
            Some(path) if path.is_empty() => None,
            Some(path) => Some(top.join(environment.expand_home(&path))),
            None => environment.xdg.as_ref().map(|xdg| xdg.join("git/ignore")),
        };
        Self { excludes, ignore_case: reader.ignore_case }
    }
}

struct Reader<'a> {
    environment: &'a Environment,
    repository: Option<&'a Repository>,
    sources: &'a mut Sources,
    excludes: Option<String>,
    ignore_case: bool,
}

impl Reader<'_> {
    fn read_file(&mut self, path: &Path, depth: usize) {
        self.sources.record_contents(path, true);
        self.sources.add_file(path);
        let Ok(contents) = read_regular_file(path) else { return };
        for Entry { section, subsection, key, value } in entries(&String::from_utf8_lossy(&contents)) {
            match (section.as_str(), subsection, key.as_str(), value) {
                ("core", None, "excludesfile", Some(value)) => self.excludes = Some(value),
                // A key without a value is true.
                ("core", None, "ignorecase", value) => self.ignore_case = value.is_none_or(|value| is_true(&value)),
                ("include", None, "path", Some(file)) => self.include(path, &file, depth),
                ("includeif", Some(condition), "path", Some(file)) if self.holds(&condition, path) => {
                    self.include(path, &file, depth);
                }
                _ => {}
            }
        }
    }

    /// Reads the file that `file` includes under the name `included`.
    fn include(&mut self, file: &Path, included: &str, depth: usize) {
        if depth == MAX_INCLUDES || included.is_empty() {
            return;
        }
        let included = self.environment.expand_home(included);
        let path = file.parent().map_or_else(|| included.to_path_buf(), |directory| directory.join(&included));
        self.read_file(&path, depth + 1);
    }

    /// Whether the condition of an `[includeIf]` in `file` holds.
    fn holds(&self, condition: &str, file: &Path) -> bool {
        let Some(Repository { git_directory, .. }) = self.repository else { return false };
        let (pattern, ignore_case) = match (condition.strip_prefix("gitdir:"), condition.strip_prefix("gitdir/i:")) {
            (Some(pattern), _) => (pattern, false),
            (None, Some(pattern)) => (pattern, true),
            (None, None) => return false,
        };
        let mut glob = to_bytes(&self.environment.expand_home(pattern)).into_owned();
        // The directory of the file is taken literally.
        let mut literal = Vec::new();
        if let (Some(below), Some(directory)) = (pattern.strip_prefix("./"), file.parent()) {
            let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
            literal = [&to_bytes(&directory)[..], b"/"].concat();
            glob = below.as_bytes().to_vec();
        } else if !from_bytes(&glob).is_absolute() {
            glob.splice(0..0, *b"**/");
        }
        if glob.ends_with(b"/") {
            glob.extend_from_slice(b"**");
        }
        let Some(glob) = glob_for_wildmatch(&glob, ignore_case) else { return false };
        let mut mode = wildmatch::Mode::NO_MATCH_SLASH_LITERAL;
        mode.set(wildmatch::Mode::IGNORE_CASE, ignore_case);
        let canonical = git_directory.canonicalize().unwrap_or_else(|_| git_directory.clone());
        [canonical.as_path(), git_directory].into_iter().any(|directory| {
            let directory = to_bytes(directory);
            let (start, rest) = directory.split_at(literal.len().min(directory.len()));
            let is_below = if ignore_case { start.eq_ignore_ascii_case(&literal) } else { start == literal };
            is_below && gix_glob::wildmatch(glob.as_slice().into(), rest.into(), mode)
        })
    }
}

/// Whether git reads a value as true.
fn is_true(value: &str) -> bool {
    let word = value.to_ascii_lowercase();
    let digits = word.trim_start_matches(['+', '-']).trim_end_matches(['k', 'm', 'g']);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    matches!(word.as_str(), "true" | "yes" | "on") || (is_number && digits.bytes().any(|byte| byte != b'0'))
}

/// One value in a configuration file; section and key are in lower case.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    section: String,
    subsection: Option<String>,
    key: String,
    /// `None` for a key without a value.
    value: Option<String>,
}

/// Returns the values in a configuration file, up to a line that git does not accept.
fn entries(text: &str) -> Vec<Entry> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let mut rest = text.as_str();
    let mut entries = Vec::new();
    let mut current: Option<(String, Option<String>)> = None;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { return entries };
        if first == '#' || first == ';' {
            rest = after_line(rest);
        } else if first == '[' {
            let Some((name, after)) = header(&rest[1..]) else { return entries };
            current = Some(name);
            rest = after;
        } else {
            let end = rest.find(|character: char| !(character.is_ascii_alphanumeric() || character == '-'));
            let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
            let after = after.trim_start_matches([' ', '\t']);
            let (value, after) = match after.strip_prefix('=') {
                Some(text) => match value(text) {
                    (Some(value), after) => (Some(value), after),
                    (None, after) => {
                        rest = after;
                        continue;
                    }
                },
                None => (None, after_line(after)),
            };
            if let (Some((section, subsection)), false) = (&current, name.is_empty()) {
                let (section, subsection) = (section.clone(), subsection.clone());
                entries.push(Entry { section, subsection, key: name.to_ascii_lowercase(), value });
            }
            rest = after;
        }
    }
}

fn after_line(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, rest)| rest)
}

/// Reads the header of a section after its `[`: its name, its subsection, and the text after it.
fn header(text: &str) -> Option<((String, Option<String>), &str)> {
    let end = text.find(|character: char| !(character.is_ascii_alphanumeric() || "-.".contains(character)))?;
    let (name, rest) = text.split_at(end);
    let name = name.to_ascii_lowercase();
    if let Some(rest) = rest.strip_prefix(']') {
        return Some(match name.split_once('.') {
            Some((section, subsection)) => ((section.to_owned(), Some(subsection.to_owned())), rest),
            None => ((name, None), rest),
        });
    }
    let quoted = rest.trim_start_matches([' ', '\t']).strip_prefix('"')?;
    let mut subsection = String::new();
    let mut characters = quoted.chars();
    loop {
        match characters.next()? {
            '"' => return Some(((name, Some(subsection)), characters.as_str().strip_prefix(']')?)),
            '\n' => return None,
            '\\' => subsection.push(characters.next()?),
            other => subsection.push(other),
        }
    }
}

/// Reads a value up to the end of its line. Returns the value and the text after it. Quotes preserve spaces and comment
/// marks; a backslash at the end of a line continues the value on the next line.
fn value(text: &str) -> (Option<String>, &str) {
    let mut value = String::new();
    // Spaces outside quotes only belong to the value when more text follows.
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
                // git rejects such a file; this parser skips the value.
                _ => return (None, after_line(characters.as_str())),
            },
            Some('#' | ';') if !quoted => {
                let after = after_line(characters.as_str());
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

    fn last_value(text: &str, section: &str, key: &str) -> Option<String> {
        let is_wanted = |entry: &Entry| entry.section == section && entry.subsection.is_none() && entry.key == key;
        entries(text).into_iter().filter(is_wanted).filter_map(|entry| entry.value).next_back()
    }

    #[test]
    fn the_last_value_wins_as_in_git() {
        for (reason, text, expected) in [
            ("plain", "[core]\n\texcludesfile = /a/b\n", Some("/a/b")),
            ("case does not matter", "[CORE]\nExcludesFile=/a", Some("/a")),
            ("on the line of its section", "[core] excludesfile = /a", Some("/a")),
            ("the last of two", "[core]\nexcludesfile = /a\nexcludesfile = /b\n", Some("/b")),
            ("in a repeated section", "[core]\nexcludesfile=/a\n[user]\nname=x\n[core]\nexcludesfile=/b", Some("/b")),
            ("spaces inside", "[core]\nexcludesfile = /a b/c\n", Some("/a b/c")),
            ("trailing whitespace", "[core]\nexcludesfile = /a  \n", Some("/a")),
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
            ("after a subsection with a bracket", "[a \"]\"]\nb = c\n[core]\nexcludesfile = /a", Some("/a")),
            ("a value that git rejects", "[core]\nexcludesfile = /a\nexcludesfile = \\x\n", Some("/a")),
        ] {
            assert_eq!(last_value(text, "core", "excludesfile").as_deref(), expected, "{reason}: {text:?}");
        }
    }
    #[test]
    fn headers_have_subsections() {
        for (text, section, subsection) in [
            ("[includeIf \"gitdir:~/w/\"]\npath=x", "includeif", Some("gitdir:~/w/")),
            ("[a \"b\\\"]c\"]\npath=x", "a", Some("b\"]c")),
            ("[Branch.Main]\npath=x", "branch", Some("main")),
            ("[include]path=x", "include", None),
        ] {
            let subsection = subsection.map(str::to_owned);
            let entry =
                Entry { section: section.to_owned(), subsection, key: "path".to_owned(), value: Some("x".to_owned()) };
            assert_eq!(entries(text), [entry], "{text}");
        }
    }

    #[test]
    fn truth_is_read_as_in_git() {
        for (value, expected) in [
            ("true", true),
            ("YES", true),
            ("on", true),
            ("1", true),
            ("-1", true),
            ("2k", true),
            ("0", false),
            ("00", false),
            ("", false),
            ("no", false),
            ("off", false),
            ("false", false),
        ] {
            assert_eq!(is_true(value), expected, "{value:?}");
        }
    }
}
