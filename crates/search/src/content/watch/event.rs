//! Reports about watched directories.

/// A report about a watched directory.
pub(super) enum Event<'a> {
    /// Some reports were lost.
    Lost,
    /// The directory with this number is gone, is at another path, or may not be readable any more.
    Gone(i32),
    /// The watch with this number has ended.
    Ended(i32),
    /// A name in the directory with this number.
    Name { directory: i32, name: &'a [u8], is_directory: bool, change: Change },
}

/// What happened to a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// The file has other contents or attributes.
    Contents,
    /// It was created, perhaps as another name of a file that there was.
    Created,
    Removed,
    /// It was moved away, or here. The two parts of a move have the same number.
    Left(u32),
    Arrived(u32),
}
