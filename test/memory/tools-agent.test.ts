import { memoryToolSet } from '@cairn/memory/tools';
import { createToolSession, textOf } from '@cairn/tool';
import type { ToolSetContext } from '@cairn/tool';
import { describe, expect, test } from 'vitest';
import { useBackends } from './backends.ts';
import { kinds, open, useStore } from './tools-harness.ts';

type Call = (name: string, input?: Readonly<Record<string, unknown>>) => Promise<string>;

const START = 'cairn://memory/start';

/** Opens the memory tools of an agent, or of the user's own session. */
async function toolsOf(agent?: string): Promise<Call> {
  const set = memoryToolSet({ open: async () => open(), workflowId: 'workflow_1' });
  const context: ToolSetContext = {
    roots: ['/'],
    naming: 'default',
    readOnly: false,
    agent,
    session: createToolSession(),
    signal: new AbortController().signal,
  };
  const { tools, resources } = await set.open(context);
  return async (name, input = {}) => {
    if (name === START) return JSON.stringify(await resources?.read(START, context));
    const result = await tools[name]?.execute(input);
    return result === undefined ? '' : textOf(result);
  };
}

useBackends();

describe.each(kinds)('the tools of an agent, $name', (kind) => {
  useStore(kind);

  test('find the messages of its own stream only, by words, kind, role and id', async () => {
    const memory = open();
    const { id } = await memory.messages.add({ stream: 'agent', group: 'g' }, { role: 'user', content: 'canary main' });
    await memory.messages.add({ stream: 'reviewer', group: 'g' }, { role: 'user', content: 'canary reviewer' });
    await memory.messages.add({ stream: 'agent:reviewer', group: 'g' }, { role: 'user', content: 'canary own' });
    const [main, reviewer] = [await toolsOf(), await toolsOf('reviewer')];
    expect(await main('recall', { query: 'canary' })).toContain('canary main');
    for (const input of [{ kind: 'message' }, { role: 'user' }, { query: 'canary' }]) {
      const text = await reviewer('recall', input);
      expect(text).toContain('canary own');
      expect(text).not.toContain('canary main');
      expect(text).not.toContain('canary reviewer');
    }
    expect(await main('recall', { id })).toContain('canary main');
    expect(await reviewer('recall', { id })).toContain('There is no fact and no message');
    expect(await reviewer('recall', { stream: 'agent' })).toContain('unknown parameter stream');
  });

  test('have notes of its own, and reach no others', async () => {
    await open().storeNote('workflow_1', 'canary of the workflow', 'todo_0');
    const [main, reviewer, other] = [await toolsOf(), await toolsOf('reviewer'), await toolsOf('tester')];
    expect(await main('notes')).toContain('canary of the workflow');
    await main('notes', { text: 'canary of main', workflow_id: 'workflow_2' });
    expect(await reviewer('notes')).toContain('There are no notes of this agent');
    expect(await reviewer('notes', { workflow_id: 'workflow_1' })).toContain('unknown parameter workflow_id');
    await reviewer('notes', { text: 'a note of the reviewer' });
    expect(await reviewer('notes')).toContain('a note of the reviewer');
    expect(await other('notes')).toContain('There are no notes');
    expect(await reviewer('recall', { kind: 'message' })).not.toContain('canary');
  });

  test('see the facts of the project and the user, and what they remember is for all', async () => {
    const memory = open();
    await memory.facts.remember('the user likes tabs', { scope: 'user' });
    await memory.facts.remember('canary of another stream', { stream: 'desktop' });
    const [main, reviewer, other] = [await toolsOf(), await toolsOf('reviewer'), await toolsOf('tester')];
    await main('remember', { text: 'the tests need redis' });
    await reviewer('remember', { text: 'the review needs two people' });
    for (const [call, name] of [main, reviewer, other].flatMap((one) => [
      [one, 'recall'] as const,
      [one, START] as const,
    ])) {
      const text = await call(name);
      expect(text).toContain('the user likes tabs');
      expect(text).toContain('the tests need redis');
      expect(text).toContain('the review needs two people');
      expect(text).not.toContain('canary');
    }
  });
});
