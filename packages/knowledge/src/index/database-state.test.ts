import { appendFileSync, mkdtempSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { databaseState } from './database-state.ts';

const WRITTEN_SECONDS = 1_700_000_000;
const LATER_MS = (WRITTEN_SECONDS + 1) * 1000;

function makeDatabase(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-state-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'knowledge.db');
  write(path);
  return path;
}

function write(path: string): void {
  appendFileSync(path, 'x');
  utimesSync(path, WRITTEN_SECONDS, WRITTEN_SECONDS);
}

test('every write to the database or its log changes the state', () => {
  const path = makeDatabase();
  const states = [databaseState(path, LATER_MS)];
  for (const file of [path, `${path}-wal`, `${path}-wal`, path]) {
    write(file);
    states.push(databaseState(path, LATER_MS));
  }
  // The same size.
  utimesSync(`${path}-wal`, WRITTEN_SECONDS, WRITTEN_SECONDS - 1);
  states.push(databaseState(path, LATER_MS));
  expect(states).not.toContain(null);
  expect(new Set(states).size).toBe(6);
});

test('an empty log is the same as none', () => {
  const path = makeDatabase();
  const before = databaseState(path, LATER_MS);
  writeFileSync(`${path}-wal`, '');
  expect(databaseState(path, LATER_MS)).toBe(before);
  write(`${path}-wal`);
  expect(databaseState(path, LATER_MS)).not.toBe(before);
  truncateSync(`${path}-wal`);
  expect(databaseState(path, LATER_MS)).toBe(before);
});

test.each([
  ['without a file', (path: string) => rmSync(path)],
  ['just after a write', (path: string) => utimesSync(path, LATER_MS / 1000, LATER_MS / 1000)],
  ['just after a write to the log', (path: string) => writeFileSync(`${path}-wal`, 'x')],
  ['with a time in the future', (path: string) => utimesSync(path, LATER_MS / 1000 + 0.05, LATER_MS / 1000 + 0.05)],
])('there is no state %s', (name, act) => {
  const path = makeDatabase();
  act(path);
  if (name.includes('log')) utimesSync(`${path}-wal`, LATER_MS / 1000, LATER_MS / 1000 - 0.05);
  expect(databaseState(path, LATER_MS)).toBeNull();
});
