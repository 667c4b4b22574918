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
    Ok(Attributes::Kept)
}

pub(super) fn copy(from: &Path, to: &Path) -> io::Result<Attributes> {
    let (from, to) = (open_existing(from)?, open_existing(to)?);
    let wanted = from.metadata()?;
    if let Err(error) = copy_owner(&wanted, &to) {
        let what = format!("the owner {}:{} cannot be set: {error}", wanted.uid(), wanted.gid());
        return Ok(Attributes::Lost(what));
    }
    let extended = copy_extended(&from, &to)?;
    if extended != Attributes::Kept {
        return Ok(extended);
    }
    // Last: a change of the owner clears bits, and attributes of a file without the write bit cannot be set.
    if let Err(error) = copy_permissions(&wanted, &to) {
        let what = format!("the permissions {:o} cannot be set: {error}", wanted.mode() & PERMISSION_BITS);
        return Ok(Attributes::Lost(what));
    }
    Ok(Attributes::Kept)
}

fn copy_owner(wanted: &Metadata, to: &File) -> io::Result<()> {
    let own = to.metadata()?;
    if own.uid() == wanted.uid() && own.gid() == wanted.gid() {
        return Ok(());
    }
    fchown(to, Some(wanted.uid()), Some(wanted.gid()))
}

/// Fails also when the system drops a bit in silence, as it does with a set-group-id bit of a foreign group.
fn copy_permissions(wanted: &Metadata, to: &File) -> io::Result<()> {
    let mode = wanted.mode() & PERMISSION_BITS;
    if to.metadata()?.mode() & PERMISSION_BITS == mode {
        return Ok(());
    }
    to.set_permissions(Permissions::from_mode(mode))?;
    if to.metadata()?.mode() & PERMISSION_BITS == mode { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}
