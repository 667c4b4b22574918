import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createCodingTools, createWorkspace } from '@cairn/coding-agent';
import { createWorkspaceCache } from '@cairn/workspace-cache';
import type { WorkspaceRun } from '@cairn/workspace-cache';
import { generateText, isStepCount } from 'ai';
import type { ModelMessage, ToolSet } from 'ai';
import { expect, onTestFinished, test } from 'vitest';
import { startModelServer } from '../support/model-server.ts';
import type { ModelScript, ModelServer } from '../support/model-server.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';

const script: ModelScript = [
  { text: 'I begin.', toolCalls: [{ name: 'write', input: { path: 'src/new.ts', content: 'export {};\n' } }] },
  { toolCalls: [{ name: 'cache_directory', input: { path: 'src/lib', items: [{ name: 'c.ts' }] } }] },
  { text: 'Written.' },
  { text: 'Seen.' },
];

/** A conversation of an agent in a new run: its requests go to a server of its own. */
class Conversation {
  readonly messages: ModelMessage[] = [];
  readonly server: ModelServer;
  readonly run: WorkspaceRun;
  readonly #tools: ToolSet;

  private constructor(server: ModelServer, run: WorkspaceRun, tools: ToolSet) {
    this.server = server;
    this.run = run;
    this.#tools = tools;
  }

  static async start(root: string, answers: ModelScript = script): Promise<Conversation> {
    const server = await startModelServer(answers);
    const workspace = createWorkspace({ root, stateDirectory: temporaryDirectory() });
    const cache = createWorkspaceCache({ root, workspace });
    onTestFinished(async () => {
      await cache.close();
      await server.close();
    });
    const { run } = await cache.init({ userContext: {} });
    return new Conversation(server, run, { ...createCodingTools({ workspace }), ...run.tools });
  }

  /** Says something to the agent, with the changes of the workspace at the end. */
  async say(text: string): Promise<void> {
    const changes = this.run.updates();
    this.messages.push({ role: 'user', content: changes === '' ? text : `${text}\n\n${changes}` });
    const { responseMessages } = await generateText({
      model: createOpenAICompatible({ name: 'scripted', baseURL: this.server.url }).chatModel('scripted'),
      tools: this.#tools,
      instructions: `You write programs.\n\n${this.run.section()}`,
      messages: this.messages,
      stopWhen: isStepCount(5),
    });
    this.messages.push(...responseMessages);
  }

  /** The bodies of the requests, byte for byte. */
  bodies(): string[] {
    return this.server.requests.map(({ body }) => body.toString());
  }
}

/** What a provider that caches prompts has seen: the body up to the end of its messages. */
function messagesOf(body: string): string {
  return body.slice(0, body.indexOf('],"tools":'));
}

const files = { 'README.md': '# A\n', src: { 'a.ts': '', 'b.ts': '', lib: { 'c.ts': '' } } };

test('two runs on an unchanged workspace send the same bytes', async () => {
  const root = createTree(files);
  const bodies: string[][] = [];
  for (let run = 0; run < 2; run++) {
    const conversation = await Conversation.start(root, [{ text: 'Seen.' }, { text: 'Seen again.' }]);
    await conversation.say('Show me the project.');
    await conversation.say('And again.');
    bodies.push(conversation.bodies());
  }
  expect(bodies[0]).toHaveLength(2);
  expect(bodies[1]).toEqual(bodies[0]);
  expect(bodies[0]?.[0]).toContain(String.raw`\nsrc/\n`);
});

test('the prompt of a request begins with the whole prompt of the one before, also after a write', async () => {
  const conversation = await Conversation.start(createTree(files));
  await conversation.say('Add a file.');
  await conversation.say('Did it work?');
  const bodies = conversation.bodies();
  expect(bodies).toHaveLength(4);
  for (const [index, body] of bodies.slice(1).entries()) {
    const before = messagesOf(bodies[index] ?? '');
    expect(before).toContain('a.ts');
    expect(body.slice(0, before.length)).toBe(before);
  }
});

test('a change and a kept listing are in the newest message and not in the section; the next run shows it in the section', async () => {
  const root = createTree(files);
  const conversation = await Conversation.start(root);
  await conversation.say('Add a file.');
  await conversation.say('Did it work?');
  const { messages = [] } = conversation.server.requests[3]?.chat ?? {};
  expect(JSON.stringify(messages[0])).not.toContain('new.ts');
  const newest = messages.at(-1)?.content;
  expect(newest).toContain('+ src/new.ts');
  expect(newest).toMatch(/lib\/\n {2}c\.ts/u);
  const next = await Conversation.start(root, [{ text: 'Seen.' }]);
  await next.say('Show me the project.');
  const { messages: shown = [] } = next.server.requests[0]?.chat ?? {};
  expect(JSON.stringify(shown[0])).toContain(String.raw`\n  new.ts`);
  expect(JSON.stringify(shown.at(-1))).not.toContain('new.ts');
});
