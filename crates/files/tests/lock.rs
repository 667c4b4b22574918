//! Locks within one process; `test/natives/files.test.ts` has those between processes.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use cairn_cancel::CancelToken;
use cairn_files::{Lock, LockError, lock};
use tempfile::TempDir;

fn try_lock(path: &Path) -> Option<Lock> {
    lock(path, &CancelToken::new().with_timeout(Duration::ZERO)).unwrap()
}

/// Long enough that a lock that can be had is had.
fn patient() -> CancelToken {
    CancelToken::new().with_timeout(Duration::from_secs(20))
}

#[test]
fn a_lock_is_held_until_it_is_released_or_dropped() {
    let directory = TempDir::new().unwrap();
    let first = try_lock(directory.path()).unwrap();
    assert!(try_lock(directory.path()).is_none());
    first.release();
    let second = try_lock(directory.path()).unwrap();
    assert!(try_lock(directory.path()).is_none());
    drop(second);
    assert!(try_lock(directory.path()).is_some());
}

#[test]
fn a_lock_of_a_directory_that_was_replaced_during_the_wait_is_not_taken() {
    let root = TempDir::new().unwrap();
    let [path, moved] = ["d", "moved"].map(|name| root.path().join(name));
    fs::create_dir(&path).unwrap();
    let old = try_lock(&path).unwrap();
    let waiting = thread::spawn({
        let path = path.clone();
        move || lock(&path, &patient())
    });
    // The wait begins on the old or on the new directory; both must end on the new one.
    thread::yield_now();
    fs::rename(&path, &moved).unwrap();
    // As soon as it is there: the waiting call may come between.
    while fs::create_dir(&path).is_err() {}
    let lock = match waiting.join().unwrap() {
        Ok(lock) => lock.unwrap(),
        // The path did not exist at that moment.
        Err(LockError::System(error)) => {
            assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
            return;
        }
        Err(error) => panic!("{error:?}"),
    };
    assert!(try_lock(&path).is_none());
    drop(old);
    assert!(try_lock(&moved).is_some());
    drop(lock);
}

#[test]
fn a_file_that_was_replaced_before_its_lock_was_free_is_not_the_one_that_is_locked() {
    let root = TempDir::new().unwrap();
    let [path, other] = ["file", "other"].map(|name| root.path().join(name));
    fs::write(&path, "old").unwrap();
    fs::write(&other, "new").unwrap();
    let old = try_lock(&path).unwrap();
    let waiting = thread::spawn({
        let path = path.clone();
        move || lock(&path, &patient())
    });
    fs::rename(&other, &path).unwrap();
    drop(old);
    let lock = waiting.join().unwrap().unwrap().unwrap();
    assert!(try_lock(&path).is_none());
    lock.release();
    assert!(try_lock(&path).is_some());
}

#[test]
fn a_cancelled_wait_ends_without_the_lock() {
    let directory = TempDir::new().unwrap();
    let held = try_lock(directory.path()).unwrap();
    let token = CancelToken::new();
    let waiting = thread::spawn({
        let (path, token) = (directory.path().to_owned(), token.clone());
        move || lock(&path, &token)
    });
    token.cancel();
    assert!(matches!(waiting.join().unwrap(), Err(LockError::Cancelled)));
    held.release();
    assert!(try_lock(directory.path()).is_some());
}
