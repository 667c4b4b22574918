//! Windows: `std` sets only the read-only flag.

use std::fs;
use std::io;
use std::path::Path;

use super::Attributes;

pub(super) fn copy(from: &Path, to: &Path) -> io::Result<Attributes> {
    let wanted = fs::metadata(from)?.permissions();
    if fs::metadata(to)?.permissions() != wanted
        && let Err(error) = fs::set_permissions(to, wanted)
    {
        return Ok(Attributes::Lost(format!("the read-only flag cannot be set: {error}")));
    }
    Ok(Attributes::Kept)
}
