import { createTool, createToolSession, inputSchema, succeed, ToolError, type ToolSet } from '@cairn/tool';
import { expect, test } from 'vitest';
import { withOwnHints } from './own-hints.ts';

const TEXT = "Run 'cairn doctor' first.";
const annotations = {
  title: '',
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const base = { description: '', inputSchema: inputSchema({}), annotations };

const set: ToolSet = {
  name: 'set',
  open: () => ({
    instructions: TEXT,
    tools: {
      fail: createTool({
        ...base,
        name: 'fail',
        run: () => Promise.reject(new ToolError('IO', ['It failed', TEXT], { context: TEXT })),
      }),
      read: createTool({ ...base, name: 'read', run: async () => succeed(TEXT, { hint: TEXT }) }),
    },
  }),
};

test('the hint of a failure begins with the command of this run, and everything else stays', async () => {
  const named = withOwnHints(set, () => 'npx cairn');
  const { tools, instructions } = await named.open({
    roots: ['/'],
    naming: 'default',
    readOnly: false,
    session: createToolSession(),
    signal: new AbortController().signal,
  });
  expect(await tools['fail']?.execute({})).toMatchObject({
    content: [{ text: `It failed. Run 'npx cairn doctor' first.\n\n${TEXT}` }],
    details: { reason: 'IO', hint: "Run 'npx cairn doctor' first." },
  });
  expect(await tools['read']?.execute({})).toMatchObject({ content: [{ text: TEXT }], details: { hint: TEXT } });
  expect(instructions).toBe(TEXT);
  expect('close' in named).toBe(false);
});
