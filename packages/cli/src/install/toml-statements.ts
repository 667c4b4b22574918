/** A table header or a `key = value` of a TOML text. */
export interface TomlStatement {
  readonly kind: 'table' | 'array' | 'pair';
  /** The names from the root on, those of the table it stands in included. */
  readonly path: readonly string[];
  /** The names of the table it stands in; for a header, its own. */
  readonly table: readonly string[];
  /** Where its line begins. */
  readonly start: number;
  /** Where the line after it begins. */
  readonly end: number;
  /** Where the value is written. */
  readonly value?: { readonly start: number; readonly end: number };
}

/** Matches at an offset and returns where the match ends. */
function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

const blanks = /[\t ]*/uy;
const restOfLine = /[^\n]*(?:\n|$)/uy;
const emptyLines = /(?:[\t ]*(?:#[^\n]*)?\r?\n)*/uy;
const comment = /#[^\n]*/uy;
const bareValue = /[^\s,\]}#]+(?: \d[\d:.Z+-]*)?/uy;
// Up to two quotes more may stand right before those that end a text of several lines.
const longString = /"""(?:\\[^]|(?!""")[^])*"{3,5}|'''(?:(?!''')[^])*'{3,5}/uy;
const shortString = /"(?:\\.|[^"\\\n])*"|'[^'\n]*'/uy;
const bareKey = /[\w-]+/uy;

function skipString(text: string, at: number): number {
  const long = skip(text, at, longString);
  return long > at ? long : skip(text, at, shortString);
}

function skipValue(text: string, at: number): number {
  const open = text[at];
  if (open === '"' || open === "'") return skipString(text, at);
  if (open !== '[' && open !== '{') return skip(text, at, bareValue);
  let depth = 0;
  for (let next = at; next < text.length;) {
    const character = text[next];
    if (character === '"' || character === "'") {
      next = Math.max(next + 1, skipString(text, next));
    } else if (character === '#') {
      next = skip(text, next, comment);
    } else {
      if (character === '[' || character === '{') depth++;
      if (character === ']' || character === '}') depth--;
      next++;
      if (depth === 0) return next;
    }
  }
  return text.length;
}

/** One name, without its quotes. TOML's short texts with escapes are JSON's, but for `\U` and `\e`, which names hardly have. */
function unquote(name: string): string {
  if (name.startsWith("'")) return name.slice(1, -1);
  if (!name.startsWith('"')) return name;
  try {
    return String(JSON.parse(name));
  } catch {
    return name;
  }
}

/** The names of a dotted key, and where it ends. */
function readKey(text: string, start: number): { readonly names: string[]; readonly end: number } {
  const names: string[] = [];
  let at = start;
  for (;;) {
    at = skip(text, at, blanks);
    const end = skip(text, at, /["']/uy.test(text[at] ?? '') ? shortString : bareKey);
    names.push(unquote(text.slice(at, end)));
    at = skip(text, end, blanks);
    if (text[at] !== '.' || end === start) return { names, end: at };
    at++;
  }
}

/** The statements of a text that is known to be TOML. */
export function tomlStatements(text: string): TomlStatement[] {
  const statements: TomlStatement[] = [];
  let table: readonly string[] = [];
  for (let start = skip(text, 0, emptyLines); start < text.length; start = skip(text, start, emptyLines)) {
    const at = skip(text, start, blanks);
    if (at >= text.length || text[at] === '#') break;
    if (text[at] === '[') {
      const isArray = text[at + 1] === '[';
      const { names, end } = readKey(text, at + (isArray ? 2 : 1));
      table = names;
      const next = skip(text, end, restOfLine);
      statements.push({ kind: isArray ? 'array' : 'table', path: names, table, start, end: next });
      start = next;
      continue;
    }
    const { names, end } = readKey(text, at);
    const valueStart = skip(text, end + 1, blanks);
    const valueEnd = skipValue(text, valueStart);
    const next = skip(text, valueEnd, restOfLine);
    const value = { start: valueStart, end: valueEnd };
    statements.push({ kind: 'pair', path: [...table, ...names], table, start, end: next, value });
    // A text that is no TOML after all must not be read for ever.
    start = Math.max(next, start + 1);
  }
  return statements;
}
