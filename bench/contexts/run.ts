/**
 * What does the view of a history cost in each mode, and does the cost grow with the history?
 *
 *     npm run bench -- contexts [--rounds 200]
 *
 * Histories of 200, 2,000 and 20,000 messages: each turn has a prompt, a tool call and an answer. `first` is the first view of a
 * process, which reads all messages. Each round adds a turn of four messages to main and to the agent's own history, and times
 * the next view. `characters` are those that it counted tokens of, at the median.
 */
import { parseArgs } from 'node:util';
import { createView, MODES } from '@cairn/context';
import type { ContextMode, UnifiedMessage } from '@cairn/context';
import { median } from '../lib/statistics.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '200' } } });
const rounds = Number(values.rounds);
const modes = Object.keys(MODES) as ContextMode[];

/** A turn with a tool call: about 250 tokens. */
function turn(number: number): UnifiedMessage[] {
  const toolCallId = `call_${number}`;
  const output = { type: 'text', value: `export const value${number} = ${number};\n`.repeat(8) };
  return [
    { role: 'user', content: `Read src/module-${number}.ts. The project uses React ${number}. What does it export?` },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I read the file.' },
        { type: 'tool-call', toolCallId, toolName: 'read', input: { path: `src/module-${number}.ts` } },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'read', output }] },
    {
      role: 'assistant',
      content: `It exports value${number}, as decided on May 12. It depends on module ${number + 1}.`,
    },
  ];
}

function conversation(messages: number): UnifiedMessage[] {
  return Array.from({ length: messages / 4 }, (_, number) => turn(number)).flat();
}

function measure(mode: ContextMode, messages: number): readonly number[] {
  const main = conversation(messages);
  const own = conversation(messages);
  let characters = 0;
  const countTokens = (text: string): number => {
    characters += text.length;
    return Math.ceil(text.length / 4);
  };
  const view = (): number => {
    characters = 0;
    const startMs = performance.now();
    createView({ mode, main, own, agent: 'bench', sharePatterns: ['project uses *'], countTokens });
    return performance.now() - startMs;
  };
  const first = view();
  const times: number[] = [];
  const counts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const next = turn(messages + round);
    main.push(...next);
    own.push(...next);
    times.push(view());
    counts.push(characters);
  }
  const sorted = times.toSorted((left, right) => left - right);
  return [first, median(times), sorted[Math.floor(rounds * 0.95)] ?? Number.NaN, median(counts)];
}

// A first pass, so that the compiler has seen all of it.
for (const mode of modes) measure(mode, 200);
const columns = ['messages', 'first ms', 'median ms', 'p95 ms', 'characters'];
process.stdout.write(`${'mode'.padEnd(12)}${columns.map((name) => name.padStart(12)).join('')}\n`);
for (const mode of modes) {
  for (const messages of [200, 2000, 20_000]) {
    const [first = 0, middle = 0, slow = 0, characters = 0] = measure(mode, messages);
    const figures = [String(messages), first.toFixed(1), middle.toFixed(3), slow.toFixed(3), characters.toFixed(0)];
    process.stdout.write(`${mode.padEnd(12)}${figures.map((figure) => figure.padStart(12)).join('')}\n`);
  }
}
