import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

/** How long the processes of a group may take to end after SIGTERM. */
const GRACE_MS = 2000;

const POLL_MS = 20;

/** Sends a signal to a process group; 0 sends nothing. Returns whether the group has processes. */
export function signalGroup(group: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    // Of processes of another user we only know that they are there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Ends the processes of a group: with SIGTERM, and those that are left after {@link GRACE_MS} with SIGKILL. */
export async function endGroup(group: number): Promise<void> {
  signalGroup(group, 'SIGTERM');
  // On a busy machine, a poll takes longer than its delay.
  const deadlineMs = performance.now() + GRACE_MS;
  while (performance.now() < deadlineMs) {
    if (!signalGroup(group, 0)) return;
    await delay(POLL_MS);
  }
  signalGroup(group, 'SIGKILL');
}
