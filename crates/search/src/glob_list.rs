//! The globs of grep's option.

use std::path::PathBuf;

use cairn_walk::{Kind, Snapshot, Subtree};

use crate::error::SearchError;
use crate::glob_case::case_hint;
use crate::glob_forms::{closed, hint, split};
use crate::pattern::{Anchoring, GlobPattern};

const ONLY_DIRECTORIES: &str = "the glob matches only directories: use dir/** for the files below";

/// The globs that select files: those of one option, which a comma can separate, and which a `!` makes exclude.
#[derive(Debug)]
pub(crate) struct GlobList {
    /// As given.
    globs: Vec<String>,
    /// Empty: every file.
    included: Vec<GlobPattern>,
    excluded: Vec<GlobPattern>,
    note: Option<String>,
}

impl GlobList {
    /// Compiles the globs of `option` for paths below a root, which may have several names.
    pub(crate) fn compile(option: &str, roots: [&PathBuf; 2]) -> Result<Self, SearchError> {
        let mut list = Self { globs: Vec::new(), included: Vec::new(), excluded: Vec::new(), note: None };
        for glob in split(option) {
            list.globs.push(glob.to_owned());
            // A wrong exclusion is not noticed otherwise: it selects too much.
            let doubt = || Some(format!("{glob}: {}", hint(glob.strip_prefix('!')?, true)?));
            list.note = list.note.or_else(|| closed(glob)).or_else(doubt);
            let invalid =
                |reason: &str| SearchError::InvalidGlob { pattern: glob.to_owned(), reason: reason.to_owned() };
            match glob.strip_prefix('!').filter(|rest| !rest.starts_with('(')) {
                None => list.included.push(GlobPattern::compile(glob, roots, Anchoring::Recursive)?),
                Some("" | "*" | "**" | "**/*") => return Err(invalid("it excludes every file; exclude fewer")),
                Some(rest) if rest.starts_with('!') => return Err(invalid(r"use one !, or \! for a name")),
                Some(rest) => list.excluded.push(GlobPattern::compile(rest, roots, Anchoring::Recursive)?),
            }
        }
        Ok(list)
    }

    /// The globs, if they are several.
    pub(crate) fn globs(&self) -> &[String] {
        if self.globs.len() > 1 { &self.globs } else { &[] }
    }

    /// The repair of an open brace, or what an exclusion may have meant.
    pub(crate) fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// What the globs may have meant if they select no file of a snapshot.
    pub(crate) fn hint(&self, roots: [&PathBuf; 2], snapshot: &Snapshot) -> Option<String> {
        let is_directory = |entry| snapshot.kind(entry) == Kind::Dir;
        if (0..snapshot.len()).any(|entry| is_directory(entry) && self.includes(snapshot.path(entry))) {
            return Some(ONLY_DIRECTORIES.to_owned());
        }
        let in_other_case =
            |glob: &str| case_hint(glob, roots, Anchoring::Recursive, snapshot, |entry| !is_directory(entry));
        let mut including = self.globs.iter().filter(|glob| !glob.starts_with('!'));
        including.find_map(|glob| hint(glob, true).or_else(|| in_other_case(glob)))
    }

    /// Whether a glob that selects files matches `path`.
    fn includes(&self, path: &[u8]) -> bool {
        self.included.iter().any(|glob| glob.matches(path))
    }

    /// Whether the file at `path` is selected. A glob that excludes a directory excludes what is below it.
    pub(crate) fn selects(&self, path: &[u8]) -> bool {
        let is_file_of = |glob: &GlobPattern| !glob.only_directories() && glob.matches(path);
        (self.included.is_empty() || self.included.iter().any(is_file_of))
            && !self.excluded.iter().any(|glob| {
                is_file_of(glob) || memchr::memchr_iter(b'/', path).any(|slash| glob.matches(&path[..slash]))
            })
    }

    /// The beginning of every path that is selected.
    pub(crate) fn prefix(&self) -> &[u8] {
        if let [only] = self.included.as_slice() { only.prefix() } else { b"" }
    }

    /// The part of the tree that can be selected.
    pub(crate) fn scope(&self) -> Subtree {
        if let [only] = self.included.as_slice() { only.scope() } else { Subtree::default() }
    }
}
