import { readdirSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import { createCodingTools } from '../coding-tools.ts';
import { toolNames } from '../tools/specs.ts';
import { toolOfName } from './name-tools.ts';
import { namingProfiles, profiles, type NamingProfile } from './profiles.ts';

/** The files of this directory that are not a profile. */
const machinery = ['name-tools.ts', 'profile.ts', 'profiles.ts', 'registry.ts'];

test('every profile of this directory is in the registry, under the name of its file', () => {
  const files = readdirSync(new URL('.', import.meta.url))
    .filter((name) => !name.endsWith('.test.ts') && !machinery.includes(name))
    .map((name) => name.replace(/\.ts$/u, ''));
  expect(files.length).toBeGreaterThan(0);
  expect(namingProfiles).toEqual(['default', ...files.toSorted()]);
});

test.each(namingProfiles)('%s reaches every tool: under a name of the profile or its own', (naming) => {
  const named = Object.entries(profiles[naming]);
  const own = toolNames.filter((name) => !named.some(([, { tool }]) => tool === name));
  const tools = createCodingTools({ root: '/nowhere', naming });
  expect(Object.keys(tools).toSorted()).toEqual([...named.map(([name]) => name), ...own].toSorted());
});

test('the type of profile names derives from the registry', () => {
  expectTypeOf<NamingProfile>().toEqualTypeOf<'default' | 'claude' | 'codex' | 'gemini' | 'mcp-fs' | 'pi'>();
});

test('no name stands for two tools', () => {
  const named = Object.values(profiles).flatMap((profile) => Object.entries(profile));
  for (const [name, { tool }] of named) expect([name, toolOfName(name)]).toEqual([name, tool]);
  for (const name of toolNames) expect(toolOfName(name)).toBe(name);
});

test.each([
  ['MultiEdit', 'claude', 'edit'],
  ['MultiEdit', undefined, 'edit'],
  ['MultiEdit', 'pi', undefined],
  ['rename', 'claude', 'rename'],
  ['read', 'claude', undefined],
  ['toString', undefined, undefined],
] as const)('%s in the profile %s is %s', (name, naming, tool) => {
  expect(toolOfName(name, naming)).toBe(tool);
});
