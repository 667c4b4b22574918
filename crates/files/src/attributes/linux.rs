//! Linux: access lists are extended attributes too.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;

use rustix::fs::{XattrFlags, fgetxattr, fgetxattr_query, flistxattr, flistxattr_query, fremovexattr, fsetxattr};
use rustix::io::Errno;

use super::Attributes;

/// Computed by the system from the content.
const COMPUTED: [&CStr; 2] = [c"security.ima", c"security.evm"];

pub(super) fn copy_extended(from: &File, to: &File) -> io::Result<Attributes> {
    let wanted = names(from)?;
    let own = names(to)?;
    let mut changed = false;
    for name in own.iter().filter(|name| !wanted.contains(name)) {
        if let Err(error) = absent_is_fine(fremovexattr(to, name.as_c_str())) {
            return Ok(lost(name, "removed", error));
        }
        changed = true;
    }
    for name in &wanted {
        // Removed since it was listed.
        let Some(value) = value(from, name)? else { continue };
        // One that cannot be read can perhaps be set.
        let current = if own.contains(name) { self::value(to, name).unwrap_or(None) } else { None };
        if current.as_ref() == Some(&value) {
            continue;
        }
        if let Err(error) = fsetxattr(to, name.as_c_str(), &value, XattrFlags::empty()) {
            return Ok(lost(name, "set", error));
        }
        changed = true;
    }
    Ok(Attributes::Kept { changed })
}

fn lost(name: &CStr, what: &str, error: Errno) -> Attributes {
    let error = io::Error::from(error);
    Attributes::Lost(format!("the extended attribute {} cannot be {what}: {error}", name.to_string_lossy()))
}

fn absent_is_fine(result: Result<(), Errno>) -> Result<(), Errno> {
    if result == Err(Errno::NODATA) { Ok(()) } else { result }
}

/// Returns the names of the attributes to copy; none on a file system without them.
fn names(file: &File) -> io::Result<Vec<CString>> {
    let read = grown(|| flistxattr_query(file), |buffer| flistxattr(file, buffer));
    let list = match read {
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(Vec::new()),
        list => list?,
    };
    let names = list.split_inclusive(|&byte| byte == 0).filter_map(|name| CStr::from_bytes_with_nul(name).ok());
    Ok(names.filter(|name| !COMPUTED.contains(name)).map(CStr::to_owned).collect())
}

fn value(file: &File, name: &CStr) -> io::Result<Option<Vec<u8>>> {
    match grown(|| fgetxattr_query(file, name), |buffer| fgetxattr(file, name, buffer)) {
        Err(Errno::NODATA) => Ok(None),
        value => Ok(Some(value?)),
    }
}

/// Reads into a buffer of the size that the system reports, again when it has grown meanwhile.
fn grown(
    size: impl Fn() -> Result<usize, Errno>,
    read: impl Fn(&mut [u8]) -> Result<usize, Errno>,
) -> Result<Vec<u8>, Errno> {
    loop {
        let mut buffer = vec![0; size()?];
        // A buffer of no bytes asks for the size again.
        if buffer.is_empty() {
            return Ok(buffer);
        }
        match read(&mut buffer) {
            Err(Errno::RANGE) => {}
            read => {
                buffer.truncate(read?);
                return Ok(buffer);
            }
        }
    }
}
