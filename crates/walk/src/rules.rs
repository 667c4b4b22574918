//! Which entries ignore files hide.
//!
//! [`gitignore`] reads and matches one file; this module combines the files of a tree. Precedence is ripgrep's: the
//! nearest `.ignore` with a matching rule, then the nearest `.gitignore`, then the nearest `.git/info/exclude`, then the
//! global excludes file. Within one file the last matching line wins.
//!
//! The `ignore` crate's matcher is not used: it differs from git's and took a third of the time of a scan. `globset` is
//! not used either: it compiles a whole file to one automaton, with a different meaning of `**` and of `[`, while most
//! names here are ruled out without any matching.

mod excludes;
mod gitignore;
mod sources;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::paths::{read_regular_file, to_bytes};

use self::excludes::excludes_file;
#[cfg(fuzzing)]
pub(crate) use self::gitignore::fuzzing;
use self::gitignore::{Globs, Subject, mask_of};
pub(crate) use self::sources::{RuleFileState, Sources};

/// What the rules decide about an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// No rule matches it.
    None,
    /// A rule hides it.
    Ignored,
    /// A negated rule shows it, even when its name begins with a dot.
    Shown,
}

/// The rules in force in one directory. Cloning is cheap; a directory without ignore files shares its parent's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    nearest: Option<Arc<Layer>>,
    global: Option<Arc<Matcher>>,
}

/// The ignore files of one directory.
#[derive(Debug)]
struct Layer {
    parent: Option<Arc<Layer>>,
    dot_ignore: Option<Matcher>,
    gitignore: Option<Matcher>,
    exclude: Option<Matcher>,
}

/// The patterns of one file, and the length of the directory prefix that is removed from absolute paths before matching.
#[derive(Debug)]
struct Matcher {
    globs: Globs,
    skip: usize,
}

/// Which rule files a directory contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RuleFiles {
    pub(crate) dot_ignore: bool,
    pub(crate) gitignore: bool,
    pub(crate) git: bool,
}

impl RuleFiles {
    /// Records `name` if it is the name of a rule file.
    pub(crate) fn note(&mut self, name: &[u8]) {
        match name {
            b".ignore" => self.dot_ignore = true,
            b".gitignore" => self.gitignore = true,
            b".git" => self.git = true,
            _ => {}
        }
    }

    pub(crate) fn any(self) -> bool {
        self.dot_ignore || self.gitignore || self.git
    }
}

impl Rules {
    /// Returns the rules that apply to a root from outside it: `.ignore` of every ancestor, `.gitignore` and
    /// `info/exclude` of the ancestors up to the top of the repository that contains the root, and the global excludes
    /// file.
    ///
    /// Adds the files outside the root that the rules depend on to `sources`, also those that do not exist.
    pub(crate) fn above(root: &Path, sources: &mut Sources) -> Self {
        let root_is_top = sources.record_existence(&root.join(".git"), false);
        let ancestors: Vec<&Path> = root.ancestors().skip(1).collect();
        // The number of ancestors, nearest first, inside the root's repository.
        let in_repository = if root_is_top {
            0
        } else {
            ancestors
                .iter()
                .position(|ancestor| sources.record_existence(&ancestor.join(".git"), false))
                .map_or(0, |top| top + 1)
        };
        let mut rules = Self::default();
        for (distance, ancestor) in ancestors.iter().enumerate().rev() {
            let git = distance < in_repository;
            let files = RuleFiles { dot_ignore: true, gitignore: git, git };
            rules = rules.enter(ancestor, files, sources);
        }
        let top = in_repository.checked_sub(1).map_or(root, |top| ancestors[top]);
        if let Some(path) = excludes_above(top, sources) {
            rules.global = Matcher::read(&path, top, sources).map(Arc::new);
            sources.add_file(&path);
        }
        rules
    }

    /// Returns the path of the user's own excludes file for `root`. Does not read it.
    pub(crate) fn excludes(root: &Path) -> Option<PathBuf> {
        let top = root.ancestors().find(|ancestor| ancestor.join(".git").symlink_metadata().is_ok());
        excludes_above(top.unwrap_or(root), &mut Sources::default())
    }

    /// Returns the rules inside `directory`, which contains `files`.
    pub(crate) fn enter(&self, directory: &Path, files: RuleFiles, sources: &mut Sources) -> Self {
        if !files.any() {
            return self.clone();
        }
        let mut read = |present: bool, name: &str| {
            if present { Matcher::read(&directory.join(name), directory, sources) } else { None }
        };
        let dot_ignore = read(files.dot_ignore, ".ignore");
        let gitignore = read(files.gitignore, ".gitignore");
        let exclude = if files.git {
            exclude_file(directory, sources).and_then(|path| {
                sources.add_file(&path);
                Matcher::read(&path, directory, sources)
            })
        } else {
            None
        };
        if dot_ignore.is_none() && gitignore.is_none() && exclude.is_none() {
            return self.clone();
        }
        let layer = Layer { parent: self.nearest.clone(), dot_ignore, gitignore, exclude };
        Self { nearest: Some(Arc::new(layer)), global: self.global.clone() }
    }

    /// Memory held by the rules of the nearest files, in bytes.
    pub(crate) fn nearest_bytes(&self) -> usize {
        let globs = |matcher: &Option<Matcher>| matcher.as_ref().map_or(0, |matcher| matcher.globs.bytes());
        let layer = |layer: &Arc<Layer>| globs(&layer.dot_ignore) + globs(&layer.gitignore) + globs(&layer.exclude);
        self.nearest.as_ref().map_or(0, layer)
    }

    /// Whether there are no rules.
    pub(crate) fn is_empty(&self) -> bool {
        self.nearest.is_none() && self.global.is_none()
    }

    /// Decides about the entry at the absolute path `path`. Its last component begins at `name_start`.
    pub(crate) fn verdict(&self, path: &[u8], name_start: usize, is_dir: bool) -> Verdict {
        let subject = Subject { path, name_start, name_mask: mask_of(&path[name_start..]), is_dir };
        let choices: [fn(&Layer) -> Option<&Matcher>; 3] =
            [|layer| layer.dot_ignore.as_ref(), |layer| layer.gitignore.as_ref(), |layer| layer.exclude.as_ref()];
        for choose in choices {
            let mut layer = self.nearest.as_deref();
            while let Some(current) = layer {
                match choose(current).map_or(Verdict::None, |matcher| matcher.verdict(subject)) {
                    Verdict::None => layer = current.parent.as_deref(),
                    verdict => return verdict,
                }
            }
        }
        self.global.as_ref().map_or(Verdict::None, |global| global.verdict(subject))
    }
}

impl Matcher {
    /// Reads the patterns in the file at `path`, which are relative to `directory`. Returns `None` when the file is not a
    /// readable regular file or has no rules.
    fn read(path: &Path, directory: &Path, sources: &mut Sources) -> Option<Self> {
        sources.record_contents(path, false);
        let metadata = path.symlink_metadata().ok()?;
        if metadata.is_symlink() {
            // git ignores a `.gitignore` that is a symbolic link.
            if path.file_name().is_some_and(|name| name == ".gitignore") {
                return None;
            }
            // An edit of the target changes the rules, but reports a path that is not named like an ignore file.
            sources.add_file(path);
            sources.record_contents(path, true);
            path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        } else if !metadata.is_file() {
            return None;
        }
        let contents = match read_regular_file(path) {
            Ok(contents) => contents,
            Err(error) => {
                if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
                    sources.mark_unreadable();
                }
                return None;
            }
        };
        let globs = Globs::parse(&contents);
        if globs.is_empty() {
            return None;
        }
        let directory = to_bytes(directory);
        let skip = directory.len() + usize::from(!directory.ends_with(b"/"));
        Some(Self { globs, skip })
    }

    fn verdict(&self, subject: Subject<'_>) -> Verdict {
        let Some(relative) = subject.path.get(self.skip..) else { return Verdict::None };
        let name_start = subject.name_start.saturating_sub(self.skip);
        match self.globs.hides(Subject { path: relative, name_start, ..subject }) {
            None => Verdict::None,
            Some(true) => Verdict::Ignored,
            Some(false) => Verdict::Shown,
        }
    }
}

fn excludes_above(top: &Path, sources: &mut Sources) -> Option<PathBuf> {
    excludes_file(common_directory(top, sources).as_deref(), top)
}

/// Returns the path of the private excludes file of the repository at `directory`.
fn exclude_file(directory: &Path, sources: &mut Sources) -> Option<PathBuf> {
    Some(common_directory(directory, sources)?.join("info/exclude"))
}

/// Returns the directory that all worktrees of a repository share: `.git`, or, in a linked worktree, the target of the
/// `.git` file (gitrepository-layout(5)). Returns `None` when `directory` is not a repository.
fn common_directory(directory: &Path, sources: &mut Sources) -> Option<PathBuf> {
    let git = directory.join(".git");
    // Whether `.git` is a directory or a file decides which files are read next.
    sources.record_existence(&git, true);
    if git.metadata().ok()?.is_dir() {
        return Some(git);
    }
    sources.record_contents(&git, true);
    let link = read_text(&git)?;
    let git_directory = directory.join(link.strip_prefix("gitdir:")?.trim());
    let common_file = git_directory.join("commondir");
    sources.record_contents(&common_file, true);
    match read_text(&common_file) {
        Some(common) => Some(git_directory.join(common.trim())),
        None => Some(git_directory),
    }
}

fn read_text(path: &Path) -> Option<String> {
    String::from_utf8(read_regular_file(path).ok()?).ok()
}
