//! The files that ignore rules come from, and the state of each when it was read.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::directory::{Stamp, has_reliable_times_at, stamp_of};

/// The recorded state of a file with ignore rules, or of a path where such a file could appear.
#[derive(Clone, Debug)]
pub(crate) struct RuleFileState {
    path: PathBuf,
    follow: bool,
    state: FileState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileState {
    Missing,
    /// Only its existence, identity and file type matter.
    Exists((u64, u64), u32),
    Stamped(Stamp),
    /// It was read within a clock tick of its last change, so another change may leave the same stamp.
    Unsettled,
}

/// Collects the files that rules depend on while the rules are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// Rule files that their name alone does not identify, by every path at which a change can be reported.
    pub(crate) files: Vec<PathBuf>,
    /// The states to compare later; empty unless `records_states`.
    pub(crate) states: Vec<RuleFileState>,
    records_states: bool,
    /// The files that could not be read.
    pub(crate) unread: Vec<PathBuf>,
    /// Whether each known device has reliable times.
    devices: Vec<(u64, bool)>,
}

impl Sources {
    pub(crate) fn new(records_states: bool) -> Self {
        Self { records_states, ..Self::default() }
    }

    /// Records the state of the file at `path`, before its contents are read. With `follow`, a link is recorded as its
    /// target.
    pub(crate) fn record_contents(&mut self, path: &Path, follow: bool) {
        if self.records_states {
            let state = match stamp_of(path, follow) {
                Ok(stamp) if stamp.is_settled(SystemTime::now()) && self.has_reliable_times(stamp.device, path) => {
                    FileState::Stamped(stamp)
                }
                Ok(_) => FileState::Unsettled,
                Err(_) => FileState::Missing,
            };
            self.states.push(RuleFileState { path: path.to_owned(), follow, state });
        }
    }

    /// Records whether a file exists at `path`, and which one. Returns whether it exists.
    pub(crate) fn record_existence(&mut self, path: &Path, follow: bool) -> bool {
        let stamp = stamp_of(path, follow);
        if self.records_states {
            let exists = |stamp: &Stamp| FileState::Exists(stamp.identity(), stamp.file_type);
            let state = stamp.as_ref().map_or(FileState::Missing, exists);
            self.states.push(RuleFileState { path: path.to_owned(), follow, state });
        }
        stamp.is_ok()
    }

    /// Marks the last recorded file as unreadable: its rules are missing, so a validation must read it again.
    pub(crate) fn mark_unreadable(&mut self, path: &Path) {
        self.unread.push(path.to_owned());
        if let Some(last) = self.states.last_mut() {
            last.state = FileState::Unsettled;
        }
    }

    /// Adds a rule file by every path at which a change of it can be reported.
    pub(crate) fn add_file(&mut self, path: &Path) {
        self.files.push(path.to_owned());
        self.files.extend(crate::paths::paths_through_links(path));
    }

    fn has_reliable_times(&mut self, device: u64, path: &Path) -> bool {
        if let Some((_, reliable)) = self.devices.iter().find(|(known, _)| *known == device) {
            return *reliable;
        }
        let reliable = has_reliable_times_at(path);
        self.devices.push((device, reliable));
        reliable
    }
}

impl RuleFileState {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file is certainly unchanged.
    pub(crate) fn is_unchanged(&self) -> bool {
        let now = stamp_of(&self.path, self.follow);
        match self.state {
            FileState::Missing => now.is_err(),
            FileState::Exists(identity, file_type) => {
                now.is_ok_and(|now| now.identity() == identity && now.file_type == file_type)
            }
            FileState::Stamped(stamp) => now.is_ok_and(|now| now == stamp),
            FileState::Unsettled => false,
        }
    }
}
