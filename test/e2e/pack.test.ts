import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeTree } from '../support/tree.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const natives = join(repository, 'packages/natives');
const smoke = join(repository, 'test/compat/smoke.mjs');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: unknown;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
}

/** The host's addon, whose name says the platform: `cairn-natives.<platform>.node`. */
function builtAddon(): { readonly file: string; readonly platform: string } {
  const file = readdirSync(join(natives, 'binding')).find((name) => name.endsWith('.node'));
  if (file === undefined) throw new Error('there is no addon to pack; run npm test, which builds it');
  return { file, platform: file.split('.')[1] ?? '' };
}

function findOnPath(command: string): string {
  const directories = (process.env['PATH'] ?? '').split(delimiter);
  const found = directories.map((directory) => join(directory, command)).find(existsSync);
  if (found === undefined) throw new Error(`${command} is not on the PATH`);
  return realpathSync(found);
}

const { file: addon, platform } = builtAddon();
const work = realpathSync(mkdtempSync(join(tmpdir(), 'cairn-pack-')));
const consumer = join(work, 'consumer');
const installed = join(consumer, 'node_modules/@cairn/natives');

/** A machine with Node and npm and nothing else: no compiler, no shell, no network, an empty npm cache. */
async function bare(command: string, args: readonly string[]): Promise<string> {
  const env = { PATH: join(work, 'bin'), HOME: work, npm_config_cache: join(work, 'cache') };
  try {
    return (await promisify(execFile)(command, args, { cwd: consumer, env })).stdout;
  } catch (error) {
    throw new Error(`${args.join(' ')} failed: ${(error as { stdout?: string }).stdout}`, { cause: error });
  }
}

async function pack(): Promise<string[]> {
  const packs = join(work, 'packs');
  const release = join(work, 'release');
  mkdirSync(release);
  copyFileSync(join(natives, 'package.json'), join(release, 'package.json'));
  const napi = join(natives, 'node_modules/.bin/napi');
  const run = promisify(execFile);
  // What RELEASING.md does, for one platform and outside the checkout.
  await run(napi, ['create-npm-dirs', '--cwd', release]);
  copyFileSync(join(natives, 'binding', addon), join(release, 'npm', platform, addon));
  const pnpm = join(repository, 'node_modules/.bin/pnpm');
  await run(pnpm, ['--dir', natives, 'pack', '--pack-destination', packs]);
  await run(pnpm, ['--dir', join(release, 'npm', platform), 'pack', '--pack-destination', packs]);
  return readdirSync(packs).map((name) => join(packs, name));
}

beforeAll(async () => {
  const packs = await pack();
  mkdirSync(join(work, 'bin'));
  symlinkSync(process.execPath, join(work, 'bin/node'));
  mkdirSync(consumer);
  writeFileSync(join(consumer, 'package.json'), '{ "private": true, "type": "module" }\n');
  const npm = findOnPath('npm');
  await bare(process.execPath, [npm, 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...packs]);
});

afterAll(() => removeTree(work));

describe.skipIf(process.platform === 'win32')('a published @cairn/natives', () => {
  test('names one platform package for each target and nothing of this workspace', () => {
    const manifest = readManifest(installed);
    const { version } = readManifest(natives);
    expect(manifest.optionalDependencies).toEqual({
      '@cairn/natives-darwin-arm64': version,
      '@cairn/natives-darwin-x64': version,
      '@cairn/natives-linux-arm64-gnu': version,
      '@cairn/natives-linux-arm64-musl': version,
      '@cairn/natives-linux-x64-gnu': version,
      '@cairn/natives-linux-x64-musl': version,
      '@cairn/natives-win32-x64-msvc': version,
    });
    expect(manifest.exports).toEqual({
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './files': { types: './dist/files.d.ts', default: './dist/files.js' },
      './package.json': './package.json',
    });
    expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:|"scripts"|"devDependencies"/u);
  });

  test('holds no binary and no test; the platform package holds the binary', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => /\.node$|\.test\.|tsbuildinfo$|^src/u.test(name))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'binding/index.js', 'dist/index.js', 'dist/index.d.ts']));
    expect(readdirSync(`${installed}-${platform}`).toSorted()).toEqual(['README.md', addon, 'package.json'].toSorted());
  });

  test('searches where no compiler is, on the main thread and in workers', async () => {
    copyFileSync(smoke, join(consumer, 'smoke.mjs'));
    expect(await bare(process.execPath, ['smoke.mjs'])).toBe(`${process.version}\n`);
  });

  test('has types that a strict consumer can use', async () => {
    writeFileSync(
      join(consumer, 'use.ts'),
      "import { glob, type GlobResult } from '@cairn/natives';\n" +
        "export const result: Promise<GlobResult> = glob({ pattern: '*', path: '.' });\n" +
        '// @ts-expect-error the pattern is not a number\n' +
        "void glob({ pattern: 1, path: '.' });\n",
    );
    const tsc = join(repository, 'node_modules/typescript/bin/tsc');
    const types = join(repository, 'node_modules/@types');
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--typeRoots', types];
    await bare(process.execPath, [tsc, ...flags, '--types', 'node', 'use.ts']);
  });
});
