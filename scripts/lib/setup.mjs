/** The set-up both commands share: check the machine, install, build. Each part is skipped when already done. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { pinnedNode, root, turboEntry } from './paths.mjs';
import { say } from './progress.mjs';
import { findToolchain } from './requirements.mjs';
import { runStep } from './run.mjs';

const stampFile = join(root, 'node_modules', '.cairn-install');

const manifests = () => {
  const packages = join(root, 'packages');
  const names = readdirSync(packages, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(packages, entry.name));
  return [root, join(root, 'test'), ...names].map((directory) => join(directory, 'package.json'));
};

/** Changes whenever an install could give another result. */
const installStamp = () => {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const file of [join(root, 'pnpm-lock.yaml'), join(root, 'pnpm-workspace.yaml'), ...manifests().toSorted()]) {
    if (existsSync(file)) hash.update(`\n${file}\n`).update(readFileSync(file));
  }
  return hash.digest('hex');
};

const isInstalled = () =>
  existsSync(pinnedNode) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === installStamp();

/** @param {NodeJS.ProcessEnv} env */
const install = async (env) => {
  if (isInstalled()) return true;
  rmSync(stampFile, { force: true });
  /** @type {{ packageManager: string }} */
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { code } = await runStep({
    title: 'Installing dependencies',
    done: 'Dependencies installed',
    command: 'npx',
    args: ['--yes', packageManager, 'install', '--frozen-lockfile'],
    cwd: root,
    env,
  });
  if (code !== 0) {
    say('The install failed; its output is above. Check the network and free disk space, then run the command again.');
    return false;
  }
  writeFileSync(stampFile, installStamp());
  return true;
};

const turboFlags = ['--ui=stream', '--log-order=stream', '--log-prefix=none'];

/**
 * Runs turbo under the pinned Node.
 *
 * @param {{ tasks: string[], args?: string[], title: string, done: string, echo?: boolean, env: NodeJS.ProcessEnv }} options
 */
export const runTurbo = ({ tasks, args = [], title, done, echo = false, env }) =>
  runStep({
    title,
    done,
    echo,
    command: pinnedNode,
    args: [turboEntry, 'run', ...tasks, ...turboFlags, ...args],
    cwd: root,
    env,
  });

/**
 * Makes the checkout ready to run.
 *
 * @param {{ task: 'build' | 'build:native', title: string }} options the turbo task to bring up to date
 * @returns {Promise<NodeJS.ProcessEnv | undefined>} the environment for children; undefined when set-up failed and the
 *   reason has been printed
 */
export const setUp = async ({ task, title }) => {
  const { env, missing } = findToolchain();
  if (missing.length > 0) {
    say('Cairn cannot be built here yet. Missing:');
    for (const line of missing) say(`  - ${line}`);
    return undefined;
  }
  if (!(await install(env))) return undefined;
  const { code } = await runTurbo({ tasks: [task], title, done: 'Build is up to date', env });
  if (code !== 0) {
    say('The build failed; its output is above.');
    return undefined;
  }
  return env;
};
