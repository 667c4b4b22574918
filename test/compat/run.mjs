/**
 * Runs the smoke test on the built packages under every supported Node. Build first; the Nodes are installed here.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** @param {string} path */
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * @param {string} command
 * @param {string[]} args
 */
const run = (command, args) => spawnSync(command, args, { cwd: here('.'), encoding: 'utf8' });

const pnpm = here('../../node_modules/pnpm/bin/pnpm.cjs');
const install = run(process.execPath, [pnpm, 'install', '--frozen-lockfile']);
if (install.status !== 0) throw new Error(`the Nodes could not be installed:\n${install.stdout}${install.stderr}`);

/** @type {{ devDependencies: Record<string, string> }} */
const { devDependencies } = JSON.parse(readFileSync(here('package.json'), 'utf8'));
const natives = new URL('../../packages/natives/dist/index.js', import.meta.url).href;

let failed = 0;
for (const [name, wanted] of Object.entries(devDependencies)) {
  const { status, signal, stdout, stderr } = run(here(`node_modules/${name}/bin/node`), ['smoke.mjs', natives]);
  const version = wanted.replace('npm:node@', 'v');
  if (status === 0 && stdout.trim() === version) {
    process.stdout.write(`ok ${version}\n`);
  } else {
    failed += 1;
    process.stdout.write(`failed ${version} (exit code ${status}, signal ${signal})\n${stdout}${stderr}\n`);
  }
}
process.exitCode = failed === 0 && Object.keys(devDependencies).length > 0 ? 0 : 1;
