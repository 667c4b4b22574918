//! The recorded state of a tree, by which a validation tells whether a snapshot is still true.
//!
//! A fingerprint holds the stamp of each listed directory, the state of each file with ignore rules (including files that
//! did not exist), and the target of each followed symbolic link. Everything else in a snapshot without details follows
//! from these: names are in directories, kinds are in directory entries, and rules are in files.

use std::path::Path;

use crate::directory::{LinkTarget, Stamp};
use crate::paths::to_bytes;
use crate::rules::{Environment, RuleFileState, RuleFiles, Rules};
use crate::unread::Unread;

/// The recorded state of one scanned tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fingerprint {
    pub(crate) directories: Vec<DirectoryState>,
    pub(crate) links: Vec<LinkState>,
    pub(crate) rule_files: Vec<RuleFileState>,
    /// The environment variables that name git's configuration files; `None` without rules.
    pub(crate) environment: Option<Environment>,
    /// The files above the root that could not be read.
    pub(crate) above_unread: Unread,
    /// Whether a directory was reached by several paths, or through a link. Which path lists its contents then depends
    /// on all the other paths.
    pub(crate) aliased: bool,
}

/// The recorded state of one listed directory.
#[derive(Clone, Debug)]
pub(crate) struct DirectoryState {
    /// Relative path with a trailing `/`; empty for the root.
    pub(crate) path: Box<[u8]>,
    /// `None` when a validation must list the directory again: its stamp is unknown or not settled.
    pub(crate) stamp: Option<Stamp>,
    /// Device and inode, where known.
    pub(crate) identity: Option<(u64, u64)>,
    pub(crate) through_link: bool,
    /// Another path to it came first, so this path lists nothing.
    pub(crate) listed_elsewhere: bool,
    pub(crate) rule_files: RuleFiles,
    /// The rules inside it.
    pub(crate) rules: Rules,
    /// It has a link that is not listed, and that may be if links are followed: the rules hide it, but not a directory of its
    /// name, or it is a skipped `node_modules`.
    pub(crate) has_undecided_link: bool,
    /// It has a `node_modules` that only the options leave out.
    pub(crate) skips_node_modules: bool,
    /// The places in it that could not be read, if any.
    pub(crate) unread: Option<Box<Unread>>,
}

/// The recorded target of one followed symbolic link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkState {
    /// Relative path.
    pub(crate) path: Box<[u8]>,
    pub(crate) target: LinkTarget,
}

/// The directory that a rule file is about, with a trailing `/`; empty for the root.
fn directory_of_rules(file: &[u8]) -> &[u8] {
    let names = || file.split(|&byte| byte == b'/');
    let before_git: usize = names().take_while(|name| *name != b".git").map(|name| name.len() + 1).sum();
    let before_name = file.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    &file[..before_git.min(before_name)]
}

impl Fingerprint {
    /// How many states a validation compares.
    pub(crate) fn len(&self) -> usize {
        self.directories.len() + self.links.len() + self.rule_files.len()
    }

    /// The indices of the states that a change at one of the places, or below it, may alter: of the directories on the way to
    /// it and below it, of the links at and below it, and of the rule files in these directories and outside `root`.
    pub(crate) fn states_at(&self, root: &Path, places: &[Box<[u8]>]) -> Vec<u32> {
        let is_below = |path: &[u8], place: &[u8]| {
            path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        };
        let is_on_the_way =
            |directory: &[u8]| places.iter().any(|place| place.starts_with(directory) || is_below(directory, place));
        let directories = self.directories.iter().map(|state| is_on_the_way(&state.path));
        let links = self.links.iter().map(|link| places.iter().any(|place| is_below(&link.path, place)));
        let rule_files = self.rule_files.iter().map(|file| match file.path().strip_prefix(root) {
            Ok(inside) => is_on_the_way(directory_of_rules(&to_bytes(inside))),
            Err(_) => true,
        });
        let states = directories.chain(links).chain(rule_files).enumerate();
        states.filter(|(_, is_concerned)| *is_concerned).map(|(index, _)| index as u32).collect()
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let paths = self
            .directories
            .iter()
            .map(|directory| directory.path.len())
            .chain(self.links.iter().map(|link| link.path.len()))
            .chain(self.rule_files.iter().map(|file| file.path().as_os_str().len()));
        // A directory without rule files shares the rules of its parent.
        let rules = self.directories.iter().filter(|directory| directory.rule_files.any());
        self.directories.capacity() * size_of::<DirectoryState>()
            + rules.map(|directory| directory.rules.nearest_bytes()).sum::<usize>()
            + self.links.capacity() * size_of::<LinkState>()
            + self.rule_files.capacity() * size_of::<RuleFileState>()
            + paths.sum::<usize>()
    }
}
