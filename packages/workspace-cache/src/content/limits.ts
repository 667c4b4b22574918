/** The limit of one kept content. */
export const MAX_FILE_BYTES: number = 1024 * 1024;

/**
 * How long a write may still copy bytes after the system recorded its time: a writer that other processes keep from the processor.
 * A file that changed more recently is not kept.
 */
export const WRITE_MS = 200;
