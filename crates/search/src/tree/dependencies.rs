//! What a tree depends on besides the snapshot that it was built of.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cairn_walk::to_bytes;

use super::tracked::{FileState, Tracked};

/// What a tree depends on besides the snapshot that it was built of.
#[derive(Debug, Default)]
pub(super) struct Dependencies {
    /// The root and what git tracks below it; `None` if nothing was asked.
    pub(super) tracked: Option<(PathBuf, Tracked)>,
    /// The ignored directories with tracked files.
    pub(super) directories: Vec<(PathBuf, FileState)>,
    /// The ignored directories that were scanned, with the generations of their snapshots.
    pub(super) scans: Vec<(PathBuf, u64)>,
    pub(super) links: LinkStates,
}

impl Dependencies {
    /// The memory held, in bytes, without the index of git, which the trees share.
    pub(super) fn bytes(&self) -> usize {
        let directories = self.directories.iter().map(|(path, _)| path);
        let paths = directories.chain(self.scans.iter().map(|(path, _)| path)).chain(&self.links.links);
        paths.map(|path| size_of::<(PathBuf, FileState)>() + path.as_os_str().len()).sum()
    }

    /// Whether everything but the scans is as it was. `generation` is the current generation of the snapshot, which may be a later one with
    /// the same entries.
    pub(super) fn are_current(&self, ttl: Duration, moment: Moment) -> bool {
        self.tracked.as_ref().is_none_or(|(root, tracked)| tracked.is_current(root))
            && self.directories.iter().all(|(path, state)| state.is_unchanged(path))
            && self.links.are_current(ttl, moment)
    }
}

/// A moment, as the cache knows it: no change was announced between two equal ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// The generation of the snapshot.
    pub(super) generation: u64,
    /// See [`cairn_walk::ScanCache::last_invalidation`].
    pub(super) last_invalidation: u64,
}

/// Where the links of a tree lead.
#[derive(Debug, Default)]
pub(super) struct LinkStates {
    links: Vec<PathBuf>,
    /// Whether it matters what the targets lead to.
    follows: bool,
    digest: Digest,
    /// When they were compared last.
    compared: Mutex<Option<(Instant, Moment)>>,
}

/// Where a link leads.
#[derive(Debug, Default)]
pub(super) struct LinkTarget {
    /// As the link has it; `None` if it cannot be read.
    pub(super) target: Option<PathBuf>,
    /// The real path, if it exists and matters.
    pub(super) resolved: Option<PathBuf>,
    pub(super) is_dir: bool,
}

impl LinkStates {
    /// Begins with no links.
    pub(super) fn new(follows: bool, moment: Moment) -> Self {
        let compared = Mutex::new(Some((Instant::now(), moment)));
        Self { links: Vec::new(), follows, digest: Digest::default(), compared }
    }

    /// Records a link.
    pub(super) fn add(&mut self, link: PathBuf) -> LinkTarget {
        let target = self.digest.add_link(&link, self.follows);
        self.links.push(link);
        target
    }

    /// Whether the links lead where they did. Compared again for another snapshot, after an invalidation, and after `ttl`,
    /// because the target of a target may be anywhere.
    fn are_current(&self, ttl: Duration, moment: Moment) -> bool {
        if self.links.is_empty() {
            return true;
        }
        let mut compared = self.compared.lock().unwrap_or_else(PoisonError::into_inner);
        if compared.is_some_and(|(last, known)| known == moment && last.elapsed() < ttl) {
            return true;
        }
        let now = Instant::now();
        let mut digest = Digest::default();
        for link in &self.links {
            digest.add_link(link, self.follows);
        }
        let is_same = digest == self.digest;
        if is_same {
            *compared = Some((now, moment));
        }
        is_same
    }
}

/// Shows whether two trees are equal. Fast, and not for hostile input: at worst a changed tree keeps its generation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Digest([u64; 2]);

impl Default for Digest {
    fn default() -> Self {
        Self([0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344])
    }
}

impl Digest {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.add_word(u64::from_ne_bytes(word.try_into().unwrap_or_default()));
        }
        let mut last = [0; 8];
        last[..words.remainder().len()].copy_from_slice(words.remainder());
        self.add_word(u64::from_ne_bytes(last));
        self.add_word(bytes.len() as u64);
    }

    pub(super) fn add_word(&mut self, word: u64) {
        let [first, second] = &mut self.0;
        let product = u128::from(*first ^ word) * 0x9E37_79B9_7F4A_7C15;
        *first = (product >> 64) as u64 ^ product as u64;
        *second = (second.rotate_left(23) ^ word).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    }

    pub(super) fn value(&self) -> u128 {
        u128::from(self.0[0]) << 64 | u128::from(self.0[1])
    }

    fn add_link(&mut self, link: &Path, follows: bool) -> LinkTarget {
        let target = std::fs::read_link(link).ok();
        let resolved = if follows { link.canonicalize().ok() } else { None };
        let is_dir = resolved.as_deref().is_some_and(Path::is_dir);
        self.add_word(u64::from(target.is_some()) << 2 | u64::from(resolved.is_some()) << 1 | u64::from(is_dir));
        for path in [&target, &resolved] {
            self.add(&path.as_deref().map_or_else(Default::default, to_bytes));
        }
        LinkTarget { target, resolved, is_dir }
    }
}
