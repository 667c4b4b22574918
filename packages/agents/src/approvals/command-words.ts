/** Syntax of a line that is more than one simple command, or whose words the shell changes before it runs them. */
// eslint-disable-next-line no-control-regex -- control characters are what this finds
const SYNTAX = /[;&|<>$()`\u0000-\u0008\u000a-\u001f\u007f]/u;
const SEPARATORS = /[;&|<>$()`\r\n]+/u;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/u;
/** Words with these are not what they look like: a rule compares them as they are written, as a whole. */
const QUOTING = /["'\\]/u;

export function wordsOf(command: string): string[] {
  return command.split(/[ \t]+/u).filter((word) => word !== '');
}

/**
 * Returns whether a command line is one simple command: no `;`, `&`, `|`, `<`, `>`, `$`, parentheses, backticks, newlines or other control
 * characters, and no assignment before the command.
 */
export function isSimpleCommand(command: string): boolean {
  const [first = ''] = wordsOf(command);
  return first !== '' && !SYNTAX.test(command) && !ASSIGNMENT.test(first);
}

/** The words of a rule. `*` as the last word stands for any further words. */
export interface CommandPattern {
  readonly text: string;
  /** The rule is in quotes: its text is the whole command, and `*` is only a character. */
  readonly isLiteral: boolean;
}

/** Returns the reason why no command can match a pattern; `undefined` for a usable pattern. */
export function commandPatternProblem({ text, isLiteral }: CommandPattern): string | undefined {
  if (!isSimpleCommand(text)) return 'it is not one simple command, and only those match rules';
  const words = wordsOf(text);
  if (isLiteral || !words.includes('*') || words.indexOf('*') === words.length - 1) return undefined;
  return '`*` is not the last word';
}

function startsWith(words: readonly string[], { text, isLiteral }: CommandPattern): boolean {
  const wanted = wordsOf(text);
  const isOpen = !isLiteral && wanted.at(-1) === '*';
  const fixed = isOpen ? wanted.slice(0, -1) : wanted;
  if (isOpen ? words.length < fixed.length : words.length !== fixed.length) return false;
  return fixed.every((word, index) => word === words[index]);
}

/** Whether a pattern allows a command: one simple command with exactly these words. */
export function allowsCommand(command: string, pattern: CommandPattern): boolean {
  if (!isSimpleCommand(command)) return false;
  // Inside quotes, one space is not two.
  if (pattern.isLiteral || (QUOTING.test(command) && !pattern.text.endsWith('*'))) {
    return command.trim() === pattern.text.trim();
  }
  return startsWith(wordsOf(command), pattern);
}

/** Whether a pattern forbids a command, or a command in a longer line: as far as the line can be read without a shell. */
export function forbidsCommand(command: string, pattern: CommandPattern): boolean {
  const lines = [command, ...command.split(SEPARATORS)];
  return lines.some((line) => {
    const words = wordsOf(line.replaceAll(QUOTING_ALL, ''));
    while (ASSIGNMENT.test(words[0] ?? '')) words.shift();
    return line.trim() === pattern.text.trim() || startsWith(words, { ...pattern, text: unquoted(pattern.text) });
  });
}

const QUOTING_ALL = new RegExp(QUOTING, 'gu');

function unquoted(text: string): string {
  return text.replaceAll(QUOTING_ALL, '');
}

/** Returns the pattern that only this command matches; `undefined` when no rule can. */
export function patternOfCommand(command: string): CommandPattern | undefined {
  const text = command.trim();
  if (!isSimpleCommand(text)) return undefined;
  return { text, isLiteral: QUOTING.test(text) || text.includes('*') || wordsOf(text).join(' ') !== text };
}
