import type { CodingTools } from '@cairn/coding-agent';
import type { ToolResult } from '@cairn/tool';

/** The files before a call. `hard/two.txt` is another name of `hard/one.txt`. */
export const filesBefore: Readonly<Record<string, string>> = {
  'a.txt': 'old a\n',
  'd/b.txt': 'old b\n',
  'hard/one.txt': `old ${'x'.repeat(3000)} end of old\n`,
};

const longer = `new ${'y'.repeat(5000)} end of new\n`;
const patch = ['*** Begin Patch', '*** Update File: a.txt', '@@', '-old a', '+new a', '*** Update File: d/b.txt'];

/** Calls under which a process dies. */
export const deadlyCalls: Readonly<Record<string, (tools: CodingTools) => Promise<ToolResult>>> = {
  write: (tools) => tools.write.execute({ path: 'a.txt', content: 'new a\n' }),
  'write of a new file': (tools) => tools.write.execute({ path: 'n/e/w.txt', content: 'new\n' }),
  'write of a longer file with two names': (tools) => tools.write.execute({ path: 'hard/one.txt', content: longer }),
  'write of a shorter file with two names': (tools) => tools.write.execute({ path: 'hard/two.txt', content: 'new\n' }),
  patch: (tools) =>
    tools.patch.execute({
      patch: [...patch, '*** Move to: m/b.txt', '@@', '-old b', '+new b', '*** End Patch', ''].join('\n'),
    }),
  rename: (tools) => tools.rename.execute({ from: 'a.txt', to: 'm/a.txt' }),
  delete: (tools) => tools.delete.execute({ path: 'd', recursive: true }),
};

/** What each file may be afterwards, beside what it was; `undefined` is nothing. */
export const filesAfter: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  write: { 'a.txt': 'new a\n' },
  'write of a new file': { 'n/e/w.txt': 'new\n' },
  'write of a longer file with two names': { 'hard/one.txt': longer, 'hard/two.txt': longer },
  'write of a shorter file with two names': { 'hard/one.txt': 'new\n', 'hard/two.txt': 'new\n' },
  patch: { 'a.txt': 'new a\n', 'd/b.txt': undefined, 'm/b.txt': 'new b\n' },
  rename: { 'a.txt': undefined, 'm/a.txt': 'old a\n' },
  delete: { 'd/b.txt': undefined },
};
