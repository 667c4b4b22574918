import type { Environment } from '../terminal/output.ts';

/** `skip`: the check does not apply to this machine. */
export type CheckStatus = 'ok' | 'warn' | 'fail' | 'skip';

export interface CheckResult {
  readonly status: CheckStatus;
  readonly message: string;
  readonly fix?: string;
}

export interface DoctorContext {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly home: string;
  readonly temporary: string;
  /** The working directory. */
  readonly cwd: string;
  /** The directory of kernel information: `/proc` on Linux. */
  readonly proc: string;
  readonly node: string;
  readonly version: string;
  readonly engines: string;
  readonly signal: AbortSignal;
}

/** Checks one requirement of a machine. Changes nothing except temporary files, which it removes. */
export type Check = (context: DoctorContext) => Promise<CheckResult>;

export const ok = (message: string): CheckResult => ({ status: 'ok', message });
export const skip = (message: string): CheckResult => ({ status: 'skip', message });
export const warn = (message: string, fix: string): CheckResult => ({ status: 'warn', message, fix });
export const fail = (message: string, fix: string): CheckResult => ({ status: 'fail', message, fix });

/** Returns the first line of an error's message. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
