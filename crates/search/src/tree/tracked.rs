//! Which files git tracks in the repository that contains a root.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cairn_walk::to_bytes;

use super::git_index::GitIndex;

/// How many indexes are kept, those that were read last.
const MAX_INDEXES: usize = 4;
/// A file that was changed less than this before may change again and keep its times.
const SETTLED: Duration = Duration::from_millis(20);
/// The same on file systems that record whole seconds.
const SETTLED_COARSE: Duration = Duration::from_secs(2);

/// The recorded state of a file or directory.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileState {
    /// `None`: it does not exist, or cannot be read.
    stamp: Option<Stamp>,
    /// Whether every later change gives another stamp.
    is_settled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    identity: (u64, u64),
    size: u64,
    modified: SystemTime,
    changed: SystemTime,
}

impl FileState {
    /// Links are followed.
    pub(super) fn of(path: &Path) -> Self {
        let stamp = path.metadata().ok().and_then(|metadata| {
            let modified = metadata.modified().ok()?;
            #[cfg(unix)]
            let (identity, changed) = {
                use std::os::unix::fs::MetadataExt;
                let since = (u64::try_from(metadata.ctime()).ok()?, u32::try_from(metadata.ctime_nsec()).ok()?);
                ((metadata.dev(), metadata.ino()), UNIX_EPOCH + Duration::new(since.0, since.1))
            };
            #[cfg(not(unix))]
            let (identity, changed) = ((0, 0), modified);
            Some(Stamp { identity, size: metadata.len(), modified, changed })
        });
        let is_settled = stamp.is_none_or(|Stamp { changed, .. }| {
            let is_coarse = changed.duration_since(UNIX_EPOCH).is_ok_and(|since| since.subsec_nanos() == 0);
            let wait = if is_coarse { SETTLED_COARSE } else { SETTLED };
            SystemTime::now().duration_since(changed).is_ok_and(|age| age > wait)
        });
        Self { stamp, is_settled }
    }

    /// Whether the file is certainly unchanged.
    pub(super) fn is_unchanged(&self, path: &Path) -> bool {
        self.is_settled && self.stamp == Self::of(path).stamp
    }
}

/// The index of the repository that contains a root.
#[derive(Clone, Debug)]
pub(super) struct Tracked {
    /// The index file, and its state before it was read; `None` outside of repositories.
    pub(super) file: Option<(PathBuf, FileState)>,
    index: Option<Arc<GitIndex>>,
    /// The path of the root in the work tree, with a `/`; empty for the top.
    prefix: Vec<u8>,
}

impl Tracked {
    /// Reads what git tracks below `root`, which is canonical.
    pub(super) fn below(root: &Path) -> Self {
        let Some((top, file)) = index_of(root) else { return Self { file: None, index: None, prefix: Vec::new() } };
        let mut prefix = root.strip_prefix(top).map_or_else(|_| Vec::new(), |path| to_bytes(path).into_owned());
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        let state = FileState::of(&file);
        let index = read(&file, state);
        Self { file: Some((file, state)), index, prefix }
    }

    /// Whether it would read the same index again.
    pub(super) fn is_current(&self, root: &Path) -> bool {
        match (&self.file, index_of(root)) {
            (None, None) => true,
            (Some((known, state)), Some((_, file))) => *known == file && state.is_unchanged(&file),
            _ => false,
        }
    }

    /// The index file, if it exists and cannot be read.
    pub(super) fn unreadable(&self) -> Option<&Path> {
        if self.index.is_some() { None } else { self.file.as_ref().map(|(file, _)| file.as_path()) }
    }

    /// Whether git tracks exactly this path, relative to the root.
    pub(super) fn contains(&self, path: &[u8]) -> bool {
        self.index.as_ref().is_some_and(|index| index.contains(&[&self.prefix, path].concat()))
    }

    /// Whether git tracks something in the directory at `path`, relative to the root.
    pub(super) fn contains_below(&self, path: &[u8]) -> bool {
        self.index.as_ref().is_some_and(|index| index.contains_below(&[&self.prefix, path].concat()))
    }
}

/// The top of the work tree that contains `root`, and the file with its index.
fn index_of(root: &Path) -> Option<(&Path, PathBuf)> {
    let top = root.ancestors().find(|ancestor| ancestor.join(".git").symlink_metadata().is_ok())?;
    let git = top.join(".git");
    if git.is_dir() {
        return Some((top, git.join("index")));
    }
    // A linked work tree or a submodule: a file that names the directory of the repository.
    let link = std::fs::read_to_string(&git).ok()?;
    Some((top, top.join(link.strip_prefix("gitdir:")?.trim()).join("index")))
}

type Known = Mutex<Vec<(PathBuf, FileState, Arc<GitIndex>)>>;

/// The indexes that were read last.
static INDEXES: Known = Mutex::new(Vec::new());

fn read(file: &Path, state: FileState) -> Option<Arc<GitIndex>> {
    let lock = || INDEXES.lock().unwrap_or_else(PoisonError::into_inner);
    let is_known = |(known, before, _): &&(PathBuf, FileState, Arc<GitIndex>)| {
        known == file && before.is_settled && before.stamp == state.stamp
    };
    if let Some((.., index)) = lock().iter().find(is_known) {
        return Some(Arc::clone(index));
    }
    let data = match std::fs::read(file) {
        Ok(data) => data,
        Err(error) if error.kind() == ErrorKind::NotFound => return Some(Arc::default()),
        Err(_) => return None,
    };
    let index = Arc::new(GitIndex::parse(&data, file.parent()?)?);
    let mut known = lock();
    known.retain(|(other, ..)| other != file);
    if known.len() == MAX_INDEXES {
        known.remove(0);
    }
    known.push((file.to_owned(), state, Arc::clone(&index)));
    Some(index)
}
