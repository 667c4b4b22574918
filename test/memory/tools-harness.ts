/** Memories and their tools for tests. */
import { createMemory } from '@cairn/memory';
import type { Memory, MemoryBackend } from '@cairn/memory';
import type { BackendHarness } from '@cairn/memory/testing';
import { createMemoryTools } from '@cairn/memory/tools';
import type { MemoryTools } from '@cairn/memory/tools';
import { textOf } from '@cairn/tool';
import type { ToolDefinition } from '@cairn/tool';
import { afterEach, beforeEach } from 'vitest';
import { backendKinds } from './backends.ts';
import type { BackendKind } from './backends.ts';

let harness: BackendHarness;

/** Returns the store of the running test. */
export function store(): BackendHarness {
  return harness;
}

/** Opens an empty store for each test of a block. */
export function useStore({ open: openStore }: BackendKind): void {
  beforeEach(async () => {
    harness = await openStore();
  });
  afterEach(() => harness.backend.close());
}

interface OpenOptions {
  readonly project?: string;
  readonly backend?: MemoryBackend;
}

/** Opens a memory of the project `app` on the store of the running test. */
export function open({ project = 'app', backend = harness.backend }: OpenOptions = {}): Memory {
  return createMemory({ backend, project });
}

export type Input = Readonly<Record<string, unknown>>;

/** Calls a tool and returns its text. */
export async function ask(memory: Memory, name: keyof MemoryTools, input: Input = {}): Promise<string> {
  const tool: ToolDefinition = createMemoryTools({ memory })[name];
  return textOf(await tool.execute(input));
}

/** Remembers facts, a minute between two, and returns their ids. */
export async function fill(memory: Memory, texts: readonly string[], options: Input = {}): Promise<string[]> {
  const ids: string[] = [];
  for (const text of texts) {
    await harness.advance(60_000);
    ids.push((await memory.facts.remember(text, options)).fact.id);
  }
  return ids;
}

export const inProcess: BackendKind | undefined = backendKinds[0];
export const kinds: readonly BackendKind[] = backendKinds.filter(({ isSkipped }) => !isSkipped);
