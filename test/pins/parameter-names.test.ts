/** One thing has one parameter name in the tools of memory and knowledge, and no two tools do one thing. */
import { createKnowledge } from '@cairn/knowledge';
import { createKnowledgeToolSet } from '@cairn/knowledge/tools';
import { createMemory } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { memoryToolSet } from '@cairn/memory/tools';
import { createToolSession } from '@cairn/tool';
import type { Tools } from '@cairn/tool';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { temporaryDirectory } from '../support/tree.ts';

async function openTools(): Promise<Tools> {
  const knowledge = createKnowledge({ directory: temporaryDirectory(), backend: inProcess(), env: {} });
  onTestFinished(() => knowledge.close());
  const context = {
    roots: ['/'] as const,
    naming: 'default',
    readOnly: false,
    session: createToolSession(),
    signal: new AbortController().signal,
  };
  const known = await createKnowledgeToolSet({ open: () => Promise.resolve(knowledge) }).open(context);
  const memory = createMemory({ backend: inProcess(), project: 'app' });
  const kept = await memoryToolSet({ open: () => Promise.resolve(memory) }).open(context);
  return { ...known.tools, ...kept.tools };
}

/** What each tool does, and to what. No two are equal. */
const purposes: Readonly<Record<string, string>> = {
  remember: 'keep a fact',
  recall: 'ask everything a question, or list it',
  update_fact: 'correct a fact',
  forget_fact: 'erase a fact',
  notes: 'keep or list state that ends with the task',
  scan_index: 'find assets by their name, title and tags, with the way on',
  search_knowledge: 'search the texts of assets, and record a question without an answer',
  get_asset: 'read one whole',
  sink_asset: 'save an asset',
  report_asset: 'report an asset',
};

/** What each parameter means. The first name is for all tools; a name that a source fixes apart comes after it. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  'the text that is kept': ['text'],
  'what is asked': ['query'],
  'the tags': ['tags'],
  'the id of a fact that is changed': ['id'],
  // `get_asset(name, product_line)` of the source; the same for the other tools about one asset.
  'the name of an asset, or an id': ['name'],
  'the area of an asset': ['product_line'],
  'the type of an asset': ['type'],
  'the title of an asset': ['title'],
  'the files of an asset': ['paths'],
  'what to do next to similar assets': ['mode'],
  'the fact that is shared': ['fact'],
  'the fact that is outdated': ['replaces'],
  'fact, asset or message': ['kind'],
  'of the project or of the user': ['scope'],
  'shown at every start': ['pin'],
  'the author of a message': ['role'],
  'the step that writes a note': ['source'],
  'how long a note lives': ['temporary'],
  'the workflow of notes': ['workflow_id'],
  'helpful or wrong': ['verdict'],
  // `report_asset(name, verdict, note?)`: about an asset, and not kept text.
  'why it is wrong': ['note'],
  'from this time on': ['since'],
  'up to this time': ['until'],
  'the largest number of results': ['limit'],
  'how many come before': ['offset'],
};

interface Property {
  readonly type?: string;
  readonly enum?: readonly string[];
}

async function propertiesOf(): Promise<(readonly [tool: string, name: string, property: Property])[]> {
  return Object.values(await openTools()).flatMap(({ name: tool, inputSchema }) => {
    const { properties = {} } = z.toJSONSchema(inputSchema, { io: 'input' }) as {
      readonly properties?: Readonly<Record<string, Property>>;
    };
    return Object.entries(properties).map(([name, property]) => [tool, name, property] as const);
  });
}

describe('the tools of memory and knowledge', () => {
  test('do one thing each, and no two the same', async () => {
    const tools = await openTools();
    expect(Object.keys(tools).toSorted()).toEqual(Object.keys(purposes).toSorted());
    expect(new Set(Object.values(purposes)).size).toBe(Object.keys(purposes).length);
    const descriptions = Object.values(tools).map(({ description }) => description);
    expect(new Set(descriptions).size).toBe(descriptions.length);
  });

  test('name each parameter by its meaning: every name is in the table once, and none is left over', async () => {
    const used = new Set((await propertiesOf()).map(([, name]) => name));
    const known = Object.values(meanings).flat();
    expect(new Set(known).size).toBe(known.length);
    expect([...used].toSorted()).toEqual(known.toSorted());
  });

  test('give a name the same kind of value in every tool', async () => {
    const kinds = new Map<string, Map<string, string>>();
    for (const [tool, name, { type = '' }] of await propertiesOf()) {
      const byTool = kinds.get(name) ?? new Map<string, string>();
      kinds.set(name, byTool.set(tool, type));
    }
    const several = [...kinds].filter(([, byTool]) => new Set(byTool.values()).size > 1);
    expect(several).toEqual([]);
  });

  test('give a name the same choices wherever it has choices', async () => {
    const choices = new Map<string, Set<string>>();
    for (const [, name, property] of await propertiesOf()) {
      if (property.enum !== undefined) choices.set(name, (choices.get(name) ?? new Set()).add(property.enum.join('|')));
    }
    expect([...choices].filter(([, all]) => all.size > 1)).toEqual([]);
  });
});
