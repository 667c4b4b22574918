import { expect, test } from 'vitest';
import { wantsStructured } from './answer.ts';

test.each([
  ['a program', 'auto', 'my-script', true],
  ['a client without a name', 'auto', undefined, true],
  ['Claude Code', 'auto', 'claude-code', false],
  ['Codex', 'auto', 'codex-mcp-client', false],
  ['Cursor', 'auto', 'cursor-vscode', false],
  ['VS Code', 'auto', 'Visual Studio Code', false],
  ['the insiders build of VS Code', 'auto', 'Visual Studio Code - Insiders', false],
  ['opencode', 'auto', 'opencode', false],
  ['a known host, with `always`', 'always', 'claude-code', true],
  ['a program, with `never`', 'never', 'my-script', false],
] as const)('structured content for %s (%s, %s): %s', (_reason, when, name, expected) => {
  expect(wantsStructured(when, name)).toBe(expected);
});
