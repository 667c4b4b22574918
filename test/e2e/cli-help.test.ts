import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { cairn, cairnEntry, cleanEnv } from '../support/cli.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';

/** A tree in which every example of the help finds something. */
function exampleTree(): string {
  return createTree({
    'README.md': '# Readme\n\nTODO: write it\n',
    'notes.txt': 'use --limit here\n',
    'api-test.ts': "import {\n  type A,\n} from './a.ts';\n",
    'kernel/sched/core.c': 'void schedule(void);\n',
    'src/a.ts': 'export function a() {\n  return foo(bar[0]);\n}\n',
    'src/aa/bb.ts': "import { a } from '../a.ts';\n",
    'src/deep/x.test.ts': "import { a } from '../a.ts';\n// Error: a timeout\n",
    '.config/settings.json': '{}\n',
  });
}

/** The lines of the help that start with `$ cairn`, without the remark behind them. */
function examplesOf(help: string): string[] {
  return [...help.matchAll(/^ {2}\$ (cairn .*?)(?: {2,}\S.*)?$/gmu)].map(([, command = '']) => command.trimEnd());
}

test.skipIf(process.platform === 'win32').each(['', 'find', 'glob', 'grep', 'tour'])(
  'every example in `cairn %s --help` runs and finds something',
  async (command) => {
    const bin = temporaryDirectory();
    const script = join(bin, 'cairn');
    writeFileSync(script, `#!/bin/sh\nexec "${process.execPath}" "${cairnEntry}" "$@"\n`);
    chmodSync(script, 0o755);
    const { stdout: help } = await cairn([...(command === '' ? [] : [command]), '--help']);
    const examples = examplesOf(help);
    expect(examples.length).toBeGreaterThan(1);
    const cwd = exampleTree();
    const env = cleanEnv({ PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` });
    for (const example of examples) {
      // A failing example rejects with its status and what it said.
      const { stdout } = await promisify(execFile)('/bin/sh', ['-c', example], { cwd, env });
      expect(stdout, example).not.toBe('');
    }
  },
);
