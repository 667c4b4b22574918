/** The clock of a file: up to which time its expired data may be deleted. */
import { deletableTime, readClock, type ClockState, type Time } from '../records/clock-guard.ts';
import type { State } from './sqlite-schema.ts';
import type { Statements } from './sqlite-statements.ts';

/** The trusted time is written again after this, so that few writes also write the clock. */
const WRITTEN_EVERY_MS = 60_000;

function clockOf(state: State): ClockState | undefined {
  if (state['trusted_ms'] === null) return undefined;
  const jumpedToMs = state['jumped_to_ms'] === null ? undefined : Number(state['jumped_to_ms']);
  return { trustedMs: Number(state['trusted_ms']), jumpedToMs };
}

/** Takes a reading of the clock in a transaction that writes. */
export function readTime(on: Statements, state: State, nowMs: number): Time {
  const before = clockOf(state);
  const after = readClock(before, nowMs);
  const isNew = before === undefined || before.jumpedToMs !== after.jumpedToMs;
  if (isNew || after.trustedMs >= before.trustedMs + WRITTEN_EVERY_MS) {
    on.run('UPDATE state SET trusted_ms = ?, jumped_to_ms = ?', after.trustedMs, after.jumpedToMs ?? null);
  }
  return { nowMs, trustedMs: deletableTime(after, nowMs) };
}

/** Returns the trusted time without writing it. */
export function trustedTime(state: State, nowMs: number): number {
  return deletableTime(readClock(clockOf(state), nowMs), nowMs);
}
