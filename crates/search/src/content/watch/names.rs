//! New names in watched directories. One of them may be another name of a file that is trusted, and a change through it is reported
//! for this name only.

use std::collections::{HashMap, HashSet};
use std::fs;

use super::event::Change;

/// With more names than this, all files are compared again.
const MAX_NAMES: usize = 256;

/// The names that appeared since the queue was read last.
#[derive(Default)]
pub(super) struct NewNames {
    there: HashSet<Vec<u8>>,
    /// By the number of a move that has begun: whether the name is new.
    moving: HashMap<u32, bool>,
    /// Whether one of them is gone, so that its state cannot be read, or is a directory, in which there can be others.
    is_unknown: bool,
}

impl NewNames {
    /// Takes note of what happened to a name.
    pub(super) fn note(&mut self, path: &[u8], is_directory: bool, change: Change) {
        if is_directory {
            self.is_unknown |= change == Change::Created;
            return;
        }
        match change {
            Change::Contents => {}
            Change::Created => self.add(path),
            Change::Removed => self.is_unknown |= self.there.remove(path),
            Change::Left(number) => {
                let is_new = self.there.remove(path);
                self.moving.insert(number, is_new);
            }
            Change::Arrived(number) => {
                // The file that had the name is gone.
                self.is_unknown |= self.there.remove(path);
                if self.moving.remove(&number).unwrap_or(true) {
                    self.add(path);
                }
            }
        }
    }

    fn add(&mut self, path: &[u8]) {
        if self.there.len() < MAX_NAMES {
            self.there.insert(path.to_vec());
        } else {
            self.is_unknown = true;
        }
    }

    /// Whether one of them may be another name of a file, as far as is known now.
    pub(super) fn may_be_links(&self) -> bool {
        self.is_unknown
            || self.moving.values().any(|is_new| *is_new)
            || self.there.iter().any(|path| !has_one_name(path))
    }
}

#[cfg(unix)]
fn has_one_name(path: &[u8]) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::symlink_metadata(&*cairn_walk::from_bytes(path)).is_ok_and(|metadata| metadata.nlink() == 1)
}

#[cfg(not(unix))]
fn has_one_name(_path: &[u8]) -> bool {
    false
}
