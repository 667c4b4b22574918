/** What the tests of facts share. */
import { createMemory, MemoryError } from '@cairn/memory';
import type { Fact, Facts, Memory, MemoryBackend, MemoryOptions } from '@cairn/memory';
import type { BackendHarness } from '@cairn/memory/testing';
import { onTestFinished } from 'vitest';
import { backendKinds } from './backends.ts';
import type { BackendKind } from './backends.ts';

/** The stores that are present. `contract.test.ts` reports those that are not. */
export const kinds: readonly BackendKind[] = backendKinds.filter(({ isSkipped }) => !isSkipped);

export const DAY = 86_400_000;
export const PROJECT = '/home/user/repo';
export const KEY: string = `ai:facts:project:${PROJECT}`;

/** A memory of a project in an empty store. Its clock moves by 1 ms at each call too. */
export async function openFacts(
  kind: BackendKind,
  options: Omit<MemoryOptions, 'backend'> = {},
): Promise<BackendHarness & { readonly memory: Memory; readonly facts: Facts }> {
  const harness = await kind.open();
  let addedMs = 0;
  const backend: MemoryBackend = {
    ...harness.backend,
    now: async (call) => (await harness.backend.now(call)) + (call?.trusted === true ? addedMs : (addedMs += 1)),
  };
  const memory = createMemory({ project: PROJECT, ...options, backend });
  onTestFinished(() => memory.close());
  return { ...harness, backend, memory, facts: memory.facts };
}

/** Returns the code and the message of the error of a call. */
export async function failureOf(call: Promise<unknown>): Promise<{ readonly code: string; readonly message: string }> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!MemoryError.isInstance(error)) throw new Error('the call did not fail with a MemoryError', { cause: error });
  return { code: error.code, message: error.message };
}

export const textsOf = (facts: readonly Fact[]): string[] => facts.map(({ text }) => text);

export async function textsIn(facts: Facts, options: Parameters<Facts['list']>[0] = {}): Promise<string[]> {
  return textsOf((await facts.list({ limit: Infinity, ...options })).facts);
}
