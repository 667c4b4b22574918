//! The names in git's index, gitformat-index(5).
//!
//! `gix-index` is not used: it brings forty crates, a second version of one of them, and all that an index holds, of which
//! this needs the names.

use std::path::Path;

/// The tracked paths of a repository, `/` separated, relative to the top of its work tree; sorted. Of a sparse index, a directory
/// that is not checked out ends with `/`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct GitIndex {
    names: Vec<u8>,
    /// The end of each name.
    ends: Vec<u32>,
}

/// The head of an entry, before the name of the object: ten numbers of four bytes.
const STAT_BYTES: usize = 40;
/// The length of the name of an object, with SHA-1 and SHA-256. The index does not state which it has.
const HASH_BYTES: [usize; 2] = [20, 32];
/// In the flags of an entry: more flags follow, and the length of the name, or this length if it is longer.
const EXTENDED: u16 = 0x4000;
const NAME_LENGTH: usize = 0xFFF;

impl GitIndex {
    /// Reads an index, which may be split; the shared part is in the directory of the repository. Returns `None` if it is not
    /// valid, or of an unknown version.
    pub(super) fn parse(data: &[u8], git_directory: &Path) -> Option<Self> {
        HASH_BYTES.into_iter().find_map(|hash_bytes| Self::parse_with(data, hash_bytes, Some(git_directory)))
    }

    fn parse_with(data: &[u8], hash_bytes: usize, git_directory: Option<&Path>) -> Option<Self> {
        let mut reader = Reader(data);
        (reader.take(4)? == b"DIRC").then_some(())?;
        let version = reader.u32()?;
        (2..=4).contains(&version).then_some(())?;
        let count = reader.u32()? as usize;
        let mut index = Self::default();
        let mut name: Vec<u8> = Vec::new();
        for _ in 0..count {
            let before = reader.0.len();
            reader.take(STAT_BYTES + hash_bytes)?;
            let flags = reader.u16()?;
            if flags & EXTENDED != 0 && version >= 3 {
                reader.u16()?;
            }
            if version == 4 {
                name.truncate(name.len().checked_sub(reader.offset()?)?);
            } else {
                name.clear();
            }
            let rest = memchr::memchr(0, reader.0)?;
            name.extend_from_slice(reader.take(rest)?);
            let length = usize::from(flags) & NAME_LENGTH;
            (length == name.len().min(NAME_LENGTH)).then_some(())?;
            // Up to version 3, one to eight NUL bytes make the length of the entry a multiple of eight.
            let read = before - reader.0.len();
            reader.take(if version == 4 { 1 } else { 8 - read % 8 })?;
            // In a split index, an entry without a name replaces one of the shared index, and keeps its name.
            if !name.is_empty() {
                index.push(&name)?;
            }
        }
        let mut base = Self::default();
        let mut deleted = Vec::new();
        while reader.0.len() > hash_bytes {
            let signature = reader.take(4)?;
            let size = reader.u32()? as usize;
            let mut data = Reader(reader.take(size)?);
            match signature {
                b"link" => {
                    let hash = data.take(hash_bytes)?;
                    if hash.iter().any(|&byte| byte != 0) {
                        let hex = hash.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
                        let shared = std::fs::read(git_directory?.join(format!("sharedindex.{hex}"))).ok()?;
                        base = Self::parse_with(&shared, hash_bytes, None)?;
                    }
                    if !data.0.is_empty() {
                        deleted = data.bitmap(base.ends.len())?;
                    }
                }
                // A reader that does not know an extension may ignore it if its name begins with a capital. `sdir` marks a
                // sparse index.
                b"sdir" | [b'A'..=b'Z', ..] => {}
                _ => return None,
            }
        }
        (reader.0.len() == hash_bytes).then_some(())?;
        Some(if base.ends.is_empty() { index } else { index.merged_with(&base, &deleted) })
    }

    fn push(&mut self, name: &[u8]) -> Option<()> {
        self.names.extend_from_slice(name);
        self.ends.push(u32::try_from(self.names.len()).ok()?);
        Some(())
    }

    /// Adds the names of a shared index that are not deleted.
    fn merged_with(&self, base: &Self, deleted: &[u32]) -> Self {
        let kept = (0..base.ends.len()).filter(|&at| deleted.binary_search(&(at as u32)).is_err());
        let mut all: Vec<&[u8]> = kept.map(|at| base.name(at)).collect();
        all.extend((0..self.ends.len()).map(|at| self.name(at)));
        all.sort_unstable();
        let mut merged = Self::default();
        for name in all {
            let _ = merged.push(name);
        }
        merged
    }

    fn name(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.names[start..self.ends[at] as usize]
    }

    /// The number of names before `path`.
    fn position(&self, path: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.name(middle) < path { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Whether git tracks exactly this path: a file, a link, or another repository.
    pub(super) fn contains(&self, path: &[u8]) -> bool {
        let at = self.position(path);
        at < self.ends.len() && self.name(at) == path
    }

    /// Whether git tracks something in the directory at `path`, or the directory itself as another repository.
    pub(super) fn contains_below(&self, path: &[u8]) -> bool {
        let inside = [path, b"/"].concat();
        let at = self.position(&inside);
        (at < self.ends.len() && self.name(at).starts_with(&inside)) || self.contains(path)
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_be_bytes(self.take(8)?.try_into().ok()?))
    }

    /// A number of seven bits a byte, as in the deltas of a pack.
    fn offset(&mut self) -> Option<usize> {
        let mut value: usize = 0;
        loop {
            let byte = self.take(1)?[0];
            value = value.checked_mul(128)?.checked_add(usize::from(byte & 127))?;
            if byte & 128 == 0 {
                return Some(value);
            }
            value = value.checked_add(1)?;
        }
    }

    /// The positions of the bits that are set in an EWAH bitmap, ascending.
    fn bitmap(&mut self, max_bits: usize) -> Option<Vec<u32>> {
        let bits = self.u32()?;
        (bits as usize <= max_bits.next_multiple_of(64)).then_some(())?;
        let words = self.u32()? as usize;
        let mut words = Reader(self.take(words.checked_mul(8)?)?);
        let mut set = Vec::new();
        let mut at: u32 = 0;
        while !words.0.is_empty() {
            // A bit, how many words have only this bit, and how many words follow as they are.
            let run = words.u64()?;
            let run_bits = (run >> 1 & 0xFFFF_FFFF).checked_mul(64)?;
            let end = at.checked_add(u32::try_from(run_bits).ok()?)?;
            if run & 1 != 0 {
                set.extend(at..end.min(bits));
            }
            at = end;
            for _ in 0..run >> 33 {
                let word = words.u64()?;
                let end = at.checked_add(64)?;
                set.extend((at..end).filter(|bit| word >> (bit - at) & 1 != 0 && *bit < bits));
                at = end;
            }
        }
        // The position of the last run.
        self.u32()?;
        Some(set)
    }
}
