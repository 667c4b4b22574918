import { createShellTool, createWorkspace } from '@cairn/coding-agent';
import type { ShellDetails, ShellInput, ShellToolOptions, Workspace } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import type { ToolDefinition, ToolResult } from '@cairn/tool';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { onTestFinished } from 'vitest';
import { createTree, temporaryDirectory, type Tree } from '../support/tree.ts';

/** A shell tool with a tree and a session of its own. */
export interface ShellBench {
  readonly root: string;
  readonly workspace: Workspace;
  readonly shell: ToolDefinition<ShellInput, ShellDetails>;
  /** The directory in which the session keeps outputs. */
  readonly outputs: string;
  readonly end: () => void;
}

export const approve: ShellToolOptions['approve'] = () => ({ approved: true });

export function createShell(tree: Tree = {}, options: Partial<ShellToolOptions> = {}): ShellBench {
  const root = createTree(tree);
  const workspace = createWorkspace({ root, stateDirectory: temporaryDirectory() });
  const session = new AbortController();
  const end = (): void => session.abort();
  onTestFinished(end);
  const outputs = temporaryDirectory();
  const own = {
    approve,
    env: { ...process.env, SHELL: '/bin/bash' },
    outputDirectory: outputs,
    signal: session.signal,
  };
  return { root, workspace, shell: createShellTool({ workspace, ...own, ...options }), outputs, end };
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => void setImmediate(resolve));
}

export function isRunning(pid: number): boolean {
  try {
    // A process that has ended, but was not waited for, is not running.
    return !/^\d+ \(.*\) Z/u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** The number in the file `pid`. */
export function pidIn(root: string): number {
  return Number(readFileSync(join(root, 'pid'), 'utf8'));
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** The output between the marks, and the lines around it. */
export function partsOf(result: ToolResult): { readonly output: string; readonly around: string } {
  const text = textOf(result);
  const mark = /<command-output[^>]*>\n([^]*?)\n<\/command-output>/gu;
  return { output: [...text.matchAll(mark)].map(([, inner]) => inner).join('\n'), around: text.replaceAll(mark, '…') };
}
