//! Reads one directory: its names, their types, and the stamps that show later whether it changed.

mod types;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod portable;

#[cfg(target_os = "linux")]
pub(crate) use linux::{DirectoryHandle, has_reliable_times_at, stamp_of};
#[cfg(target_os = "linux")]
pub use linux::{has_reliable_times, open_without_links};
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::{DirectoryHandle, has_reliable_times_at, stamp_of};
pub use types::are_times_settled;
pub(crate) use types::{EntryType, LinkTarget, Meta, Stamp};
