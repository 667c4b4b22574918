//! The state of indexes that is reported.

/// How a search knows that the files of an index did not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// The state of each file was read within the call.
    Validated,
    /// The files are in directories that are watched, and no change was reported; the state of the others was read. Some changes are
    /// not reported: stores through a mapping of a file, writes with `io_submit`, and writes through another name of a file, if that
    /// name is in a directory that is not watched or was removed while a program had the file open.
    Watched,
}

/// Why a tree has no index, or no larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexOff {
    /// [`super::IndexPolicy::max_bytes`] is 0.
    Disabled,
    /// No tree was searched twice.
    NotUsed,
    /// The tree has too few files for an index to pay.
    TooSmall,
    /// The index would take more memory than there is for it.
    TooLarge,
    /// A file system root, a home directory, or a directory that contains one.
    TooWide,
    /// The file system does not keep times that show every change.
    FileSystem,
    /// Building it failed.
    Failed,
}

/// The state of all indexes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexStats {
    /// The number of files in the indexed trees.
    pub files: usize,
    /// How many of them have a signature.
    pub indexed: usize,
    /// The memory that the indexes take.
    pub bytes: usize,
    /// Whether files are being indexed.
    pub building: bool,
    /// The number of directories that are watched.
    pub watches: usize,
    /// Why the tree that was searched last has no index, or only a part of one.
    pub off: Option<IndexOff>,
}
