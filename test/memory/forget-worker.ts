/** A worker thread that remembers a fact, and forgets it. */
import { parentPort, workerData } from 'node:worker_threads';
import { createMemory } from '@cairn/memory';
import { sqlite } from '@cairn/memory/sqlite';

const { path, text } = workerData as { readonly path: string; readonly text: string };
const memory = createMemory({ backend: sqlite({ path }), project: 'p' });
const { fact } = await memory.facts.remember(text);
const { erased } = await memory.facts.forget(fact.id);
await memory.close();
parentPort?.postMessage(erased);
