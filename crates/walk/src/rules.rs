//! Which entries ignore files hide.
//!
//! [`gitignore`] reads and matches one file; this module combines the files of a tree. Precedence is ripgrep's: the
//! nearest `.ignore` with a matching rule, then the nearest `.gitignore`, then the nearest `.git/info/exclude`, then the
//! global excludes file. Within one file the last matching line wins. At the top of a repository, the `.gitignore` and
//! `info/exclude` files of what is around it no longer apply, and the configuration of the repository does; `.ignore`
//! files go on.
//!
//! The `ignore` crate's matcher is not used: it differs from git's and took a third of the time of a scan. `globset` is
//! not used either: it compiles a whole file to one automaton, with a different meaning of `**` and of `[`, while most
//! names here are ruled out without any matching.

mod git_config;
mod gitignore;
mod sources;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::paths::{read_regular_file, to_bytes};

pub(crate) use self::git_config::Environment;
use self::git_config::{GitConfig, Repository};
#[cfg(fuzzing)]
pub(crate) use self::gitignore::fuzzing;
use self::gitignore::{Globs, Subject, mask_of};
pub(crate) use self::sources::{RuleFileState, Sources};

/// The rules in force in one directory. Cloning is cheap; a directory without ignore files shares its parent's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    nearest: Option<Arc<Layer>>,
    global: Option<Arc<Matcher>>,
    /// `core.ignoreCase`: for every rule that git knows.
    ignore_case: bool,
}

/// The ignore files of one directory.
#[derive(Debug)]
struct Layer {
    parent: Option<Arc<Layer>>,
    /// The directory is the top of a repository.
    is_top: bool,
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

    /// Asks for each rule file whether it exists.
    pub(crate) fn present(exists: impl Fn(&[u8]) -> bool) -> Self {
        Self { dot_ignore: exists(b".ignore"), gitignore: exists(b".gitignore"), git: exists(b".git") }
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
        if in_repository == 0 && !root_is_top {
            rules.apply_config(None, root, sources);
        }
        for (distance, ancestor) in ancestors.iter().enumerate().rev() {
            let git = distance + 1 == in_repository;
            let files = RuleFiles { dot_ignore: true, gitignore: distance < in_repository, git };
            rules = rules.enter(ancestor, files, sources);
        }
        rules
    }

    /// Applies git's configuration of a repository with the work tree `top`, or that outside repositories.
    fn apply_config(&mut self, repository: Option<&Repository>, top: &Path, sources: &mut Sources) {
        let config = GitConfig::read(repository, top, &Environment::now(), sources);
        self.ignore_case = config.ignore_case;
        self.global = config.excludes.and_then(|path| {
            sources.add_file(&path);
            Matcher::read(&path, top, config.ignore_case, sources).map(Arc::new)
        });
    }

    /// Returns the rules inside `directory`, which contains `files`.
    pub(crate) fn enter(&self, directory: &Path, files: RuleFiles, sources: &mut Sources) -> Self {
        if !files.any() {
            return self.clone();
        }
        let mut rules = self.clone();
        let repository = if files.git { repository_at(directory, sources) } else { None };
        if files.git {
            rules.apply_config(repository.as_ref(), directory, sources);
        }
        let exclude = repository.map(|repository| repository.common_directory.join("info/exclude"));
        if let Some(path) = &exclude {
            sources.add_file(path);
        }
        let mut read = |path: Option<PathBuf>, ignore_case: bool| {
            path.and_then(|path| Matcher::read(&path, directory, ignore_case, sources))
        };
        // git does not know `.ignore`, so its configuration does not apply to it.
        let dot_ignore = read(files.dot_ignore.then(|| directory.join(".ignore")), false);
        let gitignore = read(files.gitignore.then(|| directory.join(".gitignore")), rules.ignore_case);
        let exclude = read(exclude, rules.ignore_case);
        let is_boundary = files.git && rules.nearest.is_some();
        if is_boundary || dot_ignore.is_some() || gitignore.is_some() || exclude.is_some() {
            let layer = Layer { parent: rules.nearest, is_top: files.git, dot_ignore, gitignore, exclude };
            rules.nearest = Some(Arc::new(layer));
        }
        rules
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

    /// Whether a rule hides the entry at the absolute path `path`. Its last component begins at `name_start`.
    pub(crate) fn hide(&self, path: &[u8], name_start: usize, is_dir: bool) -> bool {
        let subject = Subject { path, name_start, name_mask: mask_of(&path[name_start..]), is_dir };
        let decision = self
            .nearest_decision(subject, false, |layer| layer.dot_ignore.as_ref())
            .or_else(|| self.nearest_decision(subject, true, |layer| layer.gitignore.as_ref()))
            .or_else(|| self.nearest_decision(subject, true, |layer| layer.exclude.as_ref()))
            .or_else(|| self.global.as_ref()?.hides(subject));
        decision == Some(true)
    }

    /// The decision of the nearest file of one kind that has one; with `of_repository`, up to the top of the repository.
    fn nearest_decision(
        &self,
        subject: Subject<'_>,
        of_repository: bool,
        choose: impl Fn(&Layer) -> Option<&Matcher>,
    ) -> Option<bool> {
        let mut layer = self.nearest.as_deref();
        while let Some(current) = layer {
            let decision = choose(current).and_then(|matcher| matcher.hides(subject));
            if decision.is_some() {
                return decision;
            }
            layer = if of_repository && current.is_top { None } else { current.parent.as_deref() };
        }
        None
    }
}

impl Matcher {
    /// Reads the patterns in the file at `path`, which are relative to `directory`. Returns `None` when the file is not a
    /// readable regular file or has no rules.
    fn read(path: &Path, directory: &Path, ignore_case: bool, sources: &mut Sources) -> Option<Self> {
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
                    sources.mark_unreadable(path);
                }
                return None;
            }
        };
        let globs = Globs::parse(&contents, ignore_case);
        if globs.is_empty() {
            return None;
        }
        let directory = to_bytes(directory);
        let skip = directory.len() + usize::from(!directory.ends_with(b"/"));
        Some(Self { globs, skip })
    }

    /// The decision about an entry: `Some(true)` hides it. `None` when no rule matches.
    fn hides(&self, subject: Subject<'_>) -> Option<bool> {
        let path = subject.path.get(self.skip..)?;
        let name_start = subject.name_start.saturating_sub(self.skip);
        self.globs.hides(Subject { path, name_start, ..subject })
    }
}

/// Returns the repository with the work tree `directory`: the directory `.git`, or the one that the file `.git` names
/// (gitrepository-layout(5)). Returns `None` when there is none.
fn repository_at(directory: &Path, sources: &mut Sources) -> Option<Repository> {
    let git = directory.join(".git");
    // Whether `.git` is a directory or a file decides which files are read next.
    sources.record_existence(&git, true);
    if git.metadata().ok()?.is_dir() {
        return Some(Repository { git_directory: git.clone(), common_directory: git });
    }
    sources.record_contents(&git, true);
    let link = read_text(&git)?;
    let git_directory = directory.join(link.strip_prefix("gitdir:")?.trim());
    let common_file = git_directory.join("commondir");
    sources.record_contents(&common_file, true);
    let common_directory =
        read_text(&common_file).map_or_else(|| git_directory.clone(), |common| git_directory.join(common.trim()));
    Some(Repository { git_directory, common_directory })
}

fn read_text(path: &Path) -> Option<String> {
    String::from_utf8(read_regular_file(path).ok()?).ok()
}
