//! Results that cross the border part by part, each when JavaScript asks for it.
//!
//! A search writes into a [`Slot`], JavaScript takes from it: [`Slot::next`] returns a promise of the next part. So the search
//! waits while JavaScript works, and nothing is sent to a caller that has gone.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cairn_cancel::Stopped;
use napi::bindgen_prelude::{Object, ToNapiValue};
use napi::{Env, JsDeferred};

/// How long a search waits for JavaScript before it checks its token again.
const CHECK: Duration = Duration::from_millis(10);

type Resolver<P> = Box<dyn FnOnce(Env) -> napi::Result<P>>;
type Waiting<P> = JsDeferred<P, Resolver<P>>;

/// Where a search and JavaScript meet.
pub(crate) struct Slot<P: ToNapiValue + 'static> {
    state: Mutex<State<P>>,
    asked: Condvar,
}

struct State<P: ToNapiValue + 'static> {
    waiting: Option<Waiting<P>>,
    /// The last part, when it was not requested yet.
    last: Option<P>,
}

impl<P: ToNapiValue + Send + 'static> Slot<P> {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(State { waiting: None, last: None }), asked: Condvar::new() })
    }

    /// Returns a promise of the next part. Call it again only when that has settled.
    pub(crate) fn next<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let (deferred, promise) = env.create_deferred::<P, Resolver<P>>()?;
        let mut state = self.lock();
        match state.last.take() {
            Some(part) => resolve(deferred, part),
            None => state.waiting = Some(deferred),
        }
        drop(state);
        self.asked.notify_all();
        Ok(promise)
    }

    /// Whether JavaScript waits for a part.
    pub(crate) fn is_asked(&self) -> bool {
        self.lock().waiting.is_some()
    }

    /// Waits until JavaScript asks, then sends the part that `make` returns.
    pub(crate) fn send(
        &self,
        make: impl FnOnce() -> P,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let mut state = self.lock();
        let deferred = loop {
            if let Some(deferred) = state.waiting.take() {
                break deferred;
            }
            state = self.asked.wait_timeout(state, CHECK).unwrap_or_else(PoisonError::into_inner).0;
            check()?;
        };
        drop(state);
        resolve(deferred, make());
        Ok(())
    }

    /// Sends the last part: to JavaScript if it waits, otherwise when it asks.
    pub(crate) fn end(&self, part: P) {
        let mut state = self.lock();
        match state.waiting.take() {
            Some(deferred) => resolve(deferred, part),
            None => state.last = Some(part),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<P>> {
        // No code panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn resolve<P: ToNapiValue + Send + 'static>(deferred: Waiting<P>, part: P) {
    deferred.resolve(Box::new(move |_env| Ok(part)));
}
