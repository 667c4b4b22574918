//! Globs, compiled for a fast test of many sorted paths: one, or a list in which some exclude. `glob` and `grep` share them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use cairn_walk::{Subtree, composed};
use regex::Regex;

use crate::error::SearchError;

mod characters;
mod dialects;
mod hint;
mod letter_case;
mod list;
mod select;
mod syntax;

use dialects::refusal;
pub(crate) use hint::{hint, regex_hint};
pub(crate) use letter_case::case_hint;
pub(crate) use list::{GlobList, excluded};
use syntax::regex_of;

/// A compiled glob.
///
/// `*` and `?` stop at `/`; `**` as a whole component does not, and next to other characters it is a `*`. `[…]`, `{a,b}` and
/// `\` work as in gitignore(5). Matching is case-sensitive, and `*` matches names that begin with a dot. Pattern and paths are compared in
/// the composed form: a letter with its marks is one character, however it is typed or stored.
#[derive(Debug)]
pub(crate) struct GlobPattern {
    /// Every match begins with this; empty, or ends with `/`.
    prefix: Vec<u8>,
    test: Test,
    /// The maximal number of components of a match; `None` if there is no limit.
    max_depth: Option<usize>,
    /// The pattern ended with `/`.
    only_directories: bool,
}

/// The test of the part of a path after the prefix.
#[derive(Debug)]
enum Test {
    /// Everything matches.
    Anything,
    /// The rest equals this.
    Literal(Vec<u8>),
    /// The last component equals this.
    Name(Vec<u8>),
    /// The rest ends with one of these, and contains a `/` only with `any_depth`.
    Suffixes { suffixes: Vec<Vec<u8>>, any_depth: bool },
    /// The whole path matches this.
    Regex(Box<Regex>),
}

/// The meaning of a pattern without a slash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchoring {
    /// It matches at any depth.
    Recursive,
    /// It matches only the root's own entries.
    Rooted,
}

impl GlobPattern {
    /// Compiles `pattern` for paths below a root, which may have several names. An empty pattern is `*`.
    pub(crate) fn compile<'a>(
        pattern: &str,
        roots: impl IntoIterator<Item = &'a PathBuf>,
        anchoring: Anchoring,
    ) -> Result<Self, SearchError> {
        let invalid =
            |reason: &str| SearchError::InvalidGlob { pattern: pattern.to_owned(), reason: reason.to_owned() };
        if let Some(reason) = refusal(pattern) {
            return Err(invalid(&reason));
        }
        let pattern = &*composed_text(pattern);
        let normalized = if cfg!(windows) { pattern.replace('\\', "/") } else { with_plain_slashes(pattern) };
        let mut roots = roots.into_iter();
        let mut given = roots.find_map(|root| below_root(&normalized, root)).ok_or_else(|| {
            invalid("it is an absolute path outside the root; make it relative to the root, or search another root")
        })?;
        // `./a` and an absolute path name one place.
        let anchored = normalized.starts_with('/') || given.starts_with("./");
        while let Some(rest) = given.strip_prefix("./") {
            given = rest.trim_start_matches('/');
        }
        let only_directories = given.len() > 1 && given.ends_with('/');
        let given = given.trim_end_matches('/');
        if given.split('/').any(|component| component == "..") {
            return Err(invalid("it leaves the root through `..`; search the parent directory instead"));
        }
        if given == "." {
            return Err(invalid("it is the root itself; use * for the entries of the root"));
        }
        let given = if given.is_empty() { "*" } else { given };
        let any_depth = anchoring == Anchoring::Recursive && !anchored && !given.contains('/') && given != "**";
        let glob = format!("{}{given}", if any_depth { "**/" } else { "" });
        let (prefix, name) = split_literal_directories(&glob);
        // Compiling an expression takes longer than a result from the cache.
        let test = match simple_test(name) {
            Some(test) => test,
            None => Test::Regex(Box::new(regex_of(&glob).map_err(|reason| invalid(&reason))?)),
        };
        Ok(Self {
            prefix: prefix.as_bytes().to_vec(),
            test,
            max_depth: if any_depth { None } else { max_depth(given) },
            only_directories,
        })
    }

    /// Whether `path` matches, for any kind of entry.
    pub(crate) fn matches(&self, path: &[u8]) -> bool {
        self.matches_composed(&composed(path))
    }

    /// Whether a path in the composed form matches.
    pub(crate) fn matches_composed(&self, path: &[u8]) -> bool {
        // Most patterns have no prefix. The comparison with an empty one would take half of the time of a test.
        let rest = if self.prefix.is_empty() { Some(path) } else { path.strip_prefix(self.prefix.as_slice()) };
        let Some(rest) = rest else { return false };
        match &self.test {
            Test::Anything => !rest.is_empty(),
            Test::Literal(literal) => rest == literal,
            Test::Name(name) => {
                let directory = rest.strip_suffix(name.as_slice());
                directory.is_some_and(|directory| directory.is_empty() || directory.ends_with(b"/"))
            }
            Test::Suffixes { suffixes, any_depth } => {
                suffixes.iter().any(|suffix| ends_with(rest, suffix))
                    && (*any_depth || memchr::memchr(b'/', rest).is_none())
                    && !rest.is_empty()
            }
            // A name that is not valid UTF-8 is matched in the form that is returned.
            Test::Regex(regex) => regex.is_match(&String::from_utf8_lossy(path)),
        }
    }

    /// Whether only directories match.
    pub(crate) fn only_directories(&self) -> bool {
        self.only_directories
    }

    /// The beginning of every path that matches.
    pub(crate) fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// The one path that can match, if there is only one.
    pub(crate) fn only_path(&self) -> Option<Vec<u8>> {
        match &self.test {
            Test::Literal(literal) => Some([self.prefix.as_slice(), literal].concat()),
            _ => None,
        }
    }

    /// The depth of the shallowest entries that can match.
    pub(crate) fn min_depth(&self) -> usize {
        // Without `**`, all matches are equally deep.
        self.max_depth.unwrap_or_else(|| memchr::memchr_iter(b'/', &self.prefix).count() + 1)
    }

    /// The part of the tree that can match.
    pub(crate) fn scope(&self) -> Subtree {
        let prefix = self.prefix.split(|&byte| byte == b'/').filter(|name| !name.is_empty()).map(<[u8]>::to_vec);
        Subtree { prefix: prefix.collect(), max_depth: self.max_depth }
    }
}

/// The composed form of a string: see [`composed`].
fn composed_text(text: &str) -> Cow<'_, str> {
    match composed(text.as_bytes()) {
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        Cow::Borrowed(_) => Cow::Borrowed(text),
    }
}

/// Whether a glob mentions `node_modules`.
pub(crate) fn mentions_node_modules(pattern: &str) -> bool {
    pattern.contains("node_modules")
}

/// The pattern relative to the root; `None` if it is an absolute path outside the root.
fn below_root<'a>(pattern: &'a str, root: &Path) -> Option<&'a str> {
    if !pattern.starts_with('/') {
        return Some(pattern);
    }
    let root = composed_text(root.to_str()?);
    let root = root.trim_end_matches('/');
    let rest = pattern.strip_prefix(root)?;
    let relative = rest.trim_start_matches('/');
    (rest.is_empty() || rest.len() > relative.len()).then_some(relative)
}

/// The pattern without escapes before slashes: an escaped slash is a separator too.
fn with_plain_slashes(pattern: &str) -> String {
    let mut plain = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        let escaped = if character == '\\' { characters.next() } else { None };
        if escaped != Some('/') {
            plain.push(character);
        }
        plain.extend(escaped);
    }
    plain
}

/// `text.ends_with(end)` for an end of a few bytes, for which a loop is twice as fast as a call that compares memory.
fn ends_with(text: &[u8], end: &[u8]) -> bool {
    text.len() >= end.len() && text.iter().rev().zip(end.iter().rev()).all(|(left, right)| left == right)
}

fn is_literal(text: &str) -> bool {
    !text.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

/// Splits off the leading directories without wildcards.
fn split_literal_directories(glob: &str) -> (&str, &str) {
    let mut end = 0;
    for (slash, _) in glob.match_indices('/') {
        if slash == end || !is_literal(&glob[end..slash]) {
            break;
        }
        end = slash + 1;
    }
    glob.split_at(end)
}

/// The test for the most common forms, which need no regular expression.
fn simple_test(rest: &str) -> Option<Test> {
    let (any_depth, name) = match rest.strip_prefix("**/") {
        Some(name) => (true, name),
        None => (false, rest),
    };
    if rest == "**" || (any_depth && name == "**") {
        return Some(Test::Anything);
    }
    if !any_depth && !name.is_empty() && is_literal(name) && !name.contains('/') {
        return Some(Test::Literal(name.as_bytes().to_vec()));
    }
    if any_depth && !name.is_empty() && is_literal(name) && !name.contains('/') {
        return Some(Test::Name(name.as_bytes().to_vec()));
    }
    let suffix = name.strip_prefix('*')?;
    if suffix.contains('/') {
        return None;
    }
    let suffixes = if is_literal(suffix) {
        vec![suffix.as_bytes().to_vec()]
    } else {
        let (before, braced) = suffix.split_once('{')?;
        let alternatives = braced.strip_suffix('}')?;
        if !is_literal(before) || !is_literal(alternatives) {
            return None;
        }
        alternatives.split(',').map(|alternative| [before, alternative].concat().into_bytes()).collect()
    };
    Some(Test::Suffixes { suffixes, any_depth })
}

/// The maximal number of components of a match.
fn max_depth(glob: &str) -> Option<usize> {
    let slash_in_group = glob.contains(['{', '[', '\\']) && {
        let first = glob.find(['{', '[', '\\']).unwrap_or(0);
        glob[first..].contains('/')
    };
    if glob.contains("**") || slash_in_group { None } else { Some(glob.split('/').count()) }
}

#[cfg(test)]
mod tests;
