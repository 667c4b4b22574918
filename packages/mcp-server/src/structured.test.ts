import { expect, test } from 'vitest';
import { isGivenStructured } from './structured.ts';

test.each([
  ['a program', 'auto', 'my-script', true],
  ['a client without a name', 'auto', undefined, true],
  ['Claude Code', 'auto', 'claude-code', false],
  ['Codex', 'auto', 'codex-mcp-client', false],
  ['Cursor', 'auto', 'cursor-vscode', false],
  ['VS Code', 'auto', 'Visual Studio Code', false],
  ['its insiders', 'auto', 'Visual Studio Code - Insiders', false],
  ['opencode', 'auto', 'opencode', false],
  ['a host that is known, when it is asked for', 'always', 'claude-code', true],
  ['a program, when it is not wanted', 'never', 'my-script', false],
] as const)('%s is given structured content: %s, %s, %s', (_reason, when, name, expected) => {
  expect(isGivenStructured(when, name)).toBe(expected);
});
