/** The README of the package, which shows the tables of the simulated run. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = fileURLToPath(new URL('../../../packages/workspace-cache/README.md', import.meta.url));

export const readme: { readonly path: string; readonly text: string } = { path, text: readFileSync(path, 'utf8') };

const START = '<!-- The tables of `npm run simulate -- --write`. -->\n\n';
const END = '\n<!-- End of the tables. -->';

/** Puts tables between the comments of a README. */
export function withTables(text: string, tables: string): string {
  const start = text.indexOf(START) + START.length;
  const end = text.indexOf(END);
  if (start < START.length || end < start) throw new Error(`the README has no place for the tables: ${START.trim()}`);
  return text.slice(0, start) + tables + text.slice(end);
}
