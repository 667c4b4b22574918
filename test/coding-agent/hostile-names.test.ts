/** Names of files that would forge a line of an answer: each answer quotes them, and every path parameter takes them back. */
import {
  createApplyPatchTool,
  createCodingTools,
  createMemoryTool,
  createTextEditorTool,
  createWorkspace,
  expandMentions,
  formatMention,
  namingProfiles,
  parseMentions,
} from '@cairn/coding-agent';
import type { Workspace } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import type { Tools } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { hostileInputs } from '../support/hostile-calls.ts';
import type { Schema } from '../support/hostile-calls.ts';
import { forgedIn, hostileNames } from '../support/hostile-names.ts';
import { createTree, symlink, temporaryDirectory } from '../support/tree.ts';
import type { Tree } from '../support/tree.ts';
import { createBench, details } from './support.ts';

const many = 'needle\n'.repeat(30);
const hostileTree: Tree = {
  ...Object.fromEntries(hostileNames.map((name) => [name, many])),
  directory: Object.fromEntries(hostileNames.map((name) => [name, { [name]: 'needle\n' }])),
  links: Object.fromEntries(hostileNames.map((name) => [name, symlink(name)])),
};

/** Every tool there is, by the name of its set and its own. */
const sets: Readonly<Record<string, (workspace: Workspace) => Tools>> = {
  ...Object.fromEntries(
    namingProfiles.map((naming) => [
      naming,
      (workspace: Workspace) => createCodingTools({ workspace, naming }) as Tools,
    ]),
  ),
  hosted: (workspace) => ({
    apply_patch: createApplyPatchTool({ workspace }),
    editor: createTextEditorTool({ workspace }),
    memory: createMemoryTool({ workspace }),
  }),
};

function openWorkspace(): Workspace {
  return createWorkspace({ root: createTree(hostileTree), stateDirectory: temporaryDirectory() });
}

describe.each(Object.entries(sets))('the tools of %s', (set, open) => {
  // The profiles rename the tools of the first.
  const names = set === 'default' || set === 'hosted' ? hostileNames : hostileNames.slice(0, 2);

  test.each(Object.keys(open(createWorkspace({ root: '/' }))))(
    '%s: no line of an answer begins with what a name holds',
    async (tool) => {
      const { [tool]: one } = open(openWorkspace());
      if (one === undefined) throw new Error(`no ${tool}`);
      for (const name of names) {
        for (const input of hostileInputs(z.toJSONSchema(one.inputSchema, { io: 'input' }) as Schema, name)) {
          const text = textOf(await one.execute(input));
          expect(forgedIn(text), `${tool} ${JSON.stringify(input)}`).toBeUndefined();
        }
      }
    },
  );
});

test.each(hostileNames)(
  'the path of %j is taken back as an answer shows it, and the details have it as it is',
  async (name) => {
    const { tools, root } = createBench({ d: { [name]: 'one\n' } });
    const [, shown = ''] = textOf(await tools.glob.execute({ pattern: 'd/*' })).split('\n');
    expect(shown).toBe(quotePath(`d/${name}`));
    const read = details(await tools.read.execute({ path: shown }));
    expect(read).toMatchObject({ kind: 'text', path: `d/${name}`, lines: ['one'] });
    const [, heading = ''] = textOf(await tools.grep.execute({ pattern: 'one', path: shown })).split('\n');
    expect(heading).toBe(shown);
    expect(details(await tools.edit.execute({ path: shown, edits: [{ old_text: 'one', new_text: 'two' }] })).path).toBe(
      `d/${name}`,
    );
    expect(details(await tools.ls.execute({ path: 'd' })).entries.map(({ path }) => path)).toEqual([name]);
    const moved = quotePath(`e/${name}`);
    expect(details(await tools.rename.execute({ from: shown, to: moved }))).toMatchObject({
      from: `d/${name}`,
      to: `e/${name}`,
    });
    const missing = await tools.read.execute({ path: shown });
    expect(missing.isError && missing.details.path).toBe(`d/${name}`);
    expect(details(await tools.delete.execute({ path: moved })).path).toBe(`e/${name}`);
    expect(root).not.toBe('');
  },
);

test.each(hostileNames)('a mention of %j is one line, and leads to it', async (name) => {
  const mention = formatMention({ path: name });
  expect(forgedIn(mention)).toBeUndefined();
  expect(parseMentions(mention)).toMatchObject([{ path: name }]);
  const workspace = openWorkspace();
  const expanded = await expandMentions(`see ${mention} and @"missing/${mention.slice(2)}`, {
    workspace,
    maxBytes: 2000,
  });
  for (const part of expanded.content) expect(part.type === 'text' ? forgedIn(part.text) : undefined).toBeUndefined();
});
