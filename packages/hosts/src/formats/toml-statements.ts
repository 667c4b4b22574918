/** A table header or a `key = value` pair of a TOML text. */
export interface TomlStatement {
  readonly kind: 'table' | 'array' | 'pair';
  /** The names from the root, including those of its table. */
  readonly path: readonly string[];
  /** The names of its table; for a header, its own. */
  readonly table: readonly string[];
  /** The start of its line. */
  readonly start: number;
  /** The start of the line after it. */
  readonly end: number;
  readonly value?: { readonly start: number; readonly end: number };
}

/** Matches a sticky pattern at an offset. Returns the end of the match, or the offset when it does not match. */
function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

const whitespace = /[\t ]*/uy;
const restOfLine = /[^\n]*(?:\n|$)/uy;
const emptyLines = /(?:[\t ]*(?:#[^\n]*)?\r?\n)*/uy;
const bareValue = /[^\s,\]}#]+(?: \d[\d:.Z+-]*)?/uy;
/** A string, a comment, a bracket or what is between. Up to two more quotes may precede the three that end a multi-line string. */
const token =
  /"""(?:\\[^]|(?!""")[^])*"{3,5}|'''(?:(?!''')[^])*'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*|[^"'#[\]{}]+|[^]/uy;
const shortString = /"(?:\\.|[^"\\\n])*"|'[^'\n]*'/uy;
const bareKey = /[\w-]+/uy;

function skipValue(text: string, at: number): number {
  if (!/["'[{]/u.test(text[at] ?? '')) return skip(text, at, bareValue);
  let next = at;
  let depth = 0;
  do {
    const end = skip(text, next, token);
    const read = text.slice(next, end);
    if (read === '[' || read === '{') depth++;
    if (read === ']' || read === '}') depth--;
    next = end;
  } while (depth > 0 && next < text.length);
  return next;
}

/** Returns a name without its quotes. Escapes are those of JSON, except `\U` and `\e`, which are very rare in names. */
function unquote(name: string): string {
  if (name.startsWith("'")) return name.slice(1, -1);
  if (!name.startsWith('"')) return name;
  try {
    return String(JSON.parse(name));
  } catch {
    return name;
  }
}

function readKey(text: string, start: number): { readonly names: string[]; readonly end: number } {
  const names: string[] = [];
  let at = start;
  for (;;) {
    at = skip(text, at, whitespace);
    const end = skip(text, at, /["']/uy.test(text[at] ?? '') ? shortString : bareKey);
    names.push(unquote(text.slice(at, end)));
    at = skip(text, end, whitespace);
    if (text[at] !== '.' || end === start) return { names, end: at };
    at++;
  }
}

/** Splits a valid TOML text into statements. smol-toml exposes no positions. */
export function tomlStatements(text: string): TomlStatement[] {
  const statements: TomlStatement[] = [];
  let table: readonly string[] = [];
  for (let start = skip(text, 0, emptyLines); start < text.length; start = skip(text, start, emptyLines)) {
    const at = skip(text, start, whitespace);
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
    const valueStart = skip(text, end + 1, whitespace);
    const valueEnd = skipValue(text, valueStart);
    const next = skip(text, valueEnd, restOfLine);
    const value = { start: valueStart, end: valueEnd };
    statements.push({ kind: 'pair', path: [...table, ...names], table, start, end: next, value });
    // Always advances, so that invalid TOML cannot cause an endless loop.
    start = Math.max(next, start + 1);
  }
  return statements;
}
