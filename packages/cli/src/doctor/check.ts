import type { Environment } from '../terminal/output.ts';

/** `skip`: it plays no part on this machine. */
export type CheckStatus = 'ok' | 'warn' | 'fail' | 'skip';

/** What a check found. */
export interface CheckResult {
  readonly status: CheckStatus;
  readonly found: string;
  /** What to do about it, unless it is well. */
  readonly mend?: string;
}

/** What the checks look at. */
export interface DoctorContext {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly home: string;
  /** Where temporary files go. */
  readonly temporary: string;
  /** Where the system says things about itself; `/proc` on Linux. */
  readonly proc: string;
  /** Version of this Node. */
  readonly node: string;
  /** Version of this package, and the versions of Node it works with. */
  readonly version: string;
  readonly engines: string;
  readonly signal: AbortSignal;
}

/** One thing that has to be well on a machine. It changes nothing, but for temporary files that it removes. */
export interface Check {
  readonly name: string;
  readonly run: (context: DoctorContext) => Promise<CheckResult>;
}

export function ok(found: string): CheckResult {
  return { status: 'ok', found };
}

export function skip(found: string): CheckResult {
  return { status: 'skip', found };
}

export function warn(found: string, mend: string): CheckResult {
  return { status: 'warn', found, mend };
}

export function fail(found: string, mend: string): CheckResult {
  return { status: 'fail', found, mend };
}

/** The first line of what an error says. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
