import { spawn } from 'node:child_process';
import { extname } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** The exit codes of the process that makes a daily backup. */
export const DAILY_CODES = { done: 0, failed: 1, damaged: 3, full: 4 } as const;

/** Of the source, or of the build. */
const script: string = fileURLToPath(new URL(`sqlite-daily${extname(import.meta.url)}`, import.meta.url));

/**
 * Starts a process that makes the daily backup of a file, and outlives this one. It reads and checks the whole file, which would take
 * long here.
 */
export function startDailyBackup(path: string, onFailure: (reason: keyof typeof DAILY_CODES) => void): void {
  const child = spawn(process.execPath, ['--no-warnings', script, path], {
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
    // No inspector, and no hooks of this process.
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  child.once('error', () => onFailure('failed'));
  child.once('exit', (code) => {
    if (code === DAILY_CODES.done) return;
    onFailure(code === DAILY_CODES.damaged ? 'damaged' : code === DAILY_CODES.full ? 'full' : 'failed');
  });
  child.unref();
}
