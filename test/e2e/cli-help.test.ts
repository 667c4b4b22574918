import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { cairn, cairnEntry, cleanEnv } from '../support/cli.ts';
import { startModelServer } from '../support/model-server.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';

/** A tree in which every example of the help finds something. */
function exampleTree(): string {
  return createTree({
    'README.md': '# Readme\n\nTODO: write it, see https://example.com\n',
    'test/a.test.ts': "import { a } from '../src/a.ts';\n",
    'notes.txt': 'use --limit here\n',
    'docs/guide.md': '# Guide\n',
    'src/api.ts': '// TODO: export it\n',
    'api-test.ts': "import {\n  type A,\n} from './a.ts';\n",
    'kernel/sched/core.c': 'void schedule(void);\n',
    'src/a.ts': 'export function a() {\n  return foo(bar[0]);\n}\n',
    'src/aa/bb.ts': "import { a } from '../a.ts';\n",
    'src/deep/x.test.ts': "import { a } from '../a.ts';\n// Error: a timeout\n",
    '.config/settings.json': '{}\n',
  });
}

/** The lines of the help that start with `$ cairn`, without the remark after the command. */
function examplesOf(help: string): string[] {
  return [...help.matchAll(/^ {2}\$ (cairn .*?)(?: {2,}\S.*)?$/gmu)].map(([, command = '']) => command.trimEnd());
}

/** A tree in which every example of the commands on files does something. */
function toolTree(): string {
  return createTree({
    'README.md': '# Readme\n\nTODO: write it\n',
    'src/main.ts': `let x = 1;\n${'foo();\n'.repeat(2500)}`,
    'legacy.txt': Buffer.from([0x63, 0x61, 0x66, 0xe9]),
    VERSION: '1.1.0',
    'a.txt': 'a\nobsolete\n',
    'new.txt': 'new\n',
    'edits.json': '[{"old_text": "obsolete", "new_text": "b"}]',
    'change.patch': '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,1 @@\n a\n-obsolete\n',
    'old.txt': 'old\n',
    build: { out: {} },
  });
}

/** Returns the runner of a shell that finds `cairn`. A line that fails rejects with its status and its output. */
function shell(cwd: string, more: Readonly<Record<string, string>> = {}): (line: string) => Promise<string> {
  const bin = temporaryDirectory();
  writeFileSync(join(bin, 'cairn'), `#!/bin/sh\nexec "${process.execPath}" "${cairnEntry}" "$@"\n`, { mode: 0o755 });
  const env = cleanEnv({ PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`, ...more });
  return async (line) => (await promisify(execFile)('/bin/sh', ['-c', line], { cwd, env })).stdout;
}

/** Returns the examples in the help of a command. */
async function examplesIn(command: string): Promise<string[]> {
  const { stdout: help } = await cairn([...(command === '' ? [] : [command]), '--help']);
  const examples = examplesOf(help);
  expect(examples.length).toBeGreaterThan(1);
  return examples;
}

const toolCommands = ['read', 'write', 'edit', 'patch', 'delete', 'rename', 'ls', 'tree'];

test.skipIf(process.platform === 'win32').each(toolCommands)(
  'every example in `cairn %s --help` does something',
  async (command) => {
    for (const example of await examplesIn(command)) {
      const cwd = toolTree();
      // The tag in the help stands for that of the file.
      const file = example.split(' ')[2] ?? '';
      const { stderr: header } = example.includes('1a2b3c4d') ? await cairn(['read', file], { cwd }) : { stderr: '' };
      const tag = /tag ([\da-f]{8})/u.exec(header)?.[1] ?? '';
      expect(await shell(cwd)(`(${example.replace('1a2b3c4d', tag)}) 2>&1`), example).not.toBe('');
    }
  },
);

test.skipIf(process.platform === 'win32').each(['memory', 'notes', 'workflow'])(
  'every example in `cairn %s --help` does something',
  async (command) => {
    const cwd = temporaryDirectory();
    const server = await startModelServer(() => ({ text: 'x' }));
    onTestFinished(() => server.close());
    const run = shell(cwd, { HOME: cwd, CAIRN_BASE_URL: server.url, CAIRN_MODEL: 'scripted' });
    // What `workflow show` and `memory groups` show.
    const workflow = '{"kind":"workflow","id":"workflow_1703123456789_abc123","goal":"g","todos":[],"streamName":"s"}';
    const place = { stream: 'agent', group: 'g', id: 'm' };
    const message = { kind: 'message', ...place, role: 'user', content: 'x', time: Date.now() };
    await run(`echo '${workflow}\n${JSON.stringify(message)}' | cairn memory import 2>&1`);
    // One that writes a file prints nothing else.
    for (const example of await examplesIn(command)) expect(await run(`(${example} && ls) 2>&1`), example).not.toBe('');
  },
);

test.skipIf(process.platform === 'win32').each(['', 'find', 'glob', 'grep', 'tour'])(
  'every example in `cairn %s --help` runs and finds something',
  async (command) => {
    // One of them remembers something.
    const run = shell(exampleTree(), { HOME: temporaryDirectory() });
    for (const example of await examplesIn(command)) expect(await run(example), example).not.toBe('');
  },
);
