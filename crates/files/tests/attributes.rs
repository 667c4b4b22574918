//! What a copy of attributes keeps, on Linux: with values that the system stores and returns.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use cairn_files::{Attributes, copy_attributes};
use proptest::prelude::*;
use rustix::fs::{XattrFlags, lgetxattr, llistxattr, lsetxattr};
use tempfile::TempDir;

const ACCESS_LIST: &str = "system.posix_acl_access";
const DEFAULT_LIST: &str = "system.posix_acl_default";

const KEPT: Attributes = Attributes::Kept { changed: true };

type Extended = BTreeMap<String, Vec<u8>>;

fn set(path: &Path, name: &str, value: &[u8]) {
    lsetxattr(path, name, value, XattrFlags::empty()).unwrap();
}

fn extended(path: &Path) -> Extended {
    let mut list = vec![0; 64 * 1024];
    let length = llistxattr(path, &mut list[..]).unwrap();
    let names = list[..length].split(|&byte| byte == 0).filter(|name| !name.is_empty());
    let read = |name: &[u8]| {
        let name = String::from_utf8(name.to_vec()).unwrap();
        let mut value = vec![0; 64 * 1024];
        let length = lgetxattr(path, name.as_str(), &mut value[..]).unwrap();
        value.truncate(length);
        (name, value)
    };
    names.map(read).collect()
}

/// An access list in the system's form: read and write for the owner, `permissions` for the user 4321, nothing for others.
fn access_list(permissions: u16) -> Vec<u8> {
    let anyone = u32::MAX;
    let entries: [(u16, u16, u32); 5] =
        [(1, 6, anyone), (2, permissions, 4321), (4, 4, anyone), (16, 7, anyone), (32, 0, anyone)];
    let mut bytes = 2_u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(permissions.to_le_bytes());
        bytes.extend(id.to_le_bytes());
    }
    bytes
}

/// What a copy must keep.
fn kept(path: &Path) -> (u32, u32, u32, Extended) {
    let metadata = fs::metadata(path).unwrap();
    (metadata.uid(), metadata.gid(), metadata.mode(), extended(path))
}

fn two_files() -> (TempDir, PathBuf, PathBuf) {
    let directory = TempDir::new().unwrap();
    let [from, to] = ["from", "to"].map(|name| directory.path().join(name));
    fs::write(&from, "old").unwrap();
    fs::write(&to, "new").unwrap();
    fs::set_permissions(&to, fs::Permissions::from_mode(0o600)).unwrap();
    (directory, from, to)
}

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

#[test]
fn permissions_access_list_and_extended_attributes_are_copied() {
    let (_directory, from, to) = two_files();
    set(&from, "user.mark", b"value \0 with a NUL");
    set(&from, "user.empty", b"");
    set(&from, ACCESS_LIST, &access_list(7));
    assert_eq!(copy_attributes(&from, &to).unwrap(), KEPT);
    assert_eq!(kept(&to), kept(&from));
    assert_eq!(extended(&to).len(), 3);
    assert_eq!(fs::read(&to).unwrap(), b"new");
}

#[test]
fn owner_group_and_the_bits_that_a_change_of_the_owner_clears_are_copied() {
    if !is_root() {
        return;
    }
    let (_directory, from, to) = two_files();
    chown(&from, Some(4321), Some(1234)).unwrap();
    fs::set_permissions(&from, fs::Permissions::from_mode(0o6751)).unwrap();
    set(&from, "trusted.mark", b"1");
    set(&from, "security.mark", b"2");
    assert_eq!(copy_attributes(&from, &to).unwrap(), KEPT);
    assert_eq!(kept(&to), kept(&from));
    assert_eq!(fs::metadata(&to).unwrap().mode() & 0o7777, 0o6751);
}

#[test]
fn an_access_list_that_the_new_file_inherited_is_removed() {
    let (directory, from, _to) = two_files();
    set(directory.path(), DEFAULT_LIST, &access_list(7));
    let to = directory.path().join("inherits");
    fs::write(&to, "new").unwrap();
    set(&to, "user.own", b"");
    assert!(extended(&to).contains_key(ACCESS_LIST));
    assert_eq!(copy_attributes(&from, &to).unwrap(), KEPT);
    assert_eq!(extended(&to), Extended::new());
    assert_eq!(kept(&to), kept(&from));
}

#[test]
fn a_directory_keeps_the_list_for_its_new_files() {
    let directory = TempDir::new().unwrap();
    let [from, to] = ["from", "to"].map(|name| directory.path().join(name));
    fs::create_dir(&from).unwrap();
    fs::create_dir(&to).unwrap();
    set(&from, DEFAULT_LIST, &access_list(5));
    assert_eq!(copy_attributes(&from, &to).unwrap(), KEPT);
    assert_eq!(kept(&to), kept(&from));
    assert!(extended(&to).contains_key(DEFAULT_LIST));
}

#[test]
fn a_second_copy_changes_nothing() {
    let (_directory, from, to) = two_files();
    set(&from, "user.mark", b"value");
    set(&from, ACCESS_LIST, &access_list(6));
    copy_attributes(&from, &to).unwrap();
    let changed = |path: &Path| {
        let metadata = fs::metadata(path).unwrap();
        (metadata.ctime(), metadata.ctime_nsec())
    };
    let before = changed(&to);
    // Until the clock of the file system has moved on, so that a change would show.
    let probe = to.with_file_name("probe");
    while {
        fs::write(&probe, "").unwrap();
        changed(&probe) <= before
    } {}
    assert_eq!(copy_attributes(&from, &to).unwrap(), Attributes::Kept { changed: false });
    assert_eq!(changed(&to), before);
}

#[test]
fn a_link_is_not_followed_and_a_pipe_does_not_stop_the_copy() {
    let (directory, from, to) = two_files();
    let link = directory.path().join("link");
    symlink(&from, &link).unwrap();
    assert!(copy_attributes(&link, &to).is_err());
    assert!(copy_attributes(&to, &link).is_err());
    let pipe = directory.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert_eq!(copy_attributes(&pipe, &to).unwrap(), Attributes::Kept { changed: false });
}

#[test]
fn a_missing_file_is_an_error() {
    let (directory, from, _to) = two_files();
    let missing = directory.path().join("missing");
    assert_eq!(copy_attributes(&from, &missing).unwrap_err().kind(), std::io::ErrorKind::NotFound);
    assert_eq!(copy_attributes(&missing, &from).unwrap_err().kind(), std::io::ErrorKind::NotFound);
    assert!(File::open(&from).is_ok());
}

fn some_attributes() -> impl Strategy<Value = Extended> {
    let name = "user\\.[a-d]{1,2}";
    prop::collection::btree_map(name, prop::collection::vec(any::<u8>(), 0..40), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn whatever_both_files_have_afterwards_they_have_the_same(
        first in some_attributes(),
        second in some_attributes(),
        modes in (0o400_u32..0o1000, 0o600_u32..0o1000),
        list in prop::option::of(0_u16..8),
        other in prop::option::of(0_u16..8),
    ) {
        let (_directory, from, to) = two_files();
        for (path, attributes, list, mode) in [(&from, &first, list, modes.0), (&to, &second, other, modes.1 | 0o600)] {
            for (name, value) in attributes {
                set(path, name, value);
            }
            if let Some(permissions) = list {
                set(path, ACCESS_LIST, &access_list(permissions));
            }
            fs::set_permissions(path, fs::Permissions::from_mode(mode | 0o400)).unwrap();
        }
        let before = kept(&from);
        let changed = kept(&to) != before;
        prop_assert_eq!(copy_attributes(&from, &to).unwrap(), Attributes::Kept { changed });
        prop_assert_eq!(&kept(&to), &before);
        prop_assert_eq!(&kept(&from), &before);
    }
}
