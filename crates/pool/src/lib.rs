//! The worker threads that all calls share.
//!
//! A *call* runs on one worker from start to end. Work that can be split is *offered*: idle workers help with it, and
//! leave again when a call waits for a thread. No call waits for a worker to become free, so calls cannot deadlock on one
//! another, and a long call cannot hold back a short one on the threads that help it. *Background* work runs while there is neither.
//!
//! The pool knows nothing of files, results or Node. Its size is fixed, and its threads live as long as the process.
//!
//! `rayon` is not used. Its scopes and parallel iterators block the calling thread until the work ends, or run other
//! work on it that the call then has to wait for. Here a cancelled call returns immediately while others continue the same
//! work, several calls work on one scan, and a helper leaves as soon as a new call waits. On rayon this takes the same
//! state machine ([`Shared`]), on top of a second set of threads.

mod ordered;
mod pool;

pub use ordered::{Interrupted, Ordered, ordered_chunks};
pub use pool::{HelpEnd, Pool, Shared};
