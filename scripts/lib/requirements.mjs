/** The tools that a machine needs before anything can be built, and how to install each. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

import { binDirectory, root } from './paths.mjs';

/** The PATH of every child: pinned tools first, then rustup's directory for shells that have not loaded it yet. */
const searchPath = () => {
  const cargoHome = process.env['CARGO_HOME'] ?? join(homedir(), '.cargo');
  return [binDirectory, process.env['PATH'] ?? '', join(cargoHome, 'bin')].join(delimiter);
};

/** @returns {NodeJS.ProcessEnv} */
const baseEnvironment = () => {
  /** @type {NodeJS.ProcessEnv} */
  const environment = {};
  for (const [name, value] of Object.entries(process.env)) {
    // Windows spells it `Path`; two spellings at once would shadow each other.
    if (!['PATH', 'FORCE_COLOR'].includes(name.toUpperCase())) environment[name] = value;
  }
  return {
    ...environment,
    PATH: searchPath(),
    // Output is captured and parsed, on a terminal as in a log.
    NO_COLOR: '1',
    TURBO_TELEMETRY_DISABLED: '1',
    TURBO_NO_UPDATE_NOTIFIER: '1',
  };
};

/**
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined} stdout without its last line break, or undefined when the command is missing or fails
 */
const ask = (command, args, env) => {
  const result = spawnSync(command, args, { env, cwd: root, encoding: 'utf8' });
  return result.status === 0 ? result.stdout.trim() : undefined;
};

/**
 * @param {string} have
 * @param {string} want
 */
export const isOlder = (have, want) => {
  const left = have.split('.').map(Number);
  const right = want.split('.').map(Number);
  for (let index = 0; index < right.length; index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
};

const wantedRust = () => {
  const manifest = readFileSync(join(root, 'Cargo.toml'), 'utf8');
  return /^rust-version = "([\d.]+)"/m.exec(manifest)?.[1] ?? '0';
};

const wantedNode = () => {
  /** @type {{ engines: { node: string } }} */
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return manifest.engines.node.replace(/^>=/, '');
};

const compilerFix = () => {
  if (process.platform === 'darwin') return 'xcode-select --install';
  /** @type {[string, string][]} */
  const managers = [
    ['/etc/debian_version', 'sudo apt-get install build-essential'],
    ['/etc/fedora-release', 'sudo dnf install gcc'],
    ['/etc/arch-release', 'sudo pacman -S base-devel'],
    ['/etc/alpine-release', 'sudo apk add build-base'],
  ];
  return managers.find(([marker]) => existsSync(marker))?.[1] ?? 'install gcc or clang with your package manager';
};

/**
 * @typedef {object} Toolchain
 * @property {NodeJS.ProcessEnv} env The environment for every child.
 * @property {string[]} missing One line for each missing tool, with its fix. Empty when nothing is missing.
 */

/** @returns {Toolchain} */
export const findToolchain = () => {
  const env = baseEnvironment();
  const missing = [];
  const nodeWanted = wantedNode();
  if (isOlder(process.versions.node, nodeWanted)) {
    missing.push(
      `Node ${nodeWanted} or newer (this is ${process.versions.node}). Fix: install it from https://nodejs.org`,
    );
  }
  const rustWanted = wantedRust();
  const rustc = ask('rustc', ['-vV'], env);
  const rustVersion = /^release: (\d+\.\d+\.\d+)/m.exec(rustc ?? '')?.[1];
  if (rustVersion === undefined || ask('cargo', ['--version'], env) === undefined) {
    missing.push(`Rust ${rustWanted} or newer (rustc and cargo). Fix: install it from https://rustup.rs`);
  } else if (isOlder(rustVersion, rustWanted)) {
    missing.push(`Rust ${rustWanted} or newer (this is ${rustVersion}). Fix: rustup update stable`);
  }
  // On Windows rustc finds the Visual Studio linker by itself and reports when it is missing.
  if (process.platform !== 'win32' && ask('cc', ['--version'], env) === undefined) {
    missing.push(`a C compiler and linker (cc). Fix: ${compilerFix()}`);
  }
  // The compiler and its host are inputs of the native build: see turbo.json.
  if (rustc !== undefined) env['CAIRN_RUSTC'] = rustc;
  return { env, missing };
};
