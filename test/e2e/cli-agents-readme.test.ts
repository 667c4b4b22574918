/** The way of a newcomer: the block of the README about agents, as it is, with another server. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { codeBlocksOf } from '../docs/code-blocks.ts';
import { cairnEntry, cleanEnv } from '../support/cli.ts';
import { startModelServer, systemPromptOf, transcriptOf } from '../support/model-server.ts';
import { createTree, temporaryDirectory } from '../support/tree.ts';

const readme = fileURLToPath(new URL('../../README.md', import.meta.url));

test.skipIf(process.platform === 'win32')(
  'the README alone leads to an agent, its answers, and what it is sent',
  async () => {
    const block = codeBlocksOf('README.md', readFileSync(readme, 'utf8')).find(({ text }) =>
      text.includes('cairn agents new'),
    );
    const commands = (block?.text ?? '').split('\n').map((line) => line.replace(/^\$ /u, '').replace(/ {2,}#.*$/u, ''));
    expect(commands).toHaveLength(5);

    const server = await startModelServer(({ number }) => ({ text: `Answer ${number}` }));
    onTestFinished(() => server.close());
    const bin = temporaryDirectory();
    writeFileSync(join(bin, 'cairn'), `#!/bin/sh\nexec "${process.execPath}" "${cairnEntry}" "$@"\n`, { mode: 0o755 });
    const cwd = createTree({ '.git/': {}, 'README.md': '# The project\n' });
    const env = cleanEnv({
      PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
      HOME: temporaryDirectory(),
      CI: '',
    });
    const script = commands.join('\n').replace('http://localhost:11434/v1', server.url);
    const { stdout } = await promisify(execFile)('/bin/sh', ['-e', '-c', script], { cwd, env });

    const [path, first, second, title] = stdout.split('\n');
    expect(path).toBe(join(cwd, '.cairn/agents/reviewer.md'));
    expect([first, second]).toEqual(['Answer 1', 'Answer 2']);
    expect(title).toMatch(/^reviewer, mode isolated, session session_\w+: about [\d,]+ tokens, [\d.]+ (?:B|[KM]iB)$/u);
    const [one, two] = server.requests;
    expect(one?.chat.model).toBe('qwen3');
    expect(one === undefined ? [] : transcriptOf(one)).toEqual([expect.stringContaining('# The project')]);
    expect(two === undefined ? [] : transcriptOf(two).slice(1)).toEqual([
      'assistant: Answer 1',
      'user: What about the examples?',
    ]);
    // It shows what the next run sends: the system prompt of the second one, and its conversation.
    expect(stdout).toContain(`\n== system prompt\n${two === undefined ? '' : systemPromptOf(two)}\n`);
    expect(stdout).toContain('\n== message 4: assistant\nAnswer 2\n');
  },
);
