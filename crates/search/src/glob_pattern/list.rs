//! Several globs; some exclude.

use std::path::PathBuf;

use cairn_walk::{Kind, Snapshot, Subtree};

use crate::error::SearchError;

use super::characters::{has_wildcard, separated};
use super::hint::hint;
use super::letter_case::case_hint;
use super::{Anchoring, GlobPattern};

const ONLY_DIRECTORIES: &str = "the glob matches only directories: use dir/** for the files below";

/// Globs that select entries, and globs with a `!` that exclude them. Of those that match a path, the last one decides, as in
/// ripgrep.
#[derive(Debug)]
pub(crate) struct GlobList {
    /// As given.
    globs: Vec<String>,
    rules: Vec<Rule>,
    note: Option<String>,
}

#[derive(Debug)]
struct Rule {
    /// As given.
    glob: String,
    pattern: GlobPattern,
    excludes: bool,
}

impl Rule {
    fn applies(&self, path: &[u8], is_directory: impl Fn() -> bool) -> bool {
        self.pattern.matches(path) && (!self.pattern.only_directories() || is_directory())
    }
}

impl GlobList {
    /// Compiles the globs of grep's option for paths below a root, which may have several names. A comma separates globs in
    /// one of them if every part has a wildcard; of these, the ones that exclude decide.
    pub(crate) fn of_options(options: &[String], roots: [&PathBuf; 2]) -> Result<Self, SearchError> {
        let excludes = |glob: &&str| excluded(glob).is_some();
        let parts = options.iter().map(|option| split(option));
        let globs = parts.clone().flatten();
        let rules = parts.flat_map(|parts| {
            let (last, first): (Vec<_>, Vec<_>) = parts.into_iter().partition(excludes);
            first.into_iter().chain(last)
        });
        let list = Self::compile(rules, roots, Anchoring::Recursive)?;
        Ok(Self { globs: globs.map(ToOwned::to_owned).collect(), ..list })
    }

    /// Compiles globs for paths below a root, which may have several names.
    pub(crate) fn compile<'a>(
        globs: impl Iterator<Item = &'a str>,
        roots: [&PathBuf; 2],
        anchoring: Anchoring,
    ) -> Result<Self, SearchError> {
        let mut list = Self { globs: Vec::new(), rules: Vec::new(), note: None };
        let mut excludes_all = None;
        for glob in globs {
            list.globs.push(glob.to_owned());
            // A wrong exclusion is not noticed otherwise: it selects too much.
            let doubt = || Some(format!("{glob}: {}", hint(excluded(glob)?)?));
            list.note = list.note.or_else(doubt);
            let invalid =
                |reason: &str| SearchError::InvalidGlob { pattern: glob.to_owned(), reason: reason.to_owned() };
            let rest = excluded(glob);
            match rest {
                None => excludes_all = None,
                Some("" | "*" | "**" | "**/*") => {
                    excludes_all = Some(invalid("it excludes every file; exclude fewer, or select files after it"));
                }
                Some(rest) if rest.starts_with('!') => return Err(invalid(r"use one !, or \! for a name")),
                Some(_) => {}
            }
            let pattern = GlobPattern::compile(rest.unwrap_or(glob), roots, anchoring)?;
            list.rules.push(Rule { glob: glob.to_owned(), pattern, excludes: rest.is_some() });
        }
        excludes_all.map_or(Ok(list), Err)
    }

    /// The globs, if they are several.
    pub(crate) fn several(&self) -> &[String] {
        if self.globs.len() > 1 { &self.globs } else { &[] }
    }

    /// What an exclusion may have meant.
    pub(crate) fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// What the globs may have meant if they select no file of a snapshot.
    pub(crate) fn hint(&self, roots: [&PathBuf; 2], snapshot: &Snapshot) -> Option<String> {
        let is_directory = |entry| snapshot.kind(entry) == Kind::Dir;
        if let Some(exclusion) = self.exclusion_hint(snapshot, |entry| !is_directory(entry)) {
            return Some(exclusion);
        }
        let includes = |path| self.including().any(|pattern| pattern.matches(path));
        if (0..snapshot.len()).any(|entry| is_directory(entry) && includes(snapshot.path(entry))) {
            return Some(ONLY_DIRECTORIES.to_owned());
        }
        let in_other_case =
            |glob: &str| case_hint(glob, roots, Anchoring::Recursive, snapshot, |entry| !is_directory(entry));
        let mut including = self.globs.iter().filter(|glob| excluded(glob).is_none());
        including.find_map(|glob| hint(glob).or_else(|| in_other_case(glob)))
    }

    /// The globs that select.
    fn including(&self) -> impl Iterator<Item = &GlobPattern> {
        self.rules.iter().filter(|rule| !rule.excludes).map(|rule| &rule.pattern)
    }

    /// The only glob that selects.
    fn only(&self) -> Option<&GlobPattern> {
        let mut including = self.including();
        including.next().filter(|_| including.next().is_none())
    }

    /// What the globs exclude, if of the entries that `fits` they exclude all that others of them match.
    pub(crate) fn exclusion_hint(&self, snapshot: &Snapshot, fits: impl Fn(usize) -> bool) -> Option<String> {
        let mut hint = None;
        for entry in (0..snapshot.len()).filter(|&entry| fits(entry)) {
            let (path, is_directory) = (snapshot.path(entry), || snapshot.kind(entry) == Kind::Dir);
            match self.excluding(path, is_directory) {
                Some(rule) if hint.is_none() && self.includes(path, is_directory) => {
                    let path = String::from_utf8_lossy(path);
                    hint = Some(format!("the globs exclude every match: {} excludes {path:?}", rule.glob));
                }
                None if self.includes(path, is_directory) => return None,
                _ => {}
            }
        }
        hint
    }

    /// Whether the entry at `path` is selected. A glob that excludes a directory excludes everything below it.
    pub(crate) fn selects(&self, path: &[u8], is_directory: impl Fn() -> bool) -> bool {
        match self.deciding(path, &is_directory) {
            Some(rule) if rule.excludes => false,
            None if self.including().next().is_some() => false,
            _ => self.excluding_above(path).is_none(),
        }
    }

    /// Whether a glob that selects matches, or there is only what excludes.
    fn includes(&self, path: &[u8], is_directory: impl Fn() -> bool) -> bool {
        let mut including = self.rules.iter().filter(|rule| !rule.excludes).peekable();
        including.peek().is_none() || including.any(|rule| rule.applies(path, &is_directory))
    }

    /// The glob that excludes the entry at `path`, or a directory that contains it.
    fn excluding(&self, path: &[u8], is_directory: impl Fn() -> bool) -> Option<&Rule> {
        self.deciding(path, is_directory).filter(|rule| rule.excludes).or_else(|| self.excluding_above(path))
    }

    fn excluding_above(&self, path: &[u8]) -> Option<&Rule> {
        if !self.rules.iter().any(|rule| rule.excludes) {
            return None;
        }
        let directories = memchr::memchr_iter(b'/', path).map(|slash| &path[..slash]);
        directories.filter_map(|directory| self.deciding(directory, || true)).find(|rule| rule.excludes)
    }

    /// The last glob that matches `path`.
    fn deciding(&self, path: &[u8], is_directory: impl Fn() -> bool) -> Option<&Rule> {
        self.rules.iter().rev().find(|rule| rule.applies(path, &is_directory))
    }

    /// The depth of the shallowest entries that can be selected.
    pub(crate) fn min_depth(&self) -> usize {
        self.including().map(GlobPattern::min_depth).min().unwrap_or(1)
    }

    /// The beginning of every path that is selected.
    pub(crate) fn prefix(&self) -> &[u8] {
        self.only().map_or(b"", GlobPattern::prefix)
    }

    /// The part of the tree that can be selected.
    pub(crate) fn scope(&self) -> Subtree {
        self.only().map(GlobPattern::scope).unwrap_or_default()
    }
}

/// The glob after the `!` of a glob that excludes.
pub(crate) fn excluded(glob: &str) -> Option<&str> {
    glob.strip_prefix('!').filter(|rest| !rest.starts_with('('))
}

/// The globs of grep's option. A comma outside of braces separates them if every part has a wildcard or excludes.
fn split(glob: &str) -> Vec<&str> {
    if !glob.contains(',') {
        return vec![glob];
    }
    let parts = separated(glob, ',');
    let is_glob = |part: &&str| has_wildcard(part) || part.starts_with('!');
    if parts.len() > 1 && parts.iter().all(is_glob) { parts } else { vec![glob] }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
