//! A cancellation token: one flag and an optional deadline.
//!
//! A long function takes a `&CancelToken` as its last parameter and calls [`CancelToken::check`] in its loops. The token
//! interrupts nothing by itself, starts no thread and uses no event loop.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why work has to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// [`CancelToken::cancel`] was called.
    Cancelled,
    /// The deadline passed.
    TimedOut,
}

impl fmt::Display for Stopped {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Cancelled => "cancelled by the caller",
            Self::TimedOut => "timed out",
        })
    }
}

impl Error for Stopped {}

/// A flag shared by every clone, and a deadline that belongs to the clone.
///
/// Cloning is cheap. Cancelling one clone cancels all of them; once cancelled a token stays cancelled.
///
/// ```
/// use cairn_cancel::{CancelToken, Stopped};
/// let token = CancelToken::new();
/// assert_eq!(token.check(), Ok(()));
/// token.clone().cancel();
/// assert_eq!(token.check(), Err(Stopped::Cancelled));
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    flag: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl CancelToken {
    /// Makes a token that is not cancelled and has no deadline.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a token with the same flag and a deadline `timeout` from now. Zero is a deadline that has already passed. A
    /// timeout too large for the clock means no deadline.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        let ends = Instant::now().checked_add(timeout);
        // `None` is never.
        let deadline = [self.deadline, ends].into_iter().flatten().min();
        Self { flag: Arc::clone(&self.flag), deadline }
    }

    /// Returns a token with the same flag and no deadline, to finish work after the deadline has passed.
    #[must_use]
    pub fn without_deadline(&self) -> Self {
        Self { flag: Arc::clone(&self.flag), deadline: None }
    }

    /// Cancels this token and all its clones.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Release);
    }

    /// Succeeds while the work may continue. Reads the clock only when there is a deadline.
    ///
    /// # Errors
    /// [`Stopped::Cancelled`] after a cancellation, otherwise [`Stopped::TimedOut`] after the deadline.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.flag.load(Ordering::Acquire) {
            return Err(Stopped::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stopped::TimedOut),
            _ => Ok(()),
        }
    }

    /// Returns the time left until the deadline; `None` without a deadline.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_of_zero_is_over_at_once() {
        assert_eq!(CancelToken::new().with_timeout(Duration::ZERO).check(), Err(Stopped::TimedOut));
    }

    #[test]
    fn a_timeout_beyond_the_clock_is_no_deadline() {
        let token = CancelToken::new().with_timeout(Duration::MAX);
        assert_eq!(token.check(), Ok(()));
        assert_eq!(token.time_left(), None);
    }

    #[test]
    fn cancelling_one_clone_cancels_all_and_takes_precedence_over_the_deadline() {
        let token = CancelToken::new();
        let timed = token.with_timeout(Duration::ZERO);
        token.cancel();
        assert_eq!(timed.check(), Err(Stopped::Cancelled));
    }
}
