//! What a later look at the disk must find unchanged for a snapshot still to be true.
//!
//! For each directory that was listed its stamp, for each file with ignore rules that was read or looked for its stamp,
//! and for each symbolic link that was followed what it led to. Everything else about a tree without details follows from
//! these: names are in directories, kinds are in listings, and rules are in files.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::listing::{LinkTarget, Stamp, keeps_times_at, stamp_of};
use crate::rules::{RuleFiles, Rules};

/// The evidence for one snapshot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    pub(crate) directories: Vec<DirectoryState>,
    pub(crate) links: Vec<LinkState>,
    pub(crate) rule_files: Vec<RuleFileState>,
    /// The user's own excludes file, which the environment and git's configuration name.
    pub(crate) excludes: Option<PathBuf>,
    /// How many files above the root could not be read.
    pub(crate) above_unreadable: u64,
    /// Whether some directory can be reached by several paths, or was entered through a link. Which path shows its
    /// contents then depends on all others.
    pub(crate) aliased: bool,
}

/// One directory that was listed.
#[derive(Clone, Debug)]
pub(crate) struct DirectoryState {
    /// Relative path with a trailing `/`; empty for the root.
    pub(crate) path: Box<[u8]>,
    /// `None` when the next look is to list it in any case: its stamp could not be had, or is not settled.
    pub(crate) stamp: Option<Stamp>,
    /// Device and inode, where known.
    pub(crate) identity: Option<(u64, u64)>,
    pub(crate) through_link: bool,
    /// It was shown by another path, so not listed here.
    pub(crate) shown_elsewhere: bool,
    pub(crate) rule_files: RuleFiles,
    /// The rules inside.
    pub(crate) rules: Rules,
    /// What could not be read in it.
    pub(crate) unreadable: u64,
}

/// A symbolic link that was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkState {
    /// Relative path.
    pub(crate) path: Box<[u8]>,
    pub(crate) target: LinkTarget,
}

/// A file that bears rules, or would.
#[derive(Clone, Debug)]
pub(crate) struct RuleFileState {
    path: PathBuf,
    follow: bool,
    state: FileState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileState {
    Missing,
    /// Only that it is there matters, and that it is the same thing: identity and type.
    There((u64, u64), u32),
    Stamped(Stamp),
    /// Read within a tick of its last change: another change may not show.
    Unsettled,
}

/// Collects what rules depend on while they are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// Files outside the listed names whose change must drop the snapshot, by every path it may be reported at.
    pub(crate) files: Vec<PathBuf>,
    /// What to look at again; only filled when asked for.
    pub(crate) consulted: Vec<RuleFileState>,
    pub(crate) keeps_evidence: bool,
    /// How many files could not be read.
    pub(crate) unreadable: u64,
    /// Whether the file system of a device keeps times, for those seen so far.
    devices: Vec<(u64, bool)>,
}

impl Sources {
    pub(crate) fn new(keeps_evidence: bool) -> Self {
        Self { keeps_evidence, ..Self::default() }
    }

    /// Notes that the contents of the file at `path` are about to be read. A link is noted as itself and, with `follow`,
    /// as what it leads to.
    pub(crate) fn consult(&mut self, path: &Path, follow: bool) {
        if self.keeps_evidence {
            let state = match stamp_of(path, follow) {
                Ok(stamp) if stamp.is_settled(SystemTime::now()) && self.keeps_times(stamp.device, path) => {
                    FileState::Stamped(stamp)
                }
                Ok(_) => FileState::Unsettled,
                Err(_) => FileState::Missing,
            };
            self.consulted.push(RuleFileState { path: path.to_owned(), follow, state });
        }
    }

    fn keeps_times(&mut self, device: u64, path: &Path) -> bool {
        if let Some((_, keeps_times)) = self.devices.iter().find(|(known, _)| *known == device) {
            return *keeps_times;
        }
        let keeps_times = keeps_times_at(path);
        self.devices.push((device, keeps_times));
        keeps_times
    }

    /// Notes that the file consulted last could not be read: its rules are missing, and the next look has to try again.
    pub(crate) fn could_not_read(&mut self) {
        self.unreadable += 1;
        if let Some(last) = self.consulted.last_mut() {
            last.state = FileState::Unsettled;
        }
    }

    /// Whether anything is at `path`.
    pub(crate) fn exists(&mut self, path: &Path) -> bool {
        self.look(path, false)
    }

    /// Whether anything is at `path`, and notes what.
    pub(crate) fn look(&mut self, path: &Path, follow: bool) -> bool {
        let stamp = stamp_of(path, follow);
        if self.keeps_evidence {
            let there = |stamp: &Stamp| FileState::There(stamp.identity(), stamp.file_type);
            let state = stamp.as_ref().map_or(FileState::Missing, there);
            self.consulted.push(RuleFileState { path: path.to_owned(), follow, state });
        }
        stamp.is_ok()
    }
}

impl RuleFileState {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is sure to be as it was.
    pub(crate) fn holds(&self) -> bool {
        let now = stamp_of(&self.path, self.follow);
        match self.state {
            FileState::Missing => now.is_err(),
            FileState::There(identity, file_type) => {
                now.is_ok_and(|now| now.identity() == identity && now.file_type == file_type)
            }
            FileState::Stamped(stamp) => now.is_ok_and(|now| now == stamp),
            FileState::Unsettled => false,
        }
    }
}

impl Evidence {
    /// How many things there are to look at.
    pub(crate) fn len(&self) -> usize {
        self.directories.len() + self.links.len() + self.rule_files.len()
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let paths = self
            .directories
            .iter()
            .map(|directory| directory.path.len())
            .chain(self.links.iter().map(|link| link.path.len()))
            .chain(self.rule_files.iter().map(|file| file.path.as_os_str().len()));
        // The rules of directories without rule files are those around them.
        let rules = self.directories.iter().filter(|directory| directory.rule_files.any());
        self.directories.capacity() * size_of::<DirectoryState>()
            + rules.map(|directory| directory.rules.nearest_bytes()).sum::<usize>()
            + self.links.capacity() * size_of::<LinkState>()
            + self.rule_files.capacity() * size_of::<RuleFileState>()
            + paths.sum::<usize>()
    }
}
