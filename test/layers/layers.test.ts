import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { importsOf, readSources, roomViolations } from './imports.ts';
import { packageOrder, rooms, withoutAddon } from './order.ts';

type Names = Readonly<Record<string, string>>;

interface Manifest {
  readonly name: string;
  readonly dependencies?: Names;
  readonly optionalDependencies?: Names;
  readonly peerDependencies?: Names;
}

const packages = fileURLToPath(new URL('../../packages/', import.meta.url));
const names = readdirSync(packages).filter((name) => existsSync(join(packages, name, 'package.json')));

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8')) as Manifest;
}

/** The package of the workspace that a module name belongs to. */
function ownPackageOf(moduleName: string): string | undefined {
  return /^@cairn\/([^/]+)/u.exec(moduleName)?.[1];
}

/** The package that a module name belongs to: `@scope/name/sub/path` to `@scope/name`. */
function packageOf(moduleName: string): string {
  return /^(?:@[^/]+\/)?[^/]+/u.exec(moduleName)?.[0] ?? moduleName;
}

test('every package has its place in the order', () => {
  expect(names.filter((name) => !packageOrder.includes(name))).toEqual([]);
});

describe.each(names)('%s', (name) => {
  const above = packageOrder.slice(0, packageOrder.indexOf(name));
  const manifest = manifestOf(name);
  const declared = Object.keys({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies,
  });
  const sources = readSources(join(packages, name, 'src'));

  test('depends only on packages above it', () => {
    const own = declared.map(ownPackageOf).filter((dependency) => dependency !== undefined);
    expect(own.filter((dependency) => !above.includes(dependency))).toEqual([]);
  });

  test('imports only packages that its manifest declares', () => {
    const undeclared = sources.flatMap(({ path, imports }) =>
      imports
        .filter((imported) => !/^(?:\.|node:)/u.test(imported) && !declared.includes(packageOf(imported)))
        .map((imported) => `${path} imports ${imported}`),
    );
    expect(undeclared).toEqual([]);
  });

  test('imports nothing outside of its sources by a path', () => {
    const outside = sources.flatMap(({ path, imports }) =>
      imports
        .filter((imported) => posix.join(posix.dirname(path), imported).startsWith('../') && imported.startsWith('.'))
        .filter((imported) => imported !== '../binding/index.js')
        .map((imported) => `${path} imports ${imported}`),
    );
    expect(outside).toEqual([]);
  });

  test.runIf(rooms[name] !== undefined)('imports no room from a room before it', () => {
    expect(roomViolations(sources, rooms[name] ?? [])).toEqual([]);
  });
});

test.each(withoutAddon)('%s needs no native addon, nor does what it depends on', (name) => {
  const needs = (one: string): string[] => {
    const { dependencies, optionalDependencies, peerDependencies } = manifestOf(one);
    const own = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).flatMap(
      (dependency) => ownPackageOf(dependency) ?? [],
    );
    return [...own, ...own.flatMap(needs)];
  };
  expect(needs(name).filter((dependency) => !withoutAddon.includes(dependency))).toEqual([]);
});

test('only agents calls a language model', () => {
  const callers = names.filter((name) => {
    const { dependencies, optionalDependencies, peerDependencies } = manifestOf(name);
    const declared = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    return declared.some((dependency) => dependency === 'ai' || dependency.startsWith('@ai-sdk/'));
  });
  expect(callers.filter((name) => name !== 'agents')).toEqual([]);
});

test('the table of rooms names packages that exist', () => {
  expect(Object.keys(rooms).filter((name) => !names.includes(name))).toEqual([]);
});

test('reads every kind of import', () => {
  const source = `
import a from './a.ts';
import type { B } from './b.ts';
import {
  c,
  d,
} from '@cairn/natives';
export { e } from './e.ts';
export type { F } from './f.ts';
import './g.ts';
const h = await import('./h.ts');
// import x from './commented.ts';
/** \`import y from './documented.ts';\` */
const text = 'taken from a list';
`;
  expect(importsOf(source)).toEqual(['./a.ts', './b.ts', '@cairn/natives', './e.ts', './f.ts', './g.ts', './h.ts']);
});

test.each([
  ['a room imports one before it', 'edit/a.ts', '../files/b.ts', []],
  ['a room imports itself', 'edit/a.ts', './b.ts', []],
  ['a file of src imports a room', 'index.ts', './edit/b.ts', []],
  ['a room imports a later one', 'files/a.ts', '../edit/b.ts', ['files/a.ts imports edit/b.ts']],
  ['a room imports a file of src', 'edit/deep/a.ts', '../../index.ts', ['edit/deep/a.ts imports index.ts']],
  ['a room imports a listed file of src', 'edit/a.ts', '../errors.ts', []],
  ['a directory is not listed', 'new/a.ts', './b.ts', ['new/ is not listed']],
])('the order of rooms: %s', (_reason, path, imported, expected) => {
  const all = ['errors.ts', 'files/x.ts', 'edit/x.ts'].map((file) => ({ path: file, imports: [] }));
  expect(roomViolations([...all, { path, imports: [imported] }], ['errors.ts', 'files', 'edit'])).toEqual(expected);
});

test('a room that is listed and does not exist is reported', () => {
  expect(roomViolations([{ path: 'files/a.ts', imports: [] }], ['files', 'edit'])).toEqual([
    'edit is listed and does not exist',
  ]);
});
