//! Windows: `std` sets only the read-only flag.

use std::fs;
use std::io;
use std::path::Path;

use super::Attributes;

pub(super) fn copy(from: &Path, to: &Path) -> io::Result<Attributes> {
    let wanted = fs::metadata(from)?.permissions();
    if fs::metadata(to)?.permissions() == wanted {
        return Ok(Attributes::Kept { changed: false });
    }
    Ok(match fs::set_permissions(to, wanted) {
        Ok(()) => Attributes::Kept { changed: true },
        Err(error) => Attributes::Lost(format!("the read-only flag cannot be set: {error}")),
    })
}
