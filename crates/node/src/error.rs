//! Errors of the core as data: a stable code, a message that states what to do next, and the facts.

use std::borrow::Cow;

use cairn_cancel::Stopped;
use cairn_search::SearchError;
use cairn_walk::WalkError;
use napi_derive::napi;

/// Why a call failed. The facade turns it into a `CairnError`.
#[napi(object, object_from_js = false)]
#[derive(Debug, Default, PartialEq, Eq)]
pub struct NativeError {
    /// A stable code, such as `PATH_NOT_FOUND`.
    pub code: String,
    /// States what is wrong and what to do next.
    pub message: String,
    /// The path concerned.
    pub path: Option<String>,
    /// The pattern concerned.
    pub pattern: Option<String>,
    /// Where in the pattern the fault is, in UTF-16 code units.
    pub offset: Option<u32>,
    /// The option concerned.
    pub option: Option<&'static str>,
}

impl From<SearchError> for NativeError {
    fn from(error: SearchError) -> Self {
        if let Some(stopped) = error.stopped() {
            return stopped.into();
        }
        match error {
            SearchError::Walk(error) => error.into(),
            SearchError::InvalidGlob { pattern, reason } => Self {
                code: "INVALID_GLOB".to_owned(),
                message: format!("invalid glob {:?}: {reason}", shortened(&pattern)),
                pattern: Some(pattern),
                ..Self::default()
            },
            SearchError::InvalidOption { option, value, reason } => Self {
                code: "INVALID_OPTION".to_owned(),
                message: format!("invalid {option} {:?}: {reason}", shortened(&value)),
                option: Some(option),
                ..Self::default()
            },
            SearchError::InvalidRegex { pattern, reason, offset } => {
                let offset =
                    offset.and_then(|offset| crate::utf16::offsets(pattern.as_bytes(), [offset].into_iter()).pop());
                let place = offset.map_or(String::new(), |offset| format!(" at offset {offset}"));
                // Some reasons state what to do; to search for the text does not help then.
                let advice = if reason.contains("; ") {
                    ""
                } else {
                    "; correct it, or set literal to search for the exact text"
                };
                Self {
                    code: "INVALID_REGEX".to_owned(),
                    message: format!("invalid regular expression {pattern:?}{place}: {reason}{advice}"),
                    pattern: Some(pattern),
                    offset,
                    ..Self::default()
                }
            }
            SearchError::QueryTooLong => {
                Self { code: "INVALID_OPTION".to_owned(), message: error.to_string(), ..Self::default() }
            }
            other => Self::internal(&other.to_string()),
        }
    }
}

/// How many characters of a value a message shows.
const MAX_SHOWN: usize = 1000;

/// A value as a message shows it.
fn shortened(value: &str) -> Cow<'_, str> {
    match value.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &value[..end])),
        None => Cow::Borrowed(value),
    }
}

impl From<WalkError> for NativeError {
    fn from(error: WalkError) -> Self {
        match error {
            WalkError::NotFound { path, source } => {
                let advice = match source.kind() {
                    std::io::ErrorKind::PermissionDenied => "check the permissions of its parent directories",
                    _ => "check the path; a relative path starts at the working directory",
                };
                Self {
                    code: "PATH_NOT_FOUND".to_owned(),
                    message: format!("cannot find {}: {source}; {advice}", path.display()),
                    path: Some(path.to_string_lossy().into_owned()),
                    ..Self::default()
                }
            }
            WalkError::NotADirectory { path } => Self {
                code: "NOT_A_DIRECTORY".to_owned(),
                message: format!("{} is not a directory; pass the directory that contains it", path.display()),
                path: Some(path.to_string_lossy().into_owned()),
                ..Self::default()
            },
            WalkError::Stopped(stopped) => stopped.into(),
            other => Self::internal(&other.to_string()),
        }
    }
}

impl From<Stopped> for NativeError {
    fn from(stopped: Stopped) -> Self {
        let (code, message) = match stopped {
            Stopped::Cancelled => ("CANCELLED", "the call was cancelled"),
            Stopped::TimedOut => (
                "TIMEOUT",
                "the time ran out; raise timeoutMs, search a smaller directory, or set onTimeout: 'partial' for a partial result",
            ),
        };
        Self { code: code.to_owned(), message: message.to_owned(), ..Self::default() }
    }
}

impl NativeError {
    /// A bug in this crate or below.
    pub(crate) fn internal(what: &str) -> Self {
        Self {
            code: "INTERNAL".to_owned(),
            message: format!("internal error: {what}; report this bug. The process continues"),
            ..Self::default()
        }
    }
}
