//! Which entries ignore files hide.
//!
//! [`crate::gitignore`] reads and matches one file; here is how the files of a tree work together. The `ignore` crate is
//! not used for three reasons. Its walker applies a `.gitignore` above a repository (or above a root in no repository)
//! as soon as it is told to work outside repositories; it offers no way to list one directory again under the rules of
//! its ancestors; and its matcher differs from git's, and took a third of a scan's time.
//!
//! Precedence is ripgrep's: the nearest `.ignore` that has an opinion, else the nearest `.gitignore`, else the nearest
//! `.git/info/exclude`, else the global excludes file. Within one file the last matching line wins.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::evidence::Sources;
use crate::excludes::excludes_file;
use crate::gitignore::{Globs, Subject, mask_of};
use crate::paths::{read_regular_file, to_bytes};

/// What the rules say about an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// No rule names it.
    None,
    /// A rule hides it.
    Ignored,
    /// A rule explicitly shows it, even when its name is hidden.
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

/// The patterns of one file, and how long the prefix of an absolute path is that they do not see.
#[derive(Debug)]
struct Matcher {
    globs: Globs,
    skip: usize,
}

/// Which files that bear rules a directory listing has shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RuleFiles {
    pub(crate) dot_ignore: bool,
    pub(crate) gitignore: bool,
    pub(crate) git: bool,
}

impl RuleFiles {
    /// Notes `name` if it is one of ours.
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
    /// The rules that reach a root from outside of it: `.ignore` of every ancestor, `.gitignore` and `info/exclude`
    /// of the ancestors up to the top of the repository the root lies in, and the global excludes file.
    ///
    /// Files outside the root that shaped the rules, or would if they existed, are added to `sources`.
    pub(crate) fn above(root: &Path, sources: &mut Sources) -> Self {
        let root_is_top = sources.exists(&root.join(".git"));
        let ancestors: Vec<&Path> = root.ancestors().skip(1).collect();
        // How many ancestors, nearest first, lie in the root's repository.
        let in_repository = if root_is_top {
            0
        } else {
            ancestors.iter().position(|ancestor| sources.exists(&ancestor.join(".git"))).map_or(0, |top| top + 1)
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
            push_source(&path, sources);
        }
        rules
    }

    /// The user's own excludes file as it applies to `root`, without reading it.
    pub(crate) fn excludes(root: &Path) -> Option<PathBuf> {
        let top = root.ancestors().find(|ancestor| ancestor.join(".git").symlink_metadata().is_ok());
        excludes_above(top.unwrap_or(root), &mut Sources::default())
    }

    /// The rules inside `directory`, whose listing showed `files`.
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
                push_source(&path, sources);
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

    /// Whether there is no rule at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.nearest.is_none() && self.global.is_none()
    }

    /// What the rules say about the entry at the absolute path `path`, whose last component begins at `name_start`.
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
    /// Reads the patterns in the file at `path`, which are relative to `directory`. `None` when it is no readable
    /// regular file or has no rule.
    fn read(path: &Path, directory: &Path, sources: &mut Sources) -> Option<Self> {
        sources.consult(path, false);
        let metadata = path.symlink_metadata().ok()?;
        if metadata.is_symlink() {
            // git does not follow a link in the tree.
            if path.file_name().is_some_and(|name| name == ".gitignore") {
                return None;
            }
            // An edit of the target changes the rules although no ignore file was touched by name.
            push_source(path, sources);
            sources.consult(path, true);
            path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        } else if !metadata.is_file() {
            return None;
        }
        let contents = match read_regular_file(path) {
            Ok(contents) => contents,
            Err(error) => {
                if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
                    sources.could_not_read();
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

/// Notes a rule file by every place that a change of it may be reported at.
fn push_source(path: &Path, sources: &mut Sources) {
    sources.files.push(path.to_owned());
    sources.files.extend(crate::paths::resolve_target(path));
}

fn excludes_above(top: &Path, sources: &mut Sources) -> Option<PathBuf> {
    excludes_file(common_directory(top, sources).as_deref(), top)
}

/// Where the repository at `directory` keeps its private excludes.
fn exclude_file(directory: &Path, sources: &mut Sources) -> Option<PathBuf> {
    Some(common_directory(directory, sources)?.join("info/exclude"))
}

/// The directory that a repository's worktrees share: `.git`, or, in a linked worktree, where the `.git` file leads to
/// (gitrepository-layout(5)). `None` when `directory` is no repository.
fn common_directory(directory: &Path, sources: &mut Sources) -> Option<PathBuf> {
    let git = directory.join(".git");
    // What is there decides what else is read.
    sources.look(&git, true);
    if git.metadata().ok()?.is_dir() {
        return Some(git);
    }
    sources.consult(&git, true);
    let link = read_text(&git)?;
    let git_directory = directory.join(link.strip_prefix("gitdir:")?.trim());
    let common_file = git_directory.join("commondir");
    sources.consult(&common_file, true);
    match read_text(&common_file) {
        Some(common) => Some(git_directory.join(common.trim())),
        None => Some(git_directory),
    }
}

fn read_text(path: &Path) -> Option<String> {
    String::from_utf8(read_regular_file(path).ok()?).ok()
}
