/** Processes that work on a workflow are killed, and others continue it from the record alone. */
import { createMemory } from '@cairn/memory';
import type { Memory, MemoryBackend, WorkflowRecord } from '@cairn/memory';
import { redis } from '@cairn/memory/redis';
import { sqlite } from '@cairn/memory/sqlite';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { childEnv, startScript } from '../memory/child-process.ts';
import type { RunningProcess } from '../memory/child-process.ts';
import { startModelServer, transcriptOf } from '../support/model-server.ts';
import type { ModelReply, ModelRequest, ModelScript, ModelServer } from '../support/model-server.ts';
import { hasRedis, startRedis } from '../support/redis-server.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { temporaryDirectory } from '../support/tree.ts';
import { report, textOf, todos } from './workflow-harness.ts';

const KILLS = Number(process.env['CAIRN_WORKFLOW_KILLS'] ?? 6);

const HOUR_MS = 3_600_000;

let server: RedisServer | undefined;
beforeAll(async () => {
  if (hasRedis) server = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
});
afterAll(async () => {
  await server?.stop();
});

const script = fileURLToPath(new URL('workflow-child.ts', import.meta.url));

/** A store, a model and a log that processes share. */
interface Scene {
  readonly memory: Memory;
  readonly model: ModelServer;
  readonly start: (command: string, more?: { id?: string; hold?: string; approve?: boolean }) => RunningProcess;
  /** The steps whose effect happened, in order. */
  readonly effects: () => string[];
  /** The only workflow of the store. */
  readonly record: () => Promise<WorkflowRecord>;
}

async function openScene(kind: string, answers: ModelScript): Promise<Scene> {
  const directory = temporaryDirectory();
  const log = `${directory}/log`;
  writeFileSync(log, '');
  const place = kind === 'redis' ? (server as RedisServer).url : `${directory}/memory.db`;
  const running: RunningProcess[] = [];
  // The lease of a killed process has expired for the next one.
  const aheadMs = (): number => running.length * HOUR_MS;
  const clock = (): number => Date.now() + aheadMs();
  const backend: MemoryBackend = kind === 'redis' ? redis({ url: place, clock }) : sqlite({ path: place, clock });
  const memory = createMemory({ backend });
  if (kind === 'redis') await memory.forget({ everything: true });
  const model = await startModelServer(answers);
  onTestFinished(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await memory.close();
    await model.close();
  });
  return {
    memory,
    model,
    start: (command, { id = '', hold = '', approve = false } = {}) => {
      const env = {
        ...childEnv,
        CAIRN_HOLD: hold,
        CAIRN_CLOCK_AHEAD_MS: `${aheadMs()}`,
        ...(approve && { CAIRN_APPROVE: '1' }),
      };
      const started = startScript(script, [kind, place, model.url, log, command, id], { env });
      running.push(started);
      return started;
    },
    effects: () => readFileSync(log, 'utf8').split('\n').slice(0, -1),
    record: async () => {
      const [one] = await memory.workflows.list();
      return memory.workflows.get(one?.id ?? '');
    },
  };
}

async function kill({ child, ended }: RunningProcess): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

/** Waits for a line of a process. */
async function printed(running: RunningProcess, line: string): Promise<void> {
  for (;;) {
    if (running.lines.includes(line)) return;
    const { length } = running.lines;
    await running.printed(length + 1);
    if (running.lines.length === length) throw new Error(`it ended without "${line}": ${(await running.ended).stderr}`);
  }
}

const call = (name: string, step = 'one'): ModelReply => ({ toolCalls: [{ name, input: { step } }] });

const kinds = [
  { name: 'sqlite', isSkipped: false },
  { name: 'redis', isSkipped: !hasRedis },
];

describe.each(kinds)('a workflow on $name', ({ name, isSkipped }) => {
  test.skipIf(isSkipped)('that is killed while the model answers is continued by another process', async () => {
    const scene = await openScene(name, async ({ number, signal }) => {
      if (number === 1) return todos('a', 'b');
      if (number === 2) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return report(1, { result: `answer ${number}` });
    });
    const first = scene.start('process');
    await scene.model.arrived(2);
    await kill(first);
    const before = await scene.record();
    expect(before).toMatchObject({ status: 'running', todos: [{ status: 'running' }, { status: 'pending' }] });
    const second = scene.start('resume', { id: before.id });
    expect((await second.ended).stderr).toBe('');
    expect(second.lines.at(-1)).toBe('ended done answer 4');
    expect(await scene.record()).toMatchObject({ status: 'done', state: { iterations: 3 } });
  });

  test.skipIf(isSkipped).each([
    ['before the effect', 0],
    ['after the effect', 1],
    ['before the outcome is recorded', 1],
  ])(
    'that is killed %s does not call the function again, and the model reads that the outcome is unknown',
    async (hold, effects) => {
      const scene = await openScene(name, [todos('a'), call('effect'), report(1, { result: 'checked' })]);
      const first = scene.start('process', { hold });
      await printed(first, `hold ${hold}`);
      const before = await scene.record();
      // It was recorded before it ran.
      expect(before.state).toMatchObject({ calls: [{ id: 'call_0', name: 'effect', status: 'running' }] });
      await kill(first);
      expect(scene.effects()).toHaveLength(effects);
      const second = scene.start('resume', { id: before.id });
      expect((await second.ended).stderr).toBe('');
      expect(second.lines.at(-1)).toBe('ended done checked');
      expect(scene.effects()).toHaveLength(effects);
      expect(textOf(scene.model.requests[2] as ModelRequest, -1)).toMatch(
        /effect\(\{"step":"one"\}\).*outcome unknown/u,
      );
      expect((await scene.record()).state).toMatchObject({ calls: [{ status: 'unknown' }] });
    },
  );

  test.skipIf(isSkipped)('that is killed in a function that changes nothing repeats it by itself', async () => {
    const hold = 'in a function that changes nothing';
    const scene = await openScene(name, [todos('a'), call('check'), report(1, { result: 'read' })]);
    const first = scene.start('process', { hold });
    await printed(first, `hold ${hold}`);
    await kill(first);
    const { id } = await scene.record();
    const second = scene.start('resume', { id });
    expect((await second.ended).stderr).toBe('');
    expect(second.lines.filter((line) => line === 'check')).toHaveLength(1);
    // The model did not ask for it again.
    expect(scene.model.requests).toHaveLength(3);
    expect(textOf(scene.model.requests[2] as ModelRequest, -1)).toMatch(/check\(\{"step":"one"\}\).*0/u);
    expect((await scene.record()).state).toMatchObject({ calls: [{ status: 'done', output: '0' }] });
  });

  test.skipIf(isSkipped)('that is killed in its first turn continues from its record', async () => {
    const hold = 'after the effect';
    const scene = await openScene(name, [call('effect'), report(1, { result: 'checked' })]);
    const first = scene.start('process', { hold });
    await printed(first, `hold ${hold}`);
    await kill(first);
    const { id, todos: list } = await scene.record();
    expect(list).toMatchObject([{ content: 'go' }]);
    const second = scene.start('resume', { id });
    expect((await second.ended).stderr).toBe('');
    expect(second.lines.at(-1)).toBe('ended done checked');
    expect(scene.effects()).toEqual(['one']);
    expect(textOf(scene.model.requests[1] as ModelRequest, -1)).toContain('outcome unknown');
  });

  test.skipIf(isSkipped)('that is killed before it waits asks the same question, without the model', async () => {
    const ask = { toolCalls: [{ name: 'ask_user', input: { question: 'which?' } }] };
    const scene = await openScene(name, [todos('a'), ask, report(1, { result: 'ok' })]);
    const hold = 'before it waits';
    const first = scene.start('process', { hold });
    await printed(first, `hold ${hold}`);
    await kill(first);
    const { id } = await scene.record();
    const second = scene.start('resume', { id });
    expect((await second.ended).stderr).toBe('');
    expect(second.lines.at(-1)).toBe('ended waiting which?');
    expect(scene.model.requests).toHaveLength(2);
    const { resumes } = await scene.memory.defineStream({ name: 'chat' }).addMessage('g', { content: 'this' });
    expect(resumes).toBe(id);
    const third = scene.start('resume', { id });
    expect((await third.ended).stderr).toBe('');
    expect(third.lines.at(-1)).toBe('ended done ok');
    expect(textOf(scene.model.requests[2] as ModelRequest, -1)).toMatch(/ask_user.*which\?.*this/u);
  });

  test.skipIf(isSkipped)(
    'that is killed in an approved call needs no second approval, and does not repeat it',
    async () => {
      const hold = 'after the effect';
      const scene = await openScene(name, [todos('a'), call('effect'), report(1, { result: 'checked' })]);
      const first = scene.start('process', { approve: true });
      expect((await first.ended).stderr).toBe('');
      expect(first.lines.at(-1)).toMatch(/^ended waiting May effect/u);
      const { id } = await scene.record();
      const second = scene.start('approve', { id, hold });
      await printed(second, `hold ${hold}`);
      await kill(second);
      const third = scene.start('resume', { id, approve: true });
      expect((await third.ended).stderr).toBe('');
      expect(third.lines.at(-1)).toBe('ended done checked');
      expect(scene.effects()).toEqual(['one']);
      expect(textOf(scene.model.requests[2] as ModelRequest, -1)).toContain('outcome unknown');
    },
  );

  test.skipIf(isSkipped)(
    'that is killed again and again has each effect once, with a model that checks what is unknown',
    async () => {
      const steps = ['one', 'two', 'three', 'four'];
      /** Acts on the prompt alone, as a careful model does. */
      const careful = (request: ModelRequest): ModelReply => {
        if (request.number === 1) return todos(...steps);
        const prompt = promptOf(request);
        const step = /# Current task\n(\w+)/u.exec(prompt)?.[1] ?? '';
        const [result = ''] = transcriptOf(request).slice(-1);
        const ofTurn = /^tool \S+: (.*)$/su.exec(result)?.[1];
        const known = prompt.split('\n').filter((line) => line.includes(`({"step":"${step}"})`));
        const effects = known.filter((line) => / effect\(/u.test(line));
        const isDone = ofTurn === 'done' || effects.some((line) => /done/u.test(line) && !/unknown/u.test(line));
        if (isDone) return report(1, { result: step });
        const isUnknown = effects.some((line) => line.includes('outcome unknown'));
        if (!isUnknown) return call('effect', step);
        if (ofTurn === undefined) return call('check', step);
        return ofTurn === '0' ? call('effect', step) : report(1, { result: step });
      };
      const scene = await openScene(name, careful);
      let running = scene.start('process');
      await printed(running, 'event workflow-start');
      const { id } = await scene.record();
      let kills = 0;
      for (; kills < KILLS; kills++) {
        const { length } = running.lines;
        await running.printed(length + 1 + Math.floor(Math.random() * 6));
        // A random moment of what follows.
        const timer = setTimeout(() => running.child.kill('SIGKILL'), Math.random() * 15);
        await running.ended;
        clearTimeout(timer);
        if (running.child.signalCode !== 'SIGKILL') break;
        running = scene.start('resume', { id });
      }
      expect((await running.ended).stderr).toBe('');
      expect(scene.effects()).toEqual(steps);
      expect(await scene.record()).toMatchObject({ status: 'done' });
    },
  );
});

/** The prompt of the step in a request: the last message of the user. */
function promptOf(request: ModelRequest): string {
  const last = request.chat.messages.findLast(({ role }) => role === 'user');
  return typeof last?.content === 'string' ? last.content : '';
}
