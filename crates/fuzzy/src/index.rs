//! Paths, stored for fast matching.

use std::ops::Range;

use crate::fold::{character_mask, fold_into};
use crate::role::Roles;

/// Bit of a mask that no base name has by itself: the bit of the slash. Set for directories, whose name ends with one.
pub(crate) const DIRECTORY: u64 = 1 << 36;
/// How many directories are visited between two checks for cancellation.
const CHECK_EVERY: usize = 1024;

/// Many paths, stored for fast matching: each directory once, and of each entry its base name in lower case, its directory
/// and a mask of the characters of its name. The result of matching a directory holds for everything in it.
///
/// Takes 16 bytes an entry, 20 a directory, and the base names.
#[derive(Debug)]
pub struct Index {
    /// The base names in lower case, in sequence.
    names: Vec<u8>,
    places: Vec<EntryParts>,
    masks: Vec<u64>,
    directories: Vec<Directory>,
    /// The characters of the directories' paths.
    directory_masks: Vec<u64>,
    /// The last segments of the directories, unchanged and in lower case.
    segments: Vec<u8>,
    folded_segments: Vec<u8>,
    /// The directory of the entry added last, with a slash after each segment, and where its segments end.
    current: Vec<u8>,
    chain: Vec<(usize, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct EntryParts {
    name_end: u32,
    directory: u32,
}

/// A directory; its parent comes before it.
#[derive(Clone, Copy, Debug)]
struct Directory {
    parent: u32,
    segment_end: u32,
    depth: u32,
    roles: Roles,
}

impl Index {
    /// An empty index with room for `entries`.
    #[must_use]
    pub fn with_capacity(entries: usize) -> Self {
        Self {
            names: Vec::new(),
            places: Vec::with_capacity(entries),
            masks: Vec::with_capacity(entries),
            // The root, which all paths are relative to.
            directories: vec![Directory { parent: 0, segment_end: 0, depth: 0, roles: Roles::default() }],
            directory_masks: vec![0],
            segments: Vec::new(),
            folded_segments: Vec::new(),
            current: Vec::new(),
            chain: vec![(0, 0)],
        }
    }

    /// Adds the next entry. Directories are shared by entries that come in the order of their paths.
    ///
    /// # Panics
    /// If `name_start` is not where the base name of `path` begins.
    pub fn push(&mut self, path: &[u8], name_start: usize, is_directory: bool) {
        let (directory, name) = path.split_at(name_start);
        let directory = self.enter(directory);
        let start = self.names.len();
        fold_into(name, &mut self.names);
        self.masks.push(character_mask(&self.names[start..]) | if is_directory { DIRECTORY } else { 0 });
        self.places.push(EntryParts { name_end: self.names.len() as u32, directory });
    }

    /// The number of `directory`, which ends with a slash or is empty.
    fn enter(&mut self, directory: &[u8]) -> u32 {
        let shares = |end: usize, current: &[u8]| directory.get(..end).is_some_and(|start| start == &current[..end]);
        while self.chain.len() > 1 && self.chain.last().is_some_and(|&(end, _)| !shares(end, &self.current)) {
            self.chain.pop();
        }
        let (mut end, mut number) = self.chain.last().copied().unwrap_or_default();
        self.current.truncate(end);
        while end < directory.len() {
            let length = memchr::memchr(b'/', &directory[end..]).unwrap_or(directory.len() - end);
            let segment = &directory[end..end + length];
            self.segments.extend_from_slice(segment);
            let folded = self.folded_segments.len();
            fold_into(segment, &mut self.folded_segments);
            let above = self.directory_masks[number as usize];
            self.directory_masks.push(above | character_mask(&self.folded_segments[folded..]));
            let Directory { depth, roles, .. } = self.directories[number as usize];
            let roles = roles.and(Roles::of_directory(&self.folded_segments[folded..]));
            let segment_end = self.segments.len() as u32;
            self.directories.push(Directory { parent: number, segment_end, depth: depth + 1, roles });
            number = self.directories.len() as u32 - 1;
            self.current.extend_from_slice(segment);
            self.current.push(b'/');
            end += length + 1;
            self.chain.push((end, number));
        }
        number
    }

    /// Frees the memory that only [`Self::push`] needs.
    #[must_use]
    pub fn finish(mut self) -> Self {
        self.names.shrink_to_fit();
        self.places.shrink_to_fit();
        self.masks.shrink_to_fit();
        self.directories.shrink_to_fit();
        self.directory_masks.shrink_to_fit();
        self.segments.shrink_to_fit();
        self.folded_segments.shrink_to_fit();
        self.current = Vec::new();
        self.chain = Vec::new();
        self
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether it has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Memory held, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.names.capacity()
            + self.places.capacity() * size_of::<EntryParts>()
            + self.masks.capacity() * size_of::<u64>()
            + self.directories.capacity() * size_of::<Directory>()
            + self.directory_masks.capacity() * size_of::<u64>()
            + self.segments.capacity()
            + self.folded_segments.capacity()
    }

    /// The base name of an entry, in lower case.
    pub(crate) fn name(&self, entry: usize) -> &[u8] {
        let start = if entry == 0 { 0 } else { self.places[entry - 1].name_end };
        &self.names[start as usize..self.places[entry].name_end as usize]
    }

    pub(crate) fn mask(&self, entry: usize) -> u64 {
        self.masks[entry]
    }

    /// The characters of the names of some entries, in order.
    pub(crate) fn masks(&self, entries: Range<usize>) -> &[u64] {
        &self.masks[entries]
    }

    /// The directories of some entries, in order.
    pub(crate) fn directories_of(&self, entries: Range<usize>) -> impl Iterator<Item = usize> {
        self.places[entries].iter().map(|place| place.directory as usize)
    }

    /// The characters of a directory's path.
    pub(crate) fn directory_mask(&self, directory: usize) -> u64 {
        self.directory_masks[directory]
    }

    /// The directory of an entry.
    pub(crate) fn directory(&self, entry: usize) -> usize {
        self.places[entry].directory as usize
    }

    /// The number of directories, including the root.
    pub(crate) fn directories(&self) -> usize {
        self.directories.len()
    }

    /// Calls `visit` for each directory except the root, parents first, and `check` every [`CHECK_EVERY`].
    pub(crate) fn visit_directories<E>(
        &self,
        check: &impl Fn() -> Result<(), E>,
        mut visit: impl FnMut(usize),
    ) -> Result<(), E> {
        check()?;
        for directory in 1..self.directories() {
            if directory.is_multiple_of(CHECK_EVERY) {
                check()?;
            }
            visit(directory);
        }
        Ok(())
    }

    pub(crate) fn parent(&self, directory: usize) -> usize {
        self.directories[directory].parent as usize
    }

    /// How many segments the path of a directory has.
    pub(crate) fn depth(&self, directory: usize) -> usize {
        self.directories[directory].depth as usize
    }

    /// The roles of an entry.
    pub(crate) fn roles(&self, entry: usize) -> Roles {
        self.directories[self.directory(entry)].roles.and(Roles::of_name(self.name(entry)))
    }

    /// The last segment of a directory's path, unchanged and in lower case.
    pub(crate) fn segment(&self, directory: usize) -> (&[u8], &[u8]) {
        let span = self.segment_span(directory);
        (&self.segments[span.clone()], &self.folded_segments[span])
    }

    fn segment_span(&self, directory: usize) -> Range<usize> {
        let start = if directory == 0 { 0 } else { self.directories[directory - 1].segment_end };
        start as usize..self.directories[directory].segment_end as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_kept_once() {
        let mut index = Index::with_capacity(0);
        for path in ["A", "A/B.c", "A/B/x", "A/B/y/z", "A/B0", "C/x"] {
            index.push(path.as_bytes(), path.rfind('/').map_or(0, |slash| slash + 1), path == "A");
        }
        let path = |mut directory: usize| {
            let mut segments = Vec::new();
            while directory > 0 {
                segments.push(String::from_utf8_lossy(index.segment(directory).0).into_owned());
                directory = index.parent(directory);
            }
            segments.reverse();
            segments.join("/")
        };
        assert_eq!((0..index.directories()).map(path).collect::<Vec<_>>(), ["", "A", "A/B", "A/B/y", "C"]);
        assert_eq!(
            (0..index.len()).map(|entry| path(index.directory(entry))).collect::<Vec<_>>(),
            ["", "A", "A/B", "A/B/y", "A", "C"]
        );
        assert_eq!(index.name(1), b"b.c");
        assert_eq!(
            (0..index.len()).map(|entry| index.mask(entry) & DIRECTORY != 0).collect::<Vec<_>>(),
            [true, false, false, false, false, false]
        );
    }

    #[test]
    fn the_memory_held_grows_with_the_entries() {
        let mut index = Index::with_capacity(1000);
        assert!(index.is_empty());
        for number in 0..1000 {
            let path = format!("directory{number:04}/name{number:04}.c");
            index.push(path.as_bytes(), 14, false);
        }
        let index = index.finish();
        assert!(!index.is_empty());
        let (least, bytes) = ("directory0000/name0000.c".len() * 1000, index.bytes());
        assert!((least..10 * least).contains(&bytes), "{bytes}");
    }
}
