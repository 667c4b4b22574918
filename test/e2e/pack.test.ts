import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installPackedNatives, readManifest } from '../support/packed-natives.ts';
import type { Machine } from '../support/packed-natives.ts';
import { newDirectory, removeTree } from '../support/tree.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const work = newDirectory();
let machine: Machine;
let installed: string;

beforeAll(async () => {
  machine = await installPackedNatives(work);
  installed = join(machine.consumer, 'node_modules/@cairn/natives');
});

afterAll(() => removeTree(work));

describe.skipIf(process.platform === 'win32')('a published @cairn/natives', () => {
  test('names one platform package for each target and nothing of this workspace', () => {
    const manifest = readManifest(installed);
    const { version } = readManifest(join(repository, 'packages/natives'));
    expect(manifest.optionalDependencies).toEqual({
      '@cairn/natives-darwin-arm64': version,
      '@cairn/natives-darwin-x64': version,
      '@cairn/natives-linux-arm64-gnu': version,
      '@cairn/natives-linux-arm64-musl': version,
      '@cairn/natives-linux-x64-gnu': version,
      '@cairn/natives-linux-x64-musl': version,
      '@cairn/natives-win32-x64-msvc': version,
    });
    expect(manifest.dependencies).toEqual({ '@cairn/tool': version });
    expect(manifest.exports).toEqual({
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './files': { types: './dist/files.d.ts', default: './dist/files.js' },
      './internal': { types: './dist/internal.d.ts', default: './dist/internal.js' },
      './package.json': './package.json',
    });
    expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:|"scripts"|"devDependencies"/u);
  });

  test('holds no binary and no test; the platform package holds the binary', () => {
    const { addon, platform } = machine;
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => /\.node$|\.test\.|tsbuildinfo$|^src/u.test(name))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'binding/index.js', 'dist/index.js', 'dist/index.d.ts']));
    expect(readdirSync(`${installed}-${platform}`).toSorted()).toEqual(['README.md', addon, 'package.json'].toSorted());
  });

  test('searches where no compiler is, on the main thread and in workers', async () => {
    expect(await machine.run(process.execPath, ['smoke.mjs'])).toBe(`${process.version}\n`);
  });

  test('has types that a strict consumer can use', async () => {
    writeFileSync(
      join(machine.consumer, 'use.ts'),
      "import { glob, type GlobResult } from '@cairn/natives';\n" +
        "export const result: Promise<GlobResult> = glob({ pattern: '*', path: '.' });\n" +
        '// @ts-expect-error the pattern is not a number\n' +
        "void glob({ pattern: 1, path: '.' });\n",
    );
    const tsc = join(repository, 'node_modules/typescript/bin/tsc');
    const types = join(repository, 'node_modules/@types');
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--typeRoots', types];
    await machine.run(process.execPath, [tsc, ...flags, '--types', 'node', 'use.ts']);
  });
});
