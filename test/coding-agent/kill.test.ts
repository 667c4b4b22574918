/**
 * A process that changes files is killed at random moments. `CAIRN_KILLS=500 npm test -- ts test/coding-agent/kill.test.ts`
 * is the long run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createCodingTools } from '@cairn/coding-agent';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { slots } from './kill-slots.ts';
import type { Slot } from './kill-slots.ts';

const KILLS = Number(process.env['CAIRN_KILLS'] ?? 20);
const MAX_MS_PER_KILL = 20_000;

const child = fileURLToPath(new URL('kill-child.ts', import.meta.url));
// The sources are TypeScript; kept, their compilation takes most of the time off the start of each process.
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/cairn-compile', import.meta.url));

/** The child's report on a slot: the last version that was written, and the version being written. */
interface Progress {
  readonly reached: number | undefined;
  readonly begun: number | undefined;
}

/** Starts the child, kills it some time after it has finished N operations, and returns how far each slot came. */
async function runAndKill(root: string, state: string, operations: number): Promise<Map<string, Progress>> {
  const running = spawn(process.execPath, [child, root, state], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  });
  let trouble = '';
  running.stderr.setEncoding('utf8').on('data', (text: string) => (trouble += text));
  const ended = once(running, 'close');
  const progress = new Map<string, Progress>();
  let finished = 0;
  for await (const line of createInterface({ input: running.stdout })) {
    const [what, name = '', version] = line.split(' ');
    const before = progress.get(name);
    if (what === 'begin') progress.set(name, { reached: before?.reached, begun: Number(version) });
    else progress.set(name, { reached: Number(version), begun: undefined });
    if (what === 'end') finished++;
    // A random moment within the operations that are under way now.
    if (finished === operations) setTimeout(() => running.kill('SIGKILL'), Math.random() * 10);
  }
  const [, signal] = await ended;
  expect(signal, trouble).toBe('SIGKILL');
  return progress;
}

/** The versions that a slot may have after a kill. */
function allowedVersions(before: number, progress: Progress | undefined): number[] {
  const reached = progress?.reached ?? before;
  return progress?.begun === undefined ? [reached] : [reached, progress.begun];
}

function checkSlot(slot: Slot, root: string, allowed: readonly number[]): void {
  const { period = Infinity } = slot;
  const found = slot.versionIn(root);
  expect(
    allowed.map((version) => (period === Infinity ? version : version % period)),
    slot.name,
  ).toContain(found);
}

function temporaryFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes('.cairn-'));
}

test(
  `after each of ${KILLS} kills every file is old or new, and the next start leaves nothing lying about`,
  async () => {
    const root = temporaryDirectory();
    const state = `${temporaryDirectory()}/state`;
    for (const slot of slots) slot.create(root);
    let interrupted = 0;
    // A kill that meets no commit under way proves nothing. The machine decides how many do.
    for (let kill = 0; kill < KILLS || (interrupted <= KILLS / 4 && kill < 10 * KILLS); kill++) {
      const before = slots.map((slot) => slot.versionIn(root));
      const progress = await runAndKill(root, state, 1 + Math.floor(Math.random() * 30));
      const allowed = slots.map((slot, index) => allowedVersions(before[index] ?? 0, progress.get(slot.name)));
      slots.forEach((slot, index) => {
        if (!slot.needsRecovery) checkSlot(slot, root, allowed[index] ?? []);
      });
      if (temporaryFiles(root).length > 0) interrupted++;

      const tools = createCodingTools({ root, stateDirectory: state });
      await tools.read.execute({ path: 'plain.txt' });
      expect(temporaryFiles(root)).toEqual([]);
      expect(existsSync(state) ? readdirSync(state) : []).toEqual([]);
      slots.forEach((slot, index) => checkSlot(slot, root, allowed[index] ?? []));
    }
    expect(interrupted).toBeGreaterThan(KILLS / 4);
  },
  10 * KILLS * MAX_MS_PER_KILL,
);
