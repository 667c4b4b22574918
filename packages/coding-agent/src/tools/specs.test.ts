import type { ToolDefinition } from '@cairn/tool';
import { readdirSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import { createCodingTools } from '../coding-tools.ts';
import type { EditDetails, EditInput } from './edit.ts';
import type { GrepDetails, GrepInput } from './grep-answer.ts';
import { specs, toolNames, type CodingTools, type ToolDetails, type ToolInput, type ToolName } from './specs.ts';

/** The specs that the files of this directory export, by the name of the file. */
async function exportedSpecs(): Promise<[file: string, name: string][]> {
  const files = readdirSync(new URL('.', import.meta.url)).filter((name) => /^[a-z-]+\.ts$/u.test(name));
  const found = await Promise.all(
    files
      .filter((file) => file !== 'registry.ts' && file !== 'specs.ts')
      .map(async (file) => {
        const exported = Object.values((await import(new URL(file, import.meta.url).href)) as object);
        const own = exported.filter(
          (value: unknown) => typeof value === 'object' && value !== null && 'shape' in value,
        );
        return own.map((spec): [string, string] => [file, String(Reflect.get(spec as object, 'name'))]);
      }),
  );
  return found.flat();
}

test('every tool of this directory is in the registry, in a file of its own name', async () => {
  const found = await exportedSpecs();
  expect(found.length).toBeGreaterThan(0);
  expect(found).toEqual(toolNames.toSorted().map((name) => [`${name}.ts`, name]));
});

test('every tool of the registry is in the set, under its own name', () => {
  const tools = createCodingTools({ root: '/nowhere' });
  expect(Object.entries(tools).map(([name, tool]) => [name, tool.name])).toEqual(toolNames.map((name) => [name, name]));
  expect(Object.entries(specs).map(([name, spec]) => [name, spec.name])).toEqual(
    toolNames.toSorted().map((name) => [name, name]),
  );
});

test('the types of the set derive from the specs', () => {
  expectTypeOf<CodingTools['edit']>().toEqualTypeOf<ToolDefinition<EditInput, EditDetails>>();
  expectTypeOf<CodingTools['grep']>().toEqualTypeOf<ToolDefinition<GrepInput, GrepDetails>>();
  expectTypeOf<ToolInput<'edit'>>().toEqualTypeOf<EditInput>();
  expectTypeOf<ToolDetails<'grep'>>().toEqualTypeOf<GrepDetails>();
  expectTypeOf<keyof CodingTools>().toEqualTypeOf<ToolName>();
  expectTypeOf<ToolName>().toEqualTypeOf<
    'delete' | 'edit' | 'glob' | 'grep' | 'ls' | 'patch' | 'read' | 'rename' | 'write'
  >();
});
