import * as source from '@cairn/agents';
import type { AgentEvent } from '@cairn/agents';
import * as names from '@cairn/agents/tool-names';
import { ContextManager } from '@cairn/context';
import { expect, test } from 'vitest';
import { helper, startAgents } from '../agents/start-agents.ts';

const exported = [
  'AgentError',
  'SYSTEM_PARTS',
  'agentTool',
  'cairnTools',
  'checkModel',
  'createAgents',
  'createAgentsToolSet',
  'createApprovals',
  'createWorkflows',
  'isFromProject',
  'loadFunctions',
  'mapModelError',
  'openAgentTools',
  'openUserRules',
  'resolveModel',
  'rulesOfMode',
  'toStreamFunctions',
  'toolNameOf',
  'trustHash',
];

test('@cairn/agents exports these values, from its sources and built', async () => {
  expect(Object.keys(source).toSorted()).toEqual(exported);
  const dist = new URL('../../packages/agents/dist/index.js', import.meta.url);
  expect(Object.keys((await import(dist.href)) as object).toSorted()).toEqual(exported);
});

test('@cairn/agents/tool-names exports the names of tools', () => {
  expect(Object.keys(names).toSorted()).toEqual(['AGENT_TOOL', 'cairnTools', 'toolNameOf']);
});

test('the parts of a system prompt, in their order', () => {
  expect(source.SYSTEM_PARTS).toEqual([
    'agent',
    'project',
    'tools',
    'knowledge',
    'facts',
    'workspace',
    'mode',
    'left-out',
  ]);
});

test('the fields of agents, of a run, of its events and of its result', async () => {
  const { agents } = await startAgents([{ text: 'Done.' }]);
  expect(Object.getOwnPropertyNames(Object.getPrototypeOf(agents)).toSorted()).toEqual([
    'close',
    'constructor',
    'contexts',
    'definitions',
    'prepare',
    'run',
    'workspaceRun',
  ]);
  const run = agents.run({ agent: helper, prompt: 'Go' });
  expect(Object.getOwnPropertyNames(Object.getPrototypeOf(run))).toEqual(['constructor', 'usage', 'abort']);
  expect(Object.keys(run).toSorted()).toEqual(['result', 'run']);
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  expect(events.map(({ type, ...event }) => [type, ...Object.keys(event).toSorted()])).toEqual([
    ['start', 'agent', 'depth', 'mode', 'model', 'run'],
    ['step', 'depth', 'run', 'step'],
    ['text', 'depth', 'run', 'text'],
    ['end', 'depth', 'finishReason', 'run'],
  ]);
  const result = await run.result;
  expect(Object.keys(result).toSorted()).toEqual([
    'agent',
    'finishReason',
    'messages',
    'notices',
    'run',
    'steps',
    'text',
    'usage',
  ]);
  expect(run.run).toMatch(/^run_\d{13}_[0-9a-f]{8}$/u);
  expect(Object.keys(await agents.prepare({ agent: helper })).toSorted()).toEqual([
    'agent',
    'bytes',
    'leftOut',
    'messages',
    'mode',
    'notices',
    'shows',
    'system',
    'tokens',
    'tools',
  ]);
});

test('agents need a root and histories only', async () => {
  const agents = source.createAgents({ root: '/', contexts: new ContextManager() });
  expect((await agents.prepare({ agent: helper })).messages).toEqual([]);
  await agents.close();
  expect(() => source.createAgents({ root: 'project', contexts: new ContextManager() })).toThrow('not absolute');
});
