import { expect } from 'vitest';
import { cairn } from '../support/cli.ts';
import type { CairnResult } from '../support/cli.ts';
import { temporaryDirectory } from '../support/tree.ts';

/** Runs cairn for a person with a home of their own, in a directory. */
export interface Newcomer {
  (args: readonly string[], input?: string): Promise<CairnResult>;
  readonly home: string;
  /** The same person in another directory, or with other variables. */
  readonly elsewhere: (cwd: string, env?: Readonly<Record<string, string>>) => Newcomer;
}

/** Returns a person with an empty home. */
export function newcomer(
  env: Readonly<Record<string, string>> = {},
  home: string = temporaryDirectory(),
  cwd: string = home,
): Newcomer {
  const run = (args: readonly string[], input?: string): Promise<CairnResult> =>
    cairn(args, { cwd, env: { HOME: home, TMPDIR: home, ...env }, input });
  return Object.assign(run, {
    home,
    elsewhere: (other: string, more: Readonly<Record<string, string>> = {}) =>
      newcomer({ ...env, ...more }, home, other),
  });
}

/** A time as the commands print it, as the source of a regular expression. */
export const time: string = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;

/** Stores a fact and returns its id. */
export async function remember(cairn: Newcomer, text: string, ...options: readonly string[]): Promise<string> {
  const { stdout, stderr } = await cairn(['memory', 'remember', text, ...options]);
  expect(stdout, stderr).toMatch(/^fact_\w+\n$/u);
  return stdout.trim();
}

/** The lines of an import with messages of past sessions. */
export function messages(...given: readonly (readonly [group: string, role: string, content: string])[]): string {
  const now = Date.now();
  return given
    .map(([group, role, content], index) => {
      const message = { id: `message_${group}${index}`, role, content, time: now - 60_000 + index };
      return `${JSON.stringify({ kind: 'message', stream: 'agent', group, ...message })}\n`;
    })
    .join('');
}
