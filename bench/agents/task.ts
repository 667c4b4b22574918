/** The task: find a word in a project, read two files at once, change one, and report. Every contestant has the same tools. */
import { z } from 'zod';
import type { Answer } from './server.ts';

const filler = Array.from(
  { length: 60 },
  (_, line) => `export const value${line} = ${line}; // a line of a file\n`,
).join('');

/** A project in memory. */
export class Project {
  readonly files = new Map([
    ['a.ts', `${filler}export const old = 1;\n`],
    ['b.ts', `${filler}import { old } from './a.ts';\n`],
    ['c.ts', filler],
  ]);

  search({ text }: { readonly text: string }): string {
    return [...this.files].flatMap(([path, content]) => (content.includes(text) ? [path] : [])).join('\n');
  }

  read({ path }: { readonly path: string }): string {
    return this.files.get(path) ?? `${path} does not exist`;
  }

  edit({ path, from, to }: { readonly path: string; readonly from: string; readonly to: string }): string {
    this.files.set(path, this.read({ path }).replaceAll(from, to));
    return `${path} is changed`;
  }
}

export const tools = {
  search: { description: 'Returns the files that contain a text.', schema: z.object({ text: z.string() }) },
  read: { description: 'Returns the content of a file.', schema: z.object({ path: z.string() }) },
  edit: {
    description: 'Replaces a text in a file.',
    schema: z.object({ path: z.string(), from: z.string(), to: z.string() }),
  },
} as const;

export type ToolName = keyof typeof tools;
export const toolNames = Object.keys(tools) as readonly ToolName[];

export const instructions =
  'You rename variables in a project. Read the files that use a variable before you change them.';
export const prompt = 'Rename the variable old to renamed.';

export const script: readonly Answer[] = [
  { text: 'I search for it.', calls: [{ name: 'search', input: { text: 'old' } }] },
  {
    calls: [
      { name: 'read', input: { path: 'a.ts' } },
      { name: 'read', input: { path: 'b.ts' } },
    ],
  },
  {
    calls: [
      { name: 'edit', input: { path: 'a.ts', from: 'old', to: 'renamed' } },
      { name: 'edit', input: { path: 'b.ts', from: 'old', to: 'renamed' } },
    ],
  },
  { text: 'The variable old is now called renamed in the two files that use it.' },
];

const answer = script.at(-1)?.text ?? '';

/** Throws if the task was not done. */
export function check(project: Project, text: string): void {
  const left = project.search({ text: 'old' });
  if (left !== '' || text !== answer) throw new Error(`the task was not done: ${JSON.stringify({ left, text })}`);
}
