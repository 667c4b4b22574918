import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

/**
 * The owner of a lock or a temporary file: process id, start time, boot and process namespace. The start time distinguishes a
 * process from a later one with the same id.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start: string;
  readonly boot: string;
  readonly namespace: string;
}

/** Stands for a value that only `/proc` has, on systems without it. */
const UNKNOWN = '0';

/** No commit takes this long. Used only where start times are unknown. */
const MAX_COMMIT_MS = 10 * 60_000;

function readQuietly(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** State and start time of a process, from `/proc`. */
function processStat(pid: number | 'self'): { readonly state: string; readonly start: string } | undefined {
  const line = readQuietly(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The second field is the program's name in parentheses, which may contain anything.
  const fields = line?.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state, start] = [fields?.[0], fields?.[19]];
  return state === undefined || start === undefined ? undefined : { state, start };
}

/** Returns the identity of this process. */
export function ownIdentity(): ProcessIdentity {
  const boot = readQuietly(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const namespace = readQuietly(() => readlinkSync('/proc/self/ns/pid'));
  return {
    pid: process.pid,
    start: processStat('self')?.start ?? UNKNOWN,
    boot: boot === undefined ? UNKNOWN : createHash('sha1').update(boot).digest('hex').slice(0, 8),
    namespace: /\d+/u.exec(namespace ?? '')?.[0] ?? UNKNOWN,
  };
}

/**
 * Returns whether the process still runs. `own` is the identity of this process. A process in another container cannot be seen
 * from here and counts as running.
 *
 * @param ageMs the age of the file that it left.
 */
export function isRunning(identity: ProcessIdentity, own: ProcessIdentity, ageMs: number): boolean {
  if (identity.boot !== own.boot) return false;
  if (identity.namespace !== own.namespace) return true;
  if (own.start !== UNKNOWN) {
    const stat = processStat(identity.pid);
    return stat !== undefined && stat.state !== 'Z' && stat.start === identity.start;
  }
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
  }
  return ageMs < MAX_COMMIT_MS;
}

/** Returns the identity in the form of file names. */
function formatIdentity({ pid, start, boot, namespace }: ProcessIdentity): string {
  return `${pid}-${start}-${boot}-${namespace}`;
}

/** Returns the identity at the start of a name. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  const [, pid, start, boot, namespace] = /^(\d+)-(\d+)-([\da-f]+)-(\d+)(?!\d)/u.exec(text) ?? [];
  if (pid === undefined || start === undefined || boot === undefined || namespace === undefined) return undefined;
  return { pid: Number(pid), start, boot, namespace };
}

/** Returns a name that no other call, thread or process uses. */
export function uniqueName(identity: ProcessIdentity): string {
  return `${formatIdentity(identity)}-${randomBytes(6).toString('hex')}`;
}
