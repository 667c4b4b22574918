/**
 * One contestant in a process of its own: `node --expose-gc child.ts <contestant>`, forked by contestant.ts, which says
 * what to do.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import type { Request, Response } from './contestant.ts';
import { loadEngine } from './engines/index.ts';
import type { ContestantName } from './engines/index.ts';
import { readMemory } from './memory.ts';
import { answerRequests } from './messages.ts';
import { sample } from './sample.ts';
import type { Task, Trial } from './task.ts';

/** Lets allocators give back what they keep for a moment. */
const settleMs = 200;

const engine = await loadEngine(process.argv[2] as ContestantName);
let trial: Trial | undefined;

async function once(task: Task): Promise<void> {
  const made = await engine(task);
  await made?.arm?.();
  await made?.run();
}

/** A small tree, so that threads, code and buffers that every call needs are there before memory is read. */
async function warmUp(task: Task): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  try {
    writeFileSync(join(root, 'file'), '');
    await once({ ...task, root });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** How much a task adds to this process, and keeps. */
async function measureMemory(task: Task): Promise<Response> {
  await warmUp(task);
  globalThis.gc?.();
  await setTimeout(settleMs);
  const before = readMemory('self');
  const made = await engine(task);
  if (made === undefined) return { kind: 'unable' };
  const outcome = await made.run();
  const peakMb = readMemory('self').peakMb - before.residentMb;
  globalThis.gc?.();
  await setTimeout(settleMs);
  return { kind: 'memory', keptMb: readMemory('self').residentMb - before.residentMb, peakMb, outcome };
}

async function answer(request: Request): Promise<Response> {
  switch (request.kind) {
    case 'prepare':
      trial = await engine(request.task);
      return { kind: trial === undefined ? 'unable' : 'ready' };
    case 'sample':
      if (trial === undefined) throw new Error('there is nothing to sample');
      return { kind: 'sample', ...(await sample(trial)) };
    case 'memory':
      return measureMemory(request.task);
  }
}

answerRequests(answer);
