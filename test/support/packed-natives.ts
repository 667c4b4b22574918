/** `@cairn/natives` as users get it: packed as a release packs it, for this platform, and installed from the packs. */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { findPackageJSON } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A machine with Node and npm and nothing else: no compiler, no shell, no network, an empty npm cache. */
export interface Machine {
  /** A directory in which `@cairn/natives` is installed. */
  readonly consumer: string;
  /** The addon's file name and its platform, such as `linux-x64-gnu`. */
  readonly addon: string;
  readonly platform: string;
  /** Runs a program in `consumer` and returns its output. */
  readonly run: (command: string, args: readonly string[]) => Promise<string>;
}

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));
const natives = join(repository, 'packages/natives');

export function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
}

function builtAddon(): Pick<Machine, 'addon' | 'platform'> {
  const addon = readdirSync(join(natives, 'binding')).find((name) => name.endsWith('.node'));
  if (addon === undefined) throw new Error('there is no addon to pack; run npm test, which builds it');
  return { addon, platform: addon.split('.')[1] ?? '' };
}

function findOnPath(command: string): string {
  const directories = (process.env['PATH'] ?? '').split(delimiter);
  const found = directories.map((directory) => join(directory, command)).find(existsSync);
  if (found === undefined) throw new Error(`${command} is not on the PATH`);
  return realpathSync(found);
}

/** Adds the directory of a package, and those of all packages that it depends on, as they are installed here. */
function addWithDependencies(directory: string, found: Set<string>): void {
  if (found.has(directory)) return;
  found.add(directory);
  for (const name of Object.keys(readManifest(directory).dependencies ?? {})) {
    const manifest = findPackageJSON(name, join(directory, 'package.json'));
    if (manifest === undefined) throw new Error(`${name} is not installed for ${directory}`);
    addWithDependencies(realpathSync(dirname(manifest)), found);
  }
}

/** Does what RELEASING.md does, for one platform and outside of the checkout. Packs what a registry would serve, too. */
async function pack(work: string): Promise<string[]> {
  const packs = join(work, 'packs');
  const release = join(work, 'release');
  const { addon, platform } = builtAddon();
  mkdirSync(release);
  copyFileSync(join(natives, 'package.json'), join(release, 'package.json'));
  await run(join(natives, 'node_modules/.bin/napi'), ['create-npm-dirs', '--cwd', release]);
  copyFileSync(join(natives, 'binding', addon), join(release, 'npm', platform, addon));
  const directories = new Set([join(release, 'npm', platform)]);
  addWithDependencies(natives, directories);
  const pnpm = join(repository, 'node_modules/.bin/pnpm');
  for (const directory of directories) await run(pnpm, ['--dir', directory, 'pack', '--pack-destination', packs]);
  return readdirSync(packs).map((name) => join(packs, name));
}

/** Installs the built package with all that `npm install @cairn/natives` brings. The work directory is an empty one. */
export async function installPackedNatives(work: string): Promise<Machine> {
  const consumer = join(work, 'consumer');
  const env = { PATH: join(work, 'bin'), HOME: work, npm_config_cache: join(work, 'cache') };
  const machine: Machine = {
    ...builtAddon(),
    consumer,
    run: async (command, args) => {
      try {
        return (await run(command, args, { cwd: consumer, env })).stdout;
      } catch (error) {
        const { stdout, stderr } = error as { stdout?: string; stderr?: string };
        throw new Error(`${args.join(' ')} failed: ${stdout}${stderr}`, { cause: error });
      }
    },
  };
  const npm = findOnPath('npm');
  const packs = await pack(work);
  mkdirSync(join(work, 'bin'));
  symlinkSync(process.execPath, join(work, 'bin/node'));
  mkdirSync(consumer);
  writeFileSync(join(consumer, 'package.json'), '{ "private": true, "type": "module" }\n');
  const flags = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await machine.run(process.execPath, [npm, 'install', ...flags, ...packs]);
  copyFileSync(join(repository, 'test/compat/smoke.mjs'), join(consumer, 'smoke.mjs'));
  return machine;
}
