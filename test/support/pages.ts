import { expect } from 'vitest';
import { cairn } from './cli.ts';

/** Reads a search page by page, as its notices state, and returns all lines. Only the last page has no notice. */
export async function readPages(args: readonly string[], limit: number, cwd: string): Promise<string> {
  let all = '';
  let next: string | undefined = '0';
  while (next !== undefined) {
    const page = await cairn([...args, '--limit', String(limit), '--offset', next], { cwd });
    all += page.stdout;
    expect(page.stdout.split('\n').length - 1).toBeLessThanOrEqual(limit);
    next = /--offset (\d+) to continue\n$/u.exec(page.stderr)?.[1];
    expect(page.stderr === '').toBe(next === undefined);
  }
  return all;
}
