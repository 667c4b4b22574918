import { expect, test } from 'vitest';
import { shellLine } from './shell-line.ts';

test.each([
  ['linux', ['cairn', 'hook'], 'cairn hook'],
  ['linux', ['/opt/my tools/cairn', "it's"], String.raw`'/opt/my tools/cairn' 'it'\''s'`],
  ['darwin', ['cmd', '/c', 'x'], 'cmd /c x'],
  ['win32', ['cmd', '/c', 'npx', '-y', '@cairn/cli'], 'npx -y @cairn/cli'],
  ['win32', [String.raw`C:\Program Files\node.exe`, 'main.js'], String.raw`"C:\Program Files\node.exe" main.js`],
] as const)('%s: %j', (platform, words, line) => expect(shellLine(words, platform)).toBe(line));
