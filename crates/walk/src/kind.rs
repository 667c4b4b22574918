//! The kinds of entries.

/// What an entry is. The numbers equal the numbers of the public `FileType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A regular file.
    File = 1,
    /// A directory.
    Dir = 2,
    /// A symbolic link. With [`crate::ScanOptions::follow_links`], only a broken one.
    Symlink = 3,
}
