//! Runs calls: each is queued on the shared pool, on Node's, or has its own thread, is guarded against panics, and settled once.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{SendError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use cairn_cancel::{CancelToken, Stopped};
use cairn_pool::Pool;
use napi::bindgen_prelude::{AsyncTask, Either, Object, ToNapiValue, TypeName};
use napi::{Env, Task};
use napi_derive::napi;

use crate::error::NativeError;

/// Cancels the call that it was passed to. Use one handle for each call.
#[napi]
#[derive(Default)]
pub struct CancelHandle {
    token: CancelToken,
}

impl CancelHandle {
    pub(crate) fn token(&self) -> &CancelToken {
        &self.token
    }
}

#[napi]
impl CancelHandle {
    /// Creates a handle that is not cancelled.
    #[napi(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the call. It settles with code `CANCELLED`, unless it has ended already.
    #[napi]
    pub fn cancel(&self) {
        self.token.cancel();
    }
}

/// The token of a call.
pub(crate) fn token(handle: Option<&CancelHandle>, timeout_ms: Option<f64>) -> CancelToken {
    let token = handle.map(|handle| handle.token.clone()).unwrap_or_default();
    match timeout_ms {
        Some(timeout_ms) => {
            token.with_timeout(Duration::try_from_secs_f64(timeout_ms / 1000.0).unwrap_or(Duration::MAX))
        }
        None => token,
    }
}

/// Queues `job` and returns a promise of its value in JavaScript's form, made by `encode`, or of a [`NativeError`]. The
/// promise never rejects. `encode` calls the check that it is given every few thousand matches; a deadline does not stop it,
/// because the result is there.
///
/// The value is dropped after the promise is settled, because freeing a large value takes as long as encoding it.
pub(crate) fn run<'env, T: Send + 'static, R: ToNapiValue + Send + 'static>(
    env: &'env Env,
    handle: Option<&CancelHandle>,
    timeout_ms: Option<f64>,
    job: impl FnOnce(&CancelToken) -> Result<T, NativeError> + Send + 'static,
    encode: impl FnOnce(&T, &dyn Fn() -> Result<(), Stopped>) -> Result<R, Stopped> + Send + 'static,
) -> napi::Result<Object<'env>> {
    let token = token(handle, timeout_ms);
    let (deferred, promise) = env.create_deferred()?;
    Pool::global().spawn(move || {
        let mut value = None;
        let encoding = token.without_deadline();
        let job = || Ok(encode(value.insert(job(&token)?), &|| encoding.check())?);
        let outcome = either(guarded(job, NativeError::internal));
        deferred.resolve(move |_env| Ok(outcome));
        drop(value);
    });
    Ok(promise)
}

/// Like [`run`], on a thread that has no other job meanwhile: for what may wait for a disk or for another process, so that no search waits
/// with it.
pub(crate) fn run_on_own_thread<R: ToNapiValue + Send + 'static, E: ToNapiValue + Send + 'static>(
    env: &Env,
    job: impl FnOnce() -> Result<R, E> + Send + 'static,
    internal: fn(&str) -> E,
) -> napi::Result<Object<'_>> {
    let (deferred, promise) = env.create_deferred()?;
    let settle = move || {
        let outcome = either(guarded(job, internal));
        deferred.resolve(move |_env| Ok(outcome));
    };
    start(settle)?;
    Ok(promise)
}

/// Runs a job on a thread that has no other job meanwhile.
pub(crate) fn start(job: impl FnOnce() + Send + 'static) -> napi::Result<()> {
    spawn(Box::new(job)).map_err(|error| napi::Error::from_reason(format!("cannot start a thread: {error}")))
}

type Job = Box<dyn FnOnce() + Send>;

/// The threads without a job. On a busy machine a new thread starts a millisecond later than a waiting one wakes.
static IDLE: Mutex<Vec<Sender<Job>>> = Mutex::new(Vec::new());

/// More threads than this end after their job.
const MAX_IDLE: usize = 2;

fn idle() -> MutexGuard<'static, Vec<Sender<Job>>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn spawn(mut job: Job) -> io::Result<()> {
    loop {
        let Some(waiting) = idle().pop() else { break };
        match waiting.send(job) {
            Ok(()) => return Ok(()),
            Err(SendError(returned)) => job = returned,
        }
    }
    thread::Builder::new().name("cairn-files".to_owned()).spawn(move || work(job)).map(drop)
}

fn work(mut job: Job) {
    loop {
        job();
        let (sender, next) = channel();
        {
            let mut idle = idle();
            if idle.len() >= MAX_IDLE {
                return;
            }
            idle.push(sender);
        }
        match next.recv() {
            Ok(given) => job = given,
            Err(_) => return,
        }
    }
}

/// A call that Node runs on libuv's pool, like its own file operations: it must end soon, and does not wait.
pub struct QuickTask<R, E> {
    job: Option<Box<dyn FnOnce() -> Result<R, E> + Send>>,
    internal: fn(&str) -> E,
}

pub(crate) fn quick<R, E>(
    job: impl FnOnce() -> Result<R, E> + Send + 'static,
    internal: fn(&str) -> E,
) -> AsyncTask<QuickTask<R, E>>
where
    QuickTask<R, E>: Task,
{
    AsyncTask::new(QuickTask { job: Some(Box::new(job)), internal })
}

impl<R, E> Task for QuickTask<R, E>
where
    R: ToNapiValue + TypeName + Send + 'static,
    E: ToNapiValue + TypeName + Send + 'static,
{
    type Output = Either<R, E>;
    type JsValue = Either<R, E>;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        let job = self.job.take().ok_or_else(|| napi::Error::from_reason("a job runs once"))?;
        Ok(either(guarded(job, self.internal)))
    }

    fn resolve(&mut self, _env: Env, output: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(output)
    }
}

pub(crate) fn either<R, E>(outcome: Result<R, E>) -> Either<R, E> {
    outcome.map_or_else(Either::B, Either::A)
}

/// Runs `job`; `internal` makes the error of a panic.
pub(crate) fn guarded<R, E>(job: impl FnOnce() -> Result<R, E>, internal: fn(&str) -> E) -> Result<R, E> {
    catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(|panic| Err(internal(&panic_message(&*panic))))
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
        .to_owned()
}

/// Panics on a worker, for the test that the process survives it. The facade does not export it.
#[napi(ts_return_type = "Promise<NativeError>")]
#[allow(clippy::elidable_lifetime_names, reason = "the macro needs the lifetime by name")]
pub fn panic_on_worker<'env>(env: &'env Env) -> napi::Result<Object<'env>> {
    run(env, None, None, |_| panic!("requested by a test"), |&(), _| Ok(()))
}
