//! Conversion between paths and bytes, and the resolution of roots and invalidation targets.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use crate::error::WalkError;

/// The system resolves at most this many links in a row; see `path_resolution(7)`.
const MAX_LINK_HOPS: usize = 40;

/// Returns the bytes of a path, `/` separated.
#[must_use]
pub fn to_bytes(path: &Path) -> Cow<'_, [u8]> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Cow::Borrowed(path.as_os_str().as_bytes())
    }
    #[cfg(not(unix))]
    {
        Cow::Owned(path.to_string_lossy().replace('\\', "/").into_bytes())
    }
}

/// Returns the path with the given bytes. Outside Unix, where names are not bytes, invalid UTF-8 is replaced.
#[must_use]
pub fn from_bytes(bytes: &[u8]) -> Cow<'_, Path> {
    #[cfg(unix)]
    {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        Cow::Borrowed(Path::new(OsStr::from_bytes(bytes)))
    }
    #[cfg(not(unix))]
    {
        match String::from_utf8_lossy(bytes) {
            Cow::Borrowed(text) => Cow::Borrowed(Path::new(text)),
            Cow::Owned(text) => Cow::Owned(PathBuf::from(text)),
        }
    }
}

/// git does not read larger ignore files either.
const MAX_RULE_FILE_BYTES: u64 = 100 << 20;

/// Reads a configuration or ignore file. Rejects FIFOs and devices, which can block or never end.
pub(crate) fn read_regular_file(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::{Error, ErrorKind, Read};
    if !std::fs::metadata(path)?.is_file() {
        return Err(ErrorKind::NotFound.into());
    }
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Does not block if the file has been replaced by a FIFO.
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(ErrorKind::NotFound.into());
    }
    if metadata.len() > MAX_RULE_FILE_BYTES {
        return Err(Error::from(ErrorKind::FileTooLarge));
    }
    let mut contents = Vec::new();
    file.take(MAX_RULE_FILE_BYTES).read_to_end(&mut contents)?;
    Ok(contents)
}

/// Counts the slashes in `path`.
#[allow(clippy::naive_bytecount, reason = "paths are short")]
pub(crate) fn slashes(path: &[u8]) -> usize {
    path.iter().filter(|&&byte| byte == b'/').count()
}

/// Makes `path` absolute, relative to the working directory, and canonical. It must exist. A path of something that is
/// neither a file nor a directory may not be canonical.
///
/// # Errors
/// [`WalkError::NotFound`] when the path does not exist or cannot be read, [`WalkError::NotADirectory`] for a file with a
/// trailing `/`.
pub fn resolve_existing(path: &Path) -> Result<(PathBuf, std::fs::Metadata), WalkError> {
    let absolute = std::path::absolute(path).map_err(|source| WalkError::NotFound { path: path.to_owned(), source })?;
    match std::fs::metadata(&absolute) {
        Ok(metadata) => match absolute.canonicalize() {
            Ok(canonical) => Ok((canonical, metadata)),
            Err(source) if metadata.is_dir() || metadata.is_file() => {
                Err(WalkError::NotFound { path: absolute, source })
            }
            // A pipe of the shell has no path.
            Err(_) => Ok((absolute, metadata)),
        },
        Err(source) => {
            let file = without_trailing_slash(&absolute);
            if file.as_os_str() != absolute.as_os_str() && std::fs::metadata(&file).is_ok() {
                return Err(WalkError::NotADirectory { path: file });
            }
            Err(WalkError::NotFound { path: absolute, source })
        }
    }
}

fn without_trailing_slash(path: &Path) -> PathBuf {
    path.components().collect()
}

/// Returns the path of `node_modules` in a directory with a path that ends with `/` or is empty.
pub(crate) fn node_modules_in(directory: &[u8]) -> Box<[u8]> {
    [directory, b"node_modules"].concat().into()
}

/// Resolves the root of a scan: an existing directory, absolute and canonical.
///
/// # Errors
/// [`WalkError::NotFound`] when it does not exist or cannot be read, [`WalkError::NotADirectory`] when it is not a
/// directory.
pub fn resolve_root(path: &Path) -> Result<PathBuf, WalkError> {
    let (root, metadata) = resolve_existing(path)?;
    if metadata.is_dir() { Ok(root) } else { Err(WalkError::NotADirectory { path: root }) }
}

/// Checks that a path that was given as canonical is the one that it resolves to.
///
/// # Errors
/// [`WalkError::NotFound`] for a path with a symbolic link in it.
pub fn require_canonical(given: &Path, resolved: &Path) -> Result<(), WalkError> {
    // Elsewhere the canonical form of a path has a prefix.
    if cfg!(not(unix)) || given == resolved {
        return Ok(());
    }
    let source = std::io::Error::new(std::io::ErrorKind::NotFound, format!("it leads to {}", resolved.display()));
    Err(WalkError::NotFound { path: given.to_owned(), source })
}

/// Whether a file of this name is a temporary file of the tools that write: `.cairn-`, 16 hexadecimal digits, `.tmp`. No
/// search shows one, whatever its options.
#[must_use]
pub fn is_own_temporary(name: &[u8]) -> bool {
    // Nearly all names have another length.
    name.len() == 27
        && name
            .strip_prefix(b".cairn-")
            .and_then(|rest| rest.strip_suffix(b".tmp"))
            .is_some_and(|digits| digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')))
}

/// Resolves the target of an invalidation to the paths that may have changed: the path itself in its canonical directory
/// and, when it is a symbolic link, also its target. A slash or dot at the end does not make a link its target. The names that no longer exist are appended to the canonical form of
/// the nearest ancestor that exists. Never fails.
pub(crate) fn resolve_target(path: &Path) -> Vec<PathBuf> {
    let absolute = without_trailing_slash(&absolute(path));
    if let Ok(metadata) = std::fs::symlink_metadata(&absolute) {
        let mut paths = Vec::new();
        if let (true, Some(parent), Some(name)) = (metadata.is_symlink(), absolute.parent(), absolute.file_name()) {
            paths.extend(parent.canonicalize().map(|parent| parent.join(name)));
        }
        paths.extend(absolute.canonicalize());
        if !paths.is_empty() {
            return paths;
        }
    }
    let absolute = normalize(&absolute);
    let mut missing: Vec<OsString> = Vec::new();
    let mut existing = absolute.as_path();
    loop {
        if let Ok(canonical) = existing.canonicalize() {
            return vec![missing.iter().rev().fold(canonical, |path, name| path.join(name))];
        }
        match (existing.parent(), existing.file_name()) {
            (Some(parent), Some(name)) => {
                missing.push(name.to_owned());
                existing = parent;
            }
            _ => return vec![absolute],
        }
    }
}

/// Returns the path of every link that `path` leads through, and its final target, as far as they can be resolved. A change at
/// any of them may change what is at the path.
pub(crate) fn paths_through_links(path: &Path) -> Vec<PathBuf> {
    let mut places = Vec::new();
    let mut resolved = PathBuf::new();
    let mut left = vec![absolute(path)];
    while let Some(path) = left.pop() {
        let mut components = path.components();
        let Some(component) = components.next() else { continue };
        left.push(components.as_path().to_owned());
        match component {
            Component::Normal(name) => {
                let place = resolved.join(name);
                match std::fs::read_link(&place) {
                    Ok(target) if places.len() < MAX_LINK_HOPS => {
                        places.push(place);
                        left.push(target);
                    }
                    _ => resolved = place,
                }
            }
            Component::ParentDir => _ = resolved.pop(),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => resolved.push(component),
        }
    }
    places.push(resolved);
    places
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Removes `.` and resolves `..` by name. Only for paths that may not exist.
fn normalize(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}
