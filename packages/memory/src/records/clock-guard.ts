/** A step of the clock beyond this is not trusted at once: the clock, or the setting of the computer, may be wrong. */
const MAX_STEP_MS = 3_600_000;
/** How long the clock must agree with a step. */
const AGREEMENT_MS = 24 * 3_600_000;

/** What a store remembers of its clock. Milliseconds since the epoch. */
export interface ClockState {
  /** The highest time that is trusted. */
  readonly trustedMs: number;
  /** The time to which the clock jumped, while the jump is not trusted. */
  readonly jumpedToMs?: number | undefined;
}

export interface Time {
  readonly nowMs: number;
  /** Up to this time expired data is deleted. */
  readonly trustedMs: number;
}

/**
 * Takes a reading of the clock. After a jump forward by more than an hour the trusted time stands still, until a reading 24 hours
 * later agrees, or a lower reading ends the jump.
 */
export function readClock(state: ClockState | undefined, nowMs: number): ClockState {
  if (state === undefined) return { trustedMs: nowMs };
  const { trustedMs, jumpedToMs } = state;
  if (nowMs <= trustedMs) return { trustedMs };
  if (nowMs <= trustedMs + MAX_STEP_MS) return { trustedMs: nowMs };
  if (jumpedToMs === undefined || nowMs < jumpedToMs) return { trustedMs, jumpedToMs: nowMs };
  return nowMs >= jumpedToMs + AGREEMENT_MS ? { trustedMs: nowMs } : state;
}

/**
 * Returns the time up to which expired data may be deleted. After the clock went back it is the time of the clock, because a new
 * record has this time.
 */
export function deletableTime({ trustedMs }: ClockState, nowMs: number): number {
  return Math.min(trustedMs, nowMs);
}
