/**
 * Runs the smoke test under every supported Node, in a directory in which the packed packages are installed: here in the
 * workspace they would load the sources of the others. Build first; the Nodes are installed here.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackedNatives } from '../support/packed-natives.ts';

/** @param {string} path */
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const pnpm = here('../../node_modules/pnpm/bin/pnpm.cjs');
const install = spawnSync(process.execPath, [pnpm, 'install', '--frozen-lockfile'], {
  cwd: here('.'),
  encoding: 'utf8',
});
if (install.status !== 0) throw new Error(`the Nodes could not be installed:\n${install.stdout}${install.stderr}`);

/** @type {{ devDependencies: Record<string, string> }} */
const { devDependencies } = JSON.parse(readFileSync(here('package.json'), 'utf8'));
const work = realpathSync(mkdtempSync(join(tmpdir(), 'cairn-compat-')));

let failed = 0;
try {
  const { consumer } = await installPackedNatives(work);
  for (const [name, wanted] of Object.entries(devDependencies)) {
    const node = here(`node_modules/${name}/bin/node`);
    const { status, signal, stdout, stderr } = spawnSync(node, ['smoke.mjs'], { cwd: consumer, encoding: 'utf8' });
    const version = wanted.replace('npm:node@', 'v');
    if (status === 0 && stdout.trim() === version) {
      process.stdout.write(`ok ${version}\n`);
    } else {
      failed += 1;
      process.stdout.write(`failed ${version} (exit code ${status}, signal ${signal})\n${stdout}${stderr}\n`);
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = failed === 0 && Object.keys(devDependencies).length > 0 ? 0 : 1;
