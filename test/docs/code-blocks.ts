/** A fenced block of a Markdown document. */
export interface CodeBlock {
  readonly file: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** The comments right before the block, by their first word: `<!-- with: … -->`, `<!-- not run: … -->`. */
  readonly notes: ReadonlyMap<string, readonly string[]>;
}

const NOTE = /^<!--\s*(with|not run|not compiled|output varies):\s*([^]*?)\s*-->$/u;

/** The fenced blocks of a document, with the notes before them. */
export function codeBlocksOf(file: string, markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const lines = markdown.split('\n');
  let notes = new Map<string, string[]>();
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (line.startsWith('<!--')) {
      let comment = line;
      while (!comment.endsWith('-->') && index + 1 < lines.length) comment += `\n${lines[++index] ?? ''}`;
      const [, kind = '', text = ''] = NOTE.exec(comment) ?? [];
      if (kind !== '') notes.set(kind, [...(notes.get(kind) ?? []), text]);
      continue;
    }
    const [, indentation = '', language] = /^( *)```(\w*)$/u.exec(line) ?? [];
    if (language === undefined) {
      if (line.trim() !== '') notes = new Map();
      continue;
    }
    const start = index + 1;
    while (index + 1 < lines.length && lines[index + 1] !== `${indentation}\`\`\``) index++;
    const text = lines
      .slice(start, index + 1)
      .map((each) => each.slice(indentation.length))
      .join('\n');
    index++;
    blocks.push({ file, line: start, language, text, notes });
    notes = new Map();
  }
  return blocks;
}

/** A command of a block. */
export interface CairnCommand {
  readonly command: string;
  /** The output that the document shows, without empty lines at both ends; empty when it shows none. */
  readonly output: string;
}

/**
 * The `cairn` commands of a block that are run: those after `$ ` where the block has any, otherwise every line. A note
 * `not run: cairn pick, …` leaves out the commands that begin so; any other `not run` leaves out the block.
 */
export function cairnCommandsOf(block: CodeBlock): CairnCommand[] {
  const lines = block.text.split('\n');
  const hasPrompt = lines.some((line) => line.startsWith('$ '));
  const leftOut = (block.notes.get('not run') ?? []).map((note) => /^cairn [\w ]+(?=,)/u.exec(note)?.[0] ?? 'cairn');
  const found: { command: string; output: string[] }[] = [];
  for (const line of lines) {
    if (hasPrompt && !line.startsWith('$ ')) found.at(-1)?.output.push(line);
    else found.push({ command: line.replace(/^\$ /u, '').replace(/ {2,}#.*$/u, ''), output: [] });
  }
  return found
    .filter(({ command }) => /^cairn(?: |$)/u.test(command) && !leftOut.some((start) => command.startsWith(start)))
    .map(({ command, output }) => ({ command, output: output.join('\n').replace(/^\n+|\n+$/gu, '') }));
}
