/** Peers that are programs: timed from spawn to exit, with their output to /dev/null. */
import { spawn, spawnSync } from 'node:child_process';

import { neutralEnvironment } from '../environment.ts';
import { readMemory } from '../memory.ts';
import type { Program } from '../peers.ts';
import type { Engine, Task, Trial } from '../task.ts';

/** A listing of the larger trees. */
const maxOutputBytes = 2 ** 30;
const newline = 0x0a;

function countLines(output: Buffer): number {
  let lines = 0;
  for (let at = output.indexOf(newline); at !== -1; at = output.indexOf(newline, at + 1)) lines += 1;
  return lines;
}

/** Samples the process until it is gone: the last sample comes close to the peak. */
function peakOf(command: string, args: readonly string[], cwd: string): number {
  const { pid } = spawn(command, args, { cwd, env: neutralEnvironment(), stdio: 'ignore' });
  let highest = Number.NaN;
  if (pid === undefined) return highest;
  for (let { peakMb } = readMemory(pid); !Number.isNaN(peakMb); { peakMb } = readMemory(pid)) highest = peakMb;
  return highest;
}

function trialOf(command: string, args: readonly string[], cwd: string): Trial {
  // Exit code 1 is ripgrep's for no match.
  const check = (status: number | null): void => {
    if (status !== 0 && status !== 1) throw new Error(`${command} ${args.join(' ')} ended with exit code ${status}`);
  };
  const env = neutralEnvironment();
  const counted = spawnSync(command, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: maxOutputBytes,
  });
  check(counted.status);
  const count = countLines(counted.stdout);
  return {
    run: () => {
      check(spawnSync(command, args, { cwd, env, stdio: 'ignore' }).status);
      return { count };
    },
    peakMb: () => peakOf(command, args, cwd),
  };
}

/** `rg`, with the rules that ours applies: also outside a repository. */
function ripgrepArguments(task: Task): string[] | undefined {
  const common = ['--no-config', 'rules' in task && !task.rules ? '--no-ignore' : '--no-require-git'];
  switch (task.kind) {
    case 'list':
      return [...common, '--files', '--hidden'];
    case 'glob':
      return task.cached ? undefined : [...common, '--files', '--glob', task.pattern];
    case 'grep': {
      const filter = task.glob === undefined ? [] : ['--glob', task.glob];
      return [...common, '--line-number', '--hidden', ...filter, '-e', task.pattern, '.'];
    }
    case 'expired':
    case 'find':
    case 'abort':
      return undefined;
  }
}

/** `fd`: a glob without a slash in its last part is asked as one of file names. */
function fdArguments(task: Task): string[] | undefined {
  if (task.kind === 'list') return ['--hidden', ...(task.rules ? [] : ['--no-ignore']), '.'];
  if (task.kind !== 'glob' || task.cached || !task.pattern.startsWith('**/')) return undefined;
  return ['--glob', task.pattern.slice('**/'.length)];
}

const argumentsOf = { rg: ripgrepArguments, fd: fdArguments };

export function programEngine(name: keyof typeof argumentsOf, { command }: Program): Engine {
  return (task) => {
    const args = argumentsOf[name](task);
    return args && trialOf(command, args, task.root);
  };
}
