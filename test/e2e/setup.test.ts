import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script on a machine that has Node and these commands; each prints its text. */
function runWith(name: string, commands: Readonly<Record<string, string>>): Outcome {
  const bin = temporaryDirectory();
  for (const [command, text] of Object.entries(commands)) {
    writeFileSync(join(bin, command), `#!/bin/sh\necho '${text}'\n`);
    chmodSync(join(bin, command), 0o755);
  }
  const script = fileURLToPath(new URL(`../../scripts/${name}.mjs`, import.meta.url));
  const env = { PATH: bin, HOME: bin };
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8', env });
  return { status, stdout, stderr };
}

const rustc = 'rustc 1.99.0\nrelease: 1.99.0';

describe.skipIf(process.platform === 'win32')('on a machine that lacks something', () => {
  test('npm start names everything that is missing, with its fix, and stops', () => {
    const { status, stdout, stderr } = runWith('start', {});
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      'Cairn cannot be built here yet. Missing:',
      expect.stringMatching(/^ {2}- Rust [\d.]+ or newer \(rustc and cargo\)\. Fix: .*https:\/\/rustup\.rs$/u),
      expect.stringMatching(/^ {2}- a C compiler and linker \(cc\)\. Fix: \S+/u),
      '',
    ]);
  });

  test('only what is missing is named', () => {
    const { status, stderr } = runWith('start', { rustc, cargo: 'cargo 1.99.0' });
    expect(status).toBe(1);
    expect(stderr).toContain('a C compiler');
    expect(stderr).not.toContain('Rust');
  });

  test('a Rust that is too old gets the command to update', () => {
    const old = { rustc: 'rustc 1.60.0\nrelease: 1.60.0', cargo: 'cargo 1.60.0', cc: 'cc' };
    const { status, stderr } = runWith('start', old);
    expect(status).toBe(1);
    expect(stderr).toMatch(/Rust [\d.]+ or newer \(this is 1\.60\.0\)\. Fix: rustup update stable/u);
  });

  test('npm test still ends with its summary line and fails', () => {
    const { status, stdout } = runWith('test', {});
    expect({ status, stdout }).toEqual({ status: 1, stdout: '0 passed, 1 failed\n' });
  });
});
