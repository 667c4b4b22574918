/**
 * Runs in a process that cannot load a native addon: prints what memory recalls, and then whether loading the addon fails.
 */
import { createMemory } from '@cairn/memory';
import { memory } from '@cairn/memory/memory';
import { memoryToolSet } from '@cairn/memory/tools';

const chat = createMemory({ backend: memory() }).defineStream({ name: 'chat' });
await chat.addMessage('g', { content: 'the tests need redis-server' });
const [found] = await chat.retrieveRelevantContexts({ group: 'g', query: 'redis' });
const guard = await import('@cairn/natives').then(
  () => 'loaded',
  (/** @type {unknown} */ error) => String(error),
);
process.stdout.write(`${JSON.stringify({ found: found?.content, set: typeof memoryToolSet, guard })}\n`);
