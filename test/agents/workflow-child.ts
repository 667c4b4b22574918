/**
 * Works on a workflow until it is killed: `node workflow-child.ts <sqlite|redis> <path|url> <model url> <log> <process|resume|approve>
 * [id]`. Prints `event <type>` for each event, and `hold <what>` where it stops to be killed, as `CAIRN_HOLD` names it. The function
 * `effect` adds a line to the log.
 */
import { createWorkflows, toStreamFunctions } from '@cairn/agents';
import type { WorkflowResponse } from '@cairn/agents';
import { createMemory } from '@cairn/memory';
import type { MemoryBackend } from '@cairn/memory';
import { redis } from '@cairn/memory/redis';
import { sqlite } from '@cairn/memory/sqlite';
import { appendFileSync, readFileSync, writeSync } from 'node:fs';

const [kind = '', place = '', url = '', log = '', command = '', id = ''] = process.argv.slice(2);
const hold = process.env['CAIRN_HOLD'] ?? '';
const clock = (): number => Date.now() + Number(process.env['CAIRN_CLOCK_AHEAD_MS']);

/** Prints synchronously, so that a kill loses no line. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}

/** Stops here until the process is killed. */
async function holdAt(what: string): Promise<void> {
  if (hold !== what) return;
  say(`hold ${what}`);
  await new Promise(() => undefined);
}

/** Only the effects of calls are known to the log: it is what happened outside. */
function linesOf(step: string): number {
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line === step).length;
}

let hasEnded = false;
const store: MemoryBackend =
  kind === 'redis'
    ? redis({ url: place, clock, timeoutMs: 60_000 })
    : sqlite({ path: place, clock, busyTimeoutMs: 60_000 });
const backend: MemoryBackend = {
  ...store,
  change: async (key, ...given) => {
    // The list of what waits is written before the record waits.
    if (key.startsWith('ai:waiting:') && given[0].rows !== undefined) await holdAt('before it waits');
    // The next write to a document after the effect is the record of its outcome.
    if (hasEnded && given[0].rows?.[0]?.id === 'document') await holdAt('before the outcome is recorded');
    return store.change(key, ...given);
  },
};
const memory = createMemory({ backend });
memory.defineStream({
  name: 'chat',
  functions: toStreamFunctions([
    {
      name: 'effect',
      description: 'has an effect',
      parameters: { step: 'the step' },
      execute: async ({ step }: { readonly step: string }) => {
        await holdAt('before the effect');
        appendFileSync(log, `${step}\n`);
        await holdAt('after the effect');
        hasEnded = true;
        return 'done';
      },
    },
    {
      name: 'check',
      description: 'returns how often the step had its effect',
      parameters: { step: 'the step' },
      readOnly: true,
      execute: async ({ step }: { readonly step: string }) => {
        say('check');
        await holdAt('in a function that changes nothing');
        return String(linesOf(step));
      },
    },
  ]),
});
const needsApproval = command === 'approve' || process.env['CAIRN_APPROVE'] === '1' ? ['effect'] : [];
const workflows = createWorkflows({ memory, model: 'm', baseUrl: url, needsApproval });
const onEvent = ({ type }: { readonly type: string }): void => say(`event ${type}`);

const commands: Readonly<Record<string, () => Promise<WorkflowResponse>>> = {
  process: () => workflows.stream('chat').process({ group: 'g' }, 'go', { onEvent }),
  resume: () => workflows.resume(id, { onEvent }),
  approve: () => workflows.approve(id, { onEvent }),
};
const work = commands[command];
if (work === undefined) throw new Error(`unknown command ${command}`);
const { status, text } = await work();
say(`ended ${status} ${text}`);
await memory.close();
