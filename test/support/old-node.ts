/**
 * The packages for a Node that cannot run TypeScript: their sources without types, in a directory of their own. Node 24 removes the
 * types; the old Node only has to read `.ts` as JavaScript.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { delimiter, dirname, join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../../packages', import.meta.url));

/** Returns the Node 20 of this machine; `undefined` when it has none. */
export function findNode20(): string | undefined {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  return directories
    .map((directory) => join(directory, 'node'))
    .find((path) => existsSync(path) && versionOf(path).startsWith('v20.'));
}

function versionOf(path: string): string {
  return spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout;
}

function copySources(from: string, to: string): void {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || /\.(?:test|bench|test-d|examples)\.ts$/u.test(path)) continue;
    const target = join(to, relative(from, path));
    mkdirSync(dirname(target), { recursive: true });
    const text = readFileSync(path);
    writeFileSync(target, path.endsWith('.ts') ? stripTypeScriptTypes(text.toString()) : text);
  }
}

/** Links the dependencies of a package; the packages of this repository are those of the directory. */
function linkDependencies(name: string, root: string): void {
  const from = join(packages, name, 'node_modules');
  const to = join(root, name, 'node_modules');
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from)) {
    if (entry.startsWith('.')) continue;
    const names = entry.startsWith('@') ? readdirSync(join(from, entry)).map((one) => `${entry}/${one}`) : [entry];
    for (const one of names) {
      const real = realpathSync(join(from, one));
      const isOurs = dirname(real) === packages;
      mkdirSync(dirname(join(to, one)), { recursive: true });
      symlinkSync(isOurs ? join(root, relative(packages, real)) : real, join(to, one));
    }
  }
}

const LOADER = `
import { readFile } from 'node:fs/promises';
export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  return { format: 'module', shortCircuit: true, source: await readFile(new URL(url)) };
}
`;

/** Writes all packages into a directory, and the module that lets an old Node load them. Returns the path of that module. */
export function writeForOldNode(root: string): string {
  for (const name of readdirSync(packages)) {
    mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, name, 'package.json'), readFileSync(join(packages, name, 'package.json')));
    if (existsSync(join(packages, name, 'src'))) copySources(join(packages, name, 'src'), join(root, name, 'src'));
    if (existsSync(join(packages, name, 'binding'))) {
      symlinkSync(join(packages, name, 'binding'), join(root, name, 'binding'));
    }
    if (existsSync(join(packages, name, 'node_modules'))) linkDependencies(name, root);
  }
  writeFileSync(join(root, 'loader.mjs'), LOADER);
  const register = join(root, 'register.mjs');
  writeFileSync(register, "import { register } from 'node:module';\nregister('./loader.mjs', import.meta.url);\n");
  return register;
}
