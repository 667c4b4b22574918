import { displayWidth, wrapWords } from './text.ts';

/** An example, and the remark after it. */
const EXAMPLE = /^(?<indent> +)\$ (?<command>.*?)(?: {2,}(?<remark>\S.*))?$/u;
/** An option, an argument or a command, and its description. */
const ENTRY = /^(?<indent> +)(?<term>\S.*?) {2,}(?<description>\S.*)$/u;

/** Words of a shell: what is in quotes is one. */
const SHELL_WORDS = /(?:'[^']*'|"[^"]*"|[^\s'"])+/gu;

/** Indents each row of a string that is wrapped to `columns`; the rows of a point stand below its text. */
function block(text: string, columns: number, indent: string): string {
  const rows = wrapWords(text, Math.max(1, columns - indent.length), text.startsWith('- ') ? '  ' : '');
  return indent + rows.replaceAll('\n', `\n${indent}`);
}

/** Breaks a command in the way of a shell, so that it can be pasted. */
function wrapCommand(command: string, columns: number, indent: string): string {
  const first = `${indent}$ `;
  if (displayWidth(first + command) <= columns) return first + command;
  const next = `${indent}    `;
  const rows: string[] = [];
  let row = first.slice(0, -1);
  for (const [word] of command.matchAll(SHELL_WORDS)) {
    const longer = `${row} ${word}`;
    if (displayWidth(longer) <= columns - 2 || row.trim() === '$') row = longer;
    else {
      rows.push(`${row} \\`);
      row = next + word;
    }
  }
  return [...rows, row].join('\n');
}

function wrapLine(line: string, columns: number): string {
  if (displayWidth(line) <= columns) return line;
  const example = EXAMPLE.exec(line)?.groups;
  if (example) {
    const { indent = '', command = '', remark } = example;
    const shown = wrapCommand(command, columns, indent);
    return remark === undefined ? shown : `${shown}\n${block(remark, columns, `${indent}    `)}`;
  }
  const entry = ENTRY.exec(line)?.groups;
  if (entry) {
    const { indent = '', term = '', description = '' } = entry;
    return `${block(term, columns, indent)}\n${block(description, columns, `${indent}    `)}`;
  }
  const indent = /^ */u.exec(line)?.[0] ?? '';
  return block(line.slice(indent.length), columns, indent);
}

/** Breaks the lines of a help text between words, so that no row is wider than `columns` unless one word is. */
export function helpText(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, columns))
    .join('\n');
}
