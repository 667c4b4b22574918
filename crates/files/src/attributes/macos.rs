//! macOS: only `fcopyfile` copies access lists.

use std::fs::File;
use std::io;

use rustix::fs::{CopyfileFlags, copyfile_state_alloc, copyfile_state_free, fcopyfile};

use super::Attributes;

#[allow(unsafe_code, reason = "the system's interface is a state that the caller allocates and frees")]
pub(super) fn copy_extended(from: &File, to: &File) -> io::Result<Attributes> {
    let state = copyfile_state_alloc()?;
    // SAFETY: the state was just allocated, is used once, and freed once.
    let copied = unsafe {
        let copied = fcopyfile(from, to, state, CopyfileFlags::ACL | CopyfileFlags::XATTR);
        copyfile_state_free(state)?;
        copied
    };
    Ok(match copied {
        // It does not report whether anything was different.
        Ok(()) => Attributes::Kept { changed: true },
        Err(error) => {
            let error = io::Error::from(error);
            Attributes::Lost(format!("the access list or an extended attribute cannot be set: {error}"))
        }
    })
}
