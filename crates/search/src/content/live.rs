//! Counts work that is not done, so that others can wait for its end.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

#[derive(Default)]
pub(super) struct Count {
    number: Mutex<usize>,
    is_zero: Condvar,
}

/// One piece of work, until it is dropped.
pub(super) struct Live(Arc<Count>);

impl Live {
    pub(super) fn new(count: &Arc<Count>) -> Self {
        *count.number.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Self(Arc::clone(count))
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        *self.0.number.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.is_zero.notify_all();
    }
}

impl Count {
    /// Waits until no work is left.
    pub(super) fn wait(&self) {
        let number = self.number.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.is_zero.wait_while(number, |number| *number > 0));
    }
}
