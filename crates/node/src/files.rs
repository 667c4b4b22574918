//! `copyAttributes`, `replaceFile`, `exchangeFiles`, `renameNoReplace` and `lockPath`: file system functions for commits.

#![allow(clippy::elidable_lifetime_names, reason = "the macro needs the lifetime by name")]

use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cairn_files::{Attributes, Lock, LockError, Replaced};
use napi::Env;
use napi::bindgen_prelude::{AsyncTask, Object};
use napi_derive::napi;

use crate::task::{CancelHandle, QuickTask, quick, run_on_own_thread};

/// Why a call failed, as the system states it.
#[napi(object)]
#[derive(Debug, Default)]
pub struct NativeFileError {
    /// A code of Node, `CANCELLED` or `INTERNAL`; absent where `errno` has the number.
    pub code: Option<String>,
    /// The number of the system's error, on Unix.
    pub errno: Option<i32>,
    pub message: String,
}

impl NativeFileError {
    fn coded(code: &str, message: String) -> Self {
        Self { code: Some(code.to_owned()), errno: None, message }
    }

    fn internal(what: &str) -> Self {
        Self::coded("INTERNAL", format!("internal error: {what}; report this bug. The process continues"))
    }
}

impl From<io::Error> for NativeFileError {
    fn from(error: io::Error) -> Self {
        let message = error.to_string();
        // The numbers of Windows differ from the numbers of Node.
        let errno = if cfg!(unix) { error.raw_os_error() } else { None };
        let code = match error.kind() {
            _ if errno.is_some() => None,
            io::ErrorKind::NotFound => Some("ENOENT"),
            io::ErrorKind::PermissionDenied => Some("EPERM"),
            io::ErrorKind::AlreadyExists => Some("EEXIST"),
            io::ErrorKind::StorageFull => Some("ENOSPC"),
            io::ErrorKind::ReadOnlyFilesystem => Some("EROFS"),
            io::ErrorKind::CrossesDevices => Some("EXDEV"),
            io::ErrorKind::ResourceBusy => Some("EBUSY"),
            io::ErrorKind::InvalidInput => Some("EINVAL"),
            _ => Some("EIO"),
        };
        Self { code: code.map(str::to_owned), errno, message }
    }
}

impl From<LockError> for NativeFileError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Unsupported(error) => Self::coded("ENOTSUP", error.to_string()),
            LockError::System(error) => error.into(),
            LockError::Cancelled => Self::coded("CANCELLED", "the call was cancelled".to_owned()),
        }
    }
}

/// What became of the attributes and of the names.
#[napi(object, object_from_js = false)]
pub struct NativeReplaced {
    /// Why an attribute cannot be kept; absent when all are.
    pub lost: Option<String>,
    /// Whether the names were exchanged, or the file was renamed, as asked.
    pub done: bool,
}

type Quick = AsyncTask<QuickTask<NativeReplaced, NativeFileError>>;

/// Gives `to` the owner, group, permissions, access lists and extended attributes of `from`.
#[napi(ts_return_type = "Promise<NativeReplaced | NativeFileError>")]
pub fn copy_attributes(from: String, to: String) -> Quick {
    let job = move || {
        let lost = match cairn_files::copy_attributes(Path::new(&from), Path::new(&to))? {
            Attributes::Kept { .. } => None,
            Attributes::Lost(reason) => Some(reason),
        };
        Ok(NativeReplaced { lost, done: false })
    };
    quick(job, NativeFileError::internal)
}

/// Copies the attributes of `target` to `temporary`, syncs `temporary`, and exchanges the names.
#[napi(ts_return_type = "Promise<NativeReplaced | NativeFileError>")]
pub fn replace_file<'env>(
    env: &'env Env,
    temporary: String,
    target: String,
    is_synced: bool,
) -> napi::Result<Object<'env>> {
    let job = move || {
        Ok(match cairn_files::replace(Path::new(&temporary), Path::new(&target), is_synced)? {
            Replaced::Exchanged => NativeReplaced { lost: None, done: true },
            Replaced::Unsupported => NativeReplaced { lost: None, done: false },
            Replaced::Refused(reason) => NativeReplaced { lost: Some(reason), done: false },
        })
    };
    run_on_own_thread(env, job, NativeFileError::internal)
}

/// Exchanges two names, where the system can.
#[napi(ts_return_type = "Promise<NativeReplaced | NativeFileError>")]
pub fn exchange_files(left: String, right: String) -> Quick {
    let job = move || {
        let done = cairn_files::exchange(Path::new(&left), Path::new(&right))?;
        Ok(NativeReplaced { lost: None, done })
    };
    quick(job, NativeFileError::internal)
}

/// Renames in one step, unless the new name exists, where the system can.
#[napi(ts_return_type = "Promise<NativeReplaced | NativeFileError>")]
pub fn rename_no_replace(from: String, to: String) -> Quick {
    let job = move || {
        let done = cairn_files::rename_no_replace(Path::new(&from), Path::new(&to))?;
        Ok(NativeReplaced { lost: None, done })
    };
    quick(job, NativeFileError::internal)
}

/// A lock, or the answer that another one is held.
#[napi]
pub struct NativeLock {
    lock: Mutex<Option<Lock>>,
}

#[napi]
impl NativeLock {
    /// Whether the path is locked by this object.
    #[napi(getter)]
    pub fn held(&self) -> bool {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Releases the lock. Another call does nothing.
    #[napi]
    pub fn release(&self) {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// Locks a directory or a file; without a timeout it waits until the lock is free.
#[napi(ts_return_type = "Promise<NativeLock | NativeFileError>")]
pub fn lock_path<'env>(
    env: &'env Env,
    path: String,
    timeout_ms: Option<f64>,
    handle: Option<&CancelHandle>,
) -> napi::Result<Object<'env>> {
    let mut token = handle.map(|handle| handle.token().clone()).unwrap_or_default();
    if let Some(timeout_ms) = timeout_ms {
        token = token.with_timeout(Duration::try_from_secs_f64(timeout_ms / 1000.0).unwrap_or(Duration::MAX));
    }
    let job = move || Ok(NativeLock { lock: Mutex::new(cairn_files::lock(Path::new(&path), &token)?) });
    run_on_own_thread(env, job, NativeFileError::internal)
}
