//! Unix: by descriptors, so that both files stay the same during the copy.

use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;

use super::Attributes;
use crate::open_existing;

#[cfg(any(target_os = "linux", target_os = "android"))]
use super::linux::copy_extended;
#[cfg(any(target_os = "macos", target_os = "ios"))]
use super::macos::copy_extended;

const PERMISSION_BITS: u32 = 0o7777;

/// Other systems have no interface for them in `std` or `rustix`.
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos", target_os = "ios")))]
fn copy_extended(_from: &File, _to: &File) -> io::Result<Attributes> {
    Ok(Attributes::Kept { changed: false })
}

pub(super) fn copy(from: &Path, to: &Path) -> io::Result<Attributes> {
    let (from, to) = (open_existing(from)?, open_existing(to)?);
    let wanted = from.metadata()?;
    let owner = match copy_owner(&wanted, &to) {
        Ok(changed) => changed,
        Err(error) => {
            let what = format!("the owner {}:{} cannot be set: {error}", wanted.uid(), wanted.gid());
            return Ok(Attributes::Lost(what));
        }
    };
    let extended = match copy_extended(&from, &to)? {
        Attributes::Kept { changed } => changed,
        lost @ Attributes::Lost(_) => return Ok(lost),
    };
    // Last: a change of the owner clears bits, and attributes of a file without the write bit cannot be set.
    let permissions = match copy_permissions(&wanted, &to) {
        Ok(changed) => changed,
        Err(error) => {
            let what = format!("the permissions {:o} cannot be set: {error}", wanted.mode() & PERMISSION_BITS);
            return Ok(Attributes::Lost(what));
        }
    };
    Ok(Attributes::Kept { changed: owner || extended || permissions })
}

/// Returns whether it was different.
fn copy_owner(wanted: &Metadata, to: &File) -> io::Result<bool> {
    let own = to.metadata()?;
    if own.uid() == wanted.uid() && own.gid() == wanted.gid() {
        return Ok(false);
    }
    fchown(to, Some(wanted.uid()), Some(wanted.gid()))?;
    Ok(true)
}

/// Returns whether they were different. Fails even when the system drops a bit in silence, as it does with a set-group-id bit of a foreign group.
fn copy_permissions(wanted: &Metadata, to: &File) -> io::Result<bool> {
    let mode = wanted.mode() & PERMISSION_BITS;
    if to.metadata()?.mode() & PERMISSION_BITS == mode {
        return Ok(false);
    }
    to.set_permissions(Permissions::from_mode(mode))?;
    if to.metadata()?.mode() & PERMISSION_BITS == mode { Ok(true) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}
