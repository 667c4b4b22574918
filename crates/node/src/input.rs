//! Text that JavaScript passes to a search while it runs.

use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cairn_cancel::CancelToken;
use napi::bindgen_prelude::{Object, Uint8Array};
use napi::{Env, JsDeferred};
use napi_derive::napi;

/// How long a search waits for text before it checks its token again.
const CHECK: Duration = Duration::from_millis(10);

type Resolver = Box<dyn FnOnce(Env) -> napi::Result<bool>>;

/// The text of a search that reads no file. One chunk at a time waits to be read.
#[napi]
#[derive(Default)]
pub struct GrepInput {
    pipe: Arc<Pipe>,
}

#[derive(Default)]
struct Pipe {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    chunk: Vec<u8>,
    /// How much of it was read.
    at: usize,
    asked: Option<JsDeferred<bool, Resolver>>,
    is_whole: bool,
    is_closed: bool,
}

impl Pipe {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn answer(&mut self) {
        let is_wanted = !self.is_closed;
        if (self.is_closed || self.at == self.chunk.len())
            && let Some(deferred) = self.asked.take()
        {
            deferred.resolve(Box::new(move |_env| Ok(is_wanted)));
        }
    }
}

#[napi]
impl GrepInput {
    /// Creates an empty text.
    #[napi(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a promise: true when the search has read the last chunk, false when it reads no more.
    #[napi(ts_return_type = "Promise<boolean>")]
    #[allow(clippy::elidable_lifetime_names, reason = "the macro needs the lifetime by name")]
    pub fn wanted<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let (deferred, promise) = env.create_deferred::<bool, Resolver>()?;
        let mut state = self.pipe.lock();
        state.asked = Some(deferred);
        state.answer();
        Ok(promise)
    }

    /// Adds a chunk. Call it only when it is wanted.
    #[napi]
    #[allow(clippy::needless_pass_by_value, reason = "the macro passes it so")]
    pub fn push(&self, chunk: Uint8Array) {
        let mut state = self.pipe.lock();
        // A copy: the memory stays JavaScript's, which may change it.
        (state.chunk, state.at) = (chunk.to_vec(), 0);
        self.pipe.changed.notify_all();
    }

    /// Ends the text.
    #[napi]
    pub fn end(&self) {
        self.pipe.lock().is_whole = true;
        self.pipe.changed.notify_all();
    }
}

impl GrepInput {
    /// The reader of the text.
    pub(crate) fn reader(&self, cancel: &CancelToken) -> InputReader {
        InputReader { pipe: Arc::clone(&self.pipe), cancel: cancel.clone() }
    }
}

/// Reads the text. It waits for JavaScript until `cancel` stops it.
pub(crate) struct InputReader {
    pipe: Arc<Pipe>,
    cancel: CancelToken,
}

impl Read for InputReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.pipe.lock();
        while state.at == state.chunk.len() {
            if state.is_whole {
                return Ok(0);
            }
            self.cancel.check().map_err(|stopped| io::Error::new(io::ErrorKind::TimedOut, stopped))?;
            state = self.pipe.changed.wait_timeout(state, CHECK).unwrap_or_else(PoisonError::into_inner).0;
        }
        let read = buffer.len().min(state.chunk.len() - state.at);
        buffer[..read].copy_from_slice(&state.chunk[state.at..state.at + read]);
        state.at += read;
        state.answer();
        Ok(read)
    }
}

impl Drop for InputReader {
    fn drop(&mut self) {
        let mut state = self.pipe.lock();
        state.is_closed = true;
        state.answer();
    }
}
