//! A cancellation token: one flag, an optional deadline, nothing else.
//!
//! Long work takes a `&CancelToken` last and calls [`CancelToken::check`] in its loops. The token does not interrupt
//! anything by itself, starts no thread and knows no event loop.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why work was told to stop.
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
    /// A token that is not cancelled and has no deadline.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same flag with a deadline `timeout` from now. A timeout too far away to be represented is no deadline;
    /// zero has passed already.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self { flag: Arc::clone(&self.flag), deadline: Instant::now().checked_add(timeout) }
    }

    /// The same flag without a deadline, for finishing what a passed deadline left.
    #[must_use]
    pub fn without_deadline(&self) -> Self {
        Self { flag: Arc::clone(&self.flag), deadline: None }
    }

    /// Asks all work that holds a clone of this token to stop.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Release);
    }

    /// Whether work should go on. Reads the clock only when there is a deadline.
    ///
    /// # Errors
    /// [`Stopped::Cancelled`] once cancelled, else [`Stopped::TimedOut`] once the deadline has passed.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.flag.load(Ordering::Acquire) {
            return Err(Stopped::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stopped::TimedOut),
            _ => Ok(()),
        }
    }

    /// The time left until the deadline; `None` without one.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_of_zero_has_passed_at_once() {
        assert_eq!(CancelToken::new().with_timeout(Duration::ZERO).check(), Err(Stopped::TimedOut));
    }

    #[test]
    fn a_timeout_beyond_the_clock_is_no_deadline() {
        let token = CancelToken::new().with_timeout(Duration::MAX);
        assert_eq!(token.check(), Ok(()));
        assert_eq!(token.time_left(), None);
    }

    #[test]
    fn cancelling_one_clone_cancels_all_and_wins_over_the_deadline() {
        let token = CancelToken::new();
        let timed = token.with_timeout(Duration::ZERO);
        token.cancel();
        assert_eq!(timed.check(), Err(Stopped::Cancelled));
    }
}
