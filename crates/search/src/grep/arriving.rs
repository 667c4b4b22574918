//! A text that arrives while it is searched.

use std::io::{self, Read};

use super::prefilter::has_byte_order_mark;

/// The length of the longest byte order mark.
const MARK_BYTES: usize = 3;

/// Makes the searcher search what has arrived before it waits for more.
///
/// The searcher fills its buffer until it is full or a read returns nothing. It only ends when the first read returns
/// nothing. So after a short read, which means that nothing else has arrived yet, the next read returns nothing once.
pub(super) struct Arriving<R> {
    inner: R,
    /// The first bytes. A text with a byte order mark is decoded, and its decoder takes the first empty read for the end.
    start: Vec<u8>,
    pauses: bool,
}

impl<R> Arriving<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, start: Vec::with_capacity(MARK_BYTES), pauses: false }
    }
}

impl<R: Read> Read for Arriving<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if std::mem::take(&mut self.pauses) {
            return Ok(0);
        }
        let read = self.inner.read(buffer)?;
        let is_start = self.start.len() < MARK_BYTES;
        if is_start {
            let missing = MARK_BYTES - self.start.len();
            self.start.extend_from_slice(&buffer[..read.min(missing)]);
        }
        self.pauses = read > 0
            && (is_start || read < buffer.len())
            && self.start.len() == MARK_BYTES
            && !has_byte_order_mark(&self.start);
        Ok(read)
    }
}
