//! The names in git's index, gitformat-index(5).
//!
//! `gix-index` is not used: it brings forty crates, a second version of one of them, and all that an index holds;
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An index of version 2 with SHA-1, as git writes it, but for the checksum.
    fn index(names: &[&str], extensions: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut data = b"DIRC\0\0\0\x02".to_vec();
        data.extend((names.len() as u32).to_be_bytes());
        for name in names {
            let start = data.len();
            data.extend([0; STAT_BYTES + 20]);
            data.extend((name.len().min(NAME_LENGTH) as u16).to_be_bytes());
            data.extend(name.as_bytes());
            data.push(0);
            data.resize(start + (data.len() - start).next_multiple_of(8), 0);
        }
        for (signature, extension) in extensions {
            data.extend(*signature);
            data.extend((extension.len() as u32).to_be_bytes());
            data.extend(*extension);
        }
        data.extend([0; 20]);
        data
    }

    fn parsed(data: &[u8]) -> Option<Vec<String>> {
        let index = GitIndex::parse(data, Path::new("/nowhere"))?;
        Some((0..index.ends.len()).map(|at| String::from_utf8_lossy(index.name(at)).into_owned()).collect())
    }

    #[test]
    fn the_names_are_read_and_found() {
        let long = "x".repeat(5000);
        let names = ["a/b", "a/c/d", "a-b", "e", &long];
        let data = index(&names, &[(b"TREE", b"any")]);
        assert_eq!(parsed(&data).expect("valid"), names);
        let index = GitIndex::parse(&index(&["a-b", "a/b", "a/c/d", "e"], &[]), Path::new("/nowhere")).expect("valid");
        for (path, is_file, is_directory) in [
            ("a", false, true),
            ("a/c", false, true),
            ("a/b", true, true),
            ("a-b", true, true),
            ("a/c/d/e", false, false),
            ("b", false, false),
            ("zz", false, false),
        ] {
            let found = (index.contains(path.as_bytes()), index.contains_below(path.as_bytes()));
            assert_eq!(found, (is_file, is_directory), "{path}");
        }
    }

    #[test]
    fn what_is_not_an_index_is_refused() {
        let good = index(&["a", "b"], &[]);
        assert!(parsed(&good).is_some());
        assert_eq!(parsed(&good[..good.len() - 1]), None, "cut");
        assert_eq!(parsed(&[&good[..], b"garbage"].concat()), None, "too long");
        assert_eq!(parsed(&index(&["a"], &[(b"what", b"")])), None, "an extension that must be known");
        assert_eq!(parsed(&index(&["a"], &[(b"link", &[1; 20])])), None, "a shared index that is missing");
        let mut version = good.clone();
        version[7] = 5;
        assert_eq!(parsed(&version), None, "an unknown version");
        assert_eq!(parsed(b""), None);
    }

    #[test]
    fn the_bits_of_a_bitmap_are_its_runs_and_its_words() {
        // Two words of ones, one word as it is, one word of zeros, and one word as it is.
        let words: [u64; 4] = [1 | 2 << 1 | 1 << 33, 0b101, 1 << 1 | 1 << 33, 1 << 63];
        let mut data = 320_u32.to_be_bytes().to_vec();
        data.extend(4_u32.to_be_bytes());
        data.extend(words.iter().flat_map(|word| word.to_be_bytes()));
        data.extend([0; 4]);
        let expected: Vec<u32> = (0..128).chain([128, 130, 319]).collect();
        assert_eq!(Reader(&data).bitmap(320), Some(expected));
        assert_eq!(Reader(&data).bitmap(256), None, "more bits than names");
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_fail(
            at in 0..200_usize,
            byte in any::<u8>(),
            version in 2..5_u8,
            link in proptest::collection::vec(any::<u8>(), 0..60),
        ) {
            let mut data = index(&["a", "b/c"], &[(b"link", &link)]);
            data[7] = version;
            let at = at % data.len();
            data[at] = byte;
            let _ = parsed(&data);
            let _ = Reader(&link).bitmap(100);
        }
    }
}
