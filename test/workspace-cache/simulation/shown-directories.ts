/** Reads a tree as a model does: which directories does it show with all their entries? */

const BOX = /^(?<indent>(?:│ {3}| {4})*)(?:├── |└── )(?<entry>.+)$/u;
const INDENT = /^(?<indent>(?: {2})*)(?<entry>\S.*)$/u;

/**
 * The directories whose entries are all in the first code block of a prompt, a tree in the form `box` or `indent`; the root is
 * an empty string. A directory with a number of further entries is not among them.
 */
export function shownDirectories(prompt: string): Set<string> {
  const lines = (/^(`{3,})\n(?<tree>.*?)\n\1$/msu.exec(prompt)?.groups?.['tree'] ?? '').split('\n');
  const isBox = lines.some((line) => /^[├└]── /u.test(line));
  const shown = new Set<string>(lines[0] === '' ? [] : ['']);
  const path: string[] = [];
  for (const line of lines) {
    const groups = (isBox ? BOX : INDENT).exec(line)?.groups;
    if (groups === undefined) continue;
    const { indent = '', entry = '' } = groups;
    path.length = indent.length / (isBox ? 4 : 2);
    if (entry.startsWith('…')) shown.delete(path.join('/'));
    const name = /^(.+)\/$/u.exec(entry)?.[1];
    if (name === undefined) continue;
    path.push(name);
    shown.add(path.join('/'));
  }
  return shown;
}
