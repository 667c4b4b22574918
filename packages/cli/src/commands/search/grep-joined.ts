import type { GrepMatch } from '@cairn/natives';
import type { PathNaming } from './grep-lines.ts';
import type { BatchReader } from './grep-search.ts';

/** Adds a line to the match whose last hit includes the line break before it. */
function append(match: GrepMatch, line: GrepMatch): void {
  const { submatches: hits = [] } = match;
  const { submatches: own = [] } = line;
  const last = hits.at(-1);
  if (last === undefined) return;
  const shift = match.line.length + 1;
  const [first, ...others] = own;
  const continued = first?.continued === true ? first : undefined;
  last.end = shift + (continued?.end ?? 0);
  for (const hit of continued === undefined ? own : others)
    hits.push({ ...hit, start: hit.start + shift, end: hit.end + shift });
  match.line += `\n${line.line}`;
  if (line.truncated === true) match.truncated = true;
  if (line.takesLineEnd === true) match.takesLineEnd = true;
  else delete match.takesLineEnd;
  if (line.contextAfter !== undefined) match.contextAfter = line.contextAfter;
}

/** Whether the last hit of a match includes the line break before the line. */
function goesOnIn(match: GrepMatch, line: GrepMatch): boolean {
  const next = match.lineNumber + match.line.split('\n').length;
  const isWhole = match.submatches?.at(-1)?.end === match.line.length;
  return match.takesLineEnd === true && isWhole && match.path === line.path && line.lineNumber === next;
}

/** Joins the lines of a match, because one text replaces all of them. The last line is held back until the next one. */
export class LineJoiner {
  readonly #read: BatchReader;
  #held: { readonly match: GrepMatch; readonly pathOf: PathNaming } | undefined;

  constructor(read: BatchReader) {
    this.#read = read;
  }

  readonly read: BatchReader = async (matches, pathOf) => {
    if (this.#held?.pathOf !== pathOf) await this.end();
    const whole: GrepMatch[] = [];
    for (const match of matches) {
      if (this.#held !== undefined && goesOnIn(this.#held.match, match)) {
        append(this.#held.match, match);
        continue;
      }
      if (this.#held !== undefined) whole.push(this.#held.match);
      this.#held = { match, pathOf };
    }
    await this.#read(whole, pathOf);
  };

  async end(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) await this.#read([held.match], held.pathOf);
  }
}
