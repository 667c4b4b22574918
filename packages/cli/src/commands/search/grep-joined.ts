import type { GrepMatch } from '@cairn/natives';
import type { PathNaming } from './grep-lines.ts';
import type { BatchReader } from './grep-search.ts';

/** Adds a line to the match whose last hit goes on in it. */
function append(match: GrepMatch, line: GrepMatch): void {
  const { submatches: hits = [] } = match;
  const { submatches: [first, ...rest] = [] } = line;
  const last = hits.at(-1);
  if (last === undefined || first === undefined) return;
  const shift = match.line.length + 1;
  last.end = shift + first.end;
  for (const hit of rest) hits.push({ ...hit, start: hit.start + shift, end: hit.end + shift });
  match.line += `\n${line.line}`;
  if (line.truncated === true) match.truncated = true;
  if (line.contextAfter !== undefined) match.contextAfter = line.contextAfter;
}

/** Whether the last hit of a match goes on in the line. */
function goesOnIn(match: GrepMatch, line: GrepMatch): boolean {
  return line.submatches?.[0]?.continued === true && match.submatches?.at(-1)?.end === match.line.length;
}

/**
 * Joins the lines of a match over several lines, because one text replaces all of them. The last line is held back until the
 * next one, or the end.
 */
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

  /** Passes the last match on. */
  async end(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) await this.#read([held.match], held.pathOf);
  }
}
