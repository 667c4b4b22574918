/** Contestants as the rounds see them, in this process or in one of their own. */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { neutralEnvironment } from './environment.ts';
import { isProgram, loadEngine } from './engines/index.ts';
import type { ContestantName } from './engines/index.ts';
import { readMemory } from './memory.ts';
import { askChild } from './messages.ts';
import { sample } from './sample.ts';
import type { Sample } from './sample.ts';
import type { Outcome, Task } from './task.ts';

export type Request =
  | { readonly kind: 'prepare'; readonly task: Task }
  | { readonly kind: 'sample' }
  | { readonly kind: 'memory'; readonly task: Task };

export type Response =
  | { readonly kind: 'ready' }
  /** This contestant has no such function. */
  | { readonly kind: 'unable' }
  | ({ readonly kind: 'sample' } & Sample)
  | { readonly kind: 'memory'; readonly keptMb: number; readonly peakMb: number; readonly outcome: Outcome };

/** A contestant that is ready to be timed. */
export interface Contestant {
  readonly name: ContestantName;
  sample(): Promise<Sample>;
  /** The most resident memory that its process had; with what Node itself takes where that is its process. */
  peakMb(): number;
  close(): void;
}

type Environment = Readonly<Record<string, string>>;

function startChild(name: ContestantName, env: Environment): ChildProcess {
  const program = fileURLToPath(new URL('child.ts', import.meta.url));
  return fork(program, [name], { execArgv: ['--expose-gc'], env: neutralEnvironment(env) });
}

/** Nothing but a message could keep it, so it ends by itself. */
function stop(child: ChildProcess): void {
  if (child.connected) child.disconnect();
}

async function openProgram(name: ContestantName, task: Task): Promise<Contestant | undefined> {
  const engine = await loadEngine(name);
  const trial = await engine(task);
  return (
    trial && {
      name,
      sample: () => sample(trial),
      peakMb: () => trial.peakMb?.() ?? Number.NaN,
      close: () => trial.close?.(),
    }
  );
}

async function openChild(name: ContestantName, task: Task, env: Environment): Promise<Contestant | undefined> {
  const child = startChild(name, env);
  try {
    const response = await askChild<Response>(child, { kind: 'prepare', task });
    if (response.kind !== 'ready') {
      stop(child);
      return undefined;
    }
  } catch (error) {
    stop(child);
    throw error;
  }
  return {
    name,
    sample: async () => {
      const response = await askChild<Response>(child, { kind: 'sample' });
      if (response.kind !== 'sample') throw new Error(`${name} answered ${response.kind}`);
      return response;
    },
    peakMb: () => readMemory(child.pid ?? 'self').peakMb,
    close: () => stop(child),
  };
}

/** Makes a contestant ready for a task. `undefined`: it has no such function. */
export function openContestant(name: ContestantName, task: Task, env: Environment): Promise<Contestant | undefined> {
  return isProgram(name) ? openProgram(name, task) : openChild(name, task, env);
}

export interface MemorySample {
  readonly keptMb: number;
  readonly peakMb: number;
  readonly outcome: Outcome;
}

/** What a task adds to the memory of a process that does nothing else. */
export async function measureMemory(name: ContestantName, task: Task, env: Environment): Promise<MemorySample> {
  const child = startChild(name, env);
  try {
    const response = await askChild<Response>(child, { kind: 'memory', task });
    if (response.kind !== 'memory') throw new Error(`${name} answered ${response.kind}`);
    return response;
  } finally {
    stop(child);
  }
}
