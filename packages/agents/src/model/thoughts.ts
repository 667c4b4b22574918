/** Thoughts that a model writes into its answer: `<think>` blocks, which servers without a reasoning parser pass on as text. */
import type { ModelObject, StreamPart } from './answer.ts';

const OPEN = '<think>';
const CLOSE = '</think>';
/** Before the first block. More is text, so that a model that repeats itself costs no time. */
const MAX_SPACE = 1000;

interface Piece {
  readonly isThought: boolean;
  readonly text: string;
}

/** Returns the length of the longest end of a string that the closing tag may begin with. */
function openEnd(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(CLOSE.slice(0, length))) return length;
  }
  return 0;
}

/**
 * Separates an answer from the thoughts in it, piece by piece.
 *
 * A block begins with `<think>` at the beginning of a line, outside fenced and indented code, and ends with the next `</think>`; the
 * blank lines after it go with it. A block that nothing precedes is a thought even without its end. A later one without an end is
 * text: it may be a sentence about the tag. `</think>` alone is text, too.
 */
export class ThoughtFilter {
  #state: 'line-start' | 'line' | 'thought' | 'after' = 'line-start';
  /** Text that may still begin or end a block. */
  #held = '';
  /** The current line, to find fences of code. */
  #line = '';
  #fence = '';
  #hasText = false;
  /** Of a later block: what becomes text when the block has no end. */
  #block: string | undefined;

  push(text: string): Piece[] {
    const pieces: Piece[] = [];
    let rest = this.#held + text;
    this.#held = '';
    while (rest !== '') rest = this.#step(rest, pieces);
    return pieces;
  }

  end(): Piece[] {
    const held = this.#held;
    this.#held = '';
    if (this.#state === 'thought') {
      const isThought = this.#block === undefined;
      return [{ isThought, text: (this.#block ?? '') + held }];
    }
    return this.#state === 'after' ? [] : [{ isThought: false, text: held }];
  }

  #step(text: string, pieces: Piece[]): string {
    switch (this.#state) {
      case 'line-start':
        return this.#beginLine(text);
      case 'line':
        return this.#readLine(text, pieces);
      case 'thought':
        return this.#readThought(text, pieces);
      case 'after':
        return this.#endBlock(text);
    }
  }

  #beginLine(text: string): string {
    const [indent = ''] = (this.#hasText ? /^ {0,3}/u : /^\s*/u).exec(text) ?? [];
    const start = text.slice(indent.length, indent.length + OPEN.length);
    if (this.#fence !== '' || indent.length > MAX_SPACE || !OPEN.startsWith(start)) {
      this.#state = 'line';
      return text;
    }
    if (start !== OPEN) {
      this.#held = text;
      return '';
    }
    this.#state = 'thought';
    this.#block = this.#hasText ? indent + OPEN : undefined;
    return text.slice(indent.length + OPEN.length);
  }

  #readLine(text: string, pieces: Piece[]): string {
    const end = text.indexOf('\n') + 1;
    const read = end === 0 ? text : text.slice(0, end);
    pieces.push({ isThought: false, text: read });
    this.#hasText ||= read.trim() !== '';
    this.#line += read;
    if (end === 0) return '';
    this.#readFence();
    this.#line = '';
    this.#state = 'line-start';
    return text.slice(end);
  }

  #readFence(): void {
    const [, marks = '', info = ''] = /^\s*(`{3,}|~{3,})([^\n]*)/u.exec(this.#line) ?? [];
    if (marks === '') return;
    if (this.#fence === '') this.#fence = marks.startsWith('`') && info.includes('`') ? '' : marks;
    else if (marks.startsWith(this.#fence) && info.trim() === '') this.#fence = '';
  }

  #readThought(text: string, pieces: Piece[]): string {
    const end = text.indexOf(CLOSE);
    const length = end === -1 ? text.length - openEnd(text) : end;
    const read = text.slice(0, length);
    if (this.#block === undefined) pieces.push({ isThought: true, text: read });
    else this.#block += read;
    if (end === -1) {
      this.#held = text.slice(length);
      return '';
    }
    if (this.#block !== undefined) pieces.push({ isThought: true, text: this.#block.trimStart().slice(OPEN.length) });
    this.#state = 'after';
    return text.slice(end + CLOSE.length);
  }

  #endBlock(text: string): string {
    const [space = ''] = /^\s*/u.exec(text) ?? [];
    const line = space.lastIndexOf('\n') + 1;
    if (space === text) {
      this.#held = line === 0 ? ' ' : space.slice(line - 1);
      return '';
    }
    this.#state = 'line-start';
    return text.slice(line === 0 ? space.length : line);
  }
}

/** Marks reasoning that was a block in the text. The server does not read reasoning, so that it is not sent back. */
const METADATA = { cairn: { isBlock: true } };

export function isBlock(part: { readonly type: string; readonly providerOptions?: unknown }): boolean {
  const options = part.providerOptions as { readonly cairn?: { readonly isBlock?: unknown } } | undefined;
  return part.type === 'reasoning' && options?.cairn?.isBlock === true;
}

class TextPart {
  readonly #start: Extract<StreamPart, { readonly type: 'text-start' }>;
  readonly #filter = new ThoughtFilter();
  #thoughts = 0;
  #isThinking = false;
  #hasStarted = false;

  constructor(start: Extract<StreamPart, { readonly type: 'text-start' }>) {
    this.#start = start;
  }

  /** Returns the parts that replace a part of the text. */
  read(part: Extract<StreamPart, { readonly type: 'text-delta' | 'text-end' }>): StreamPart[] {
    if (part.type === 'text-delta') return this.#partsOf(this.#filter.push(part.delta));
    const parts = [...this.#partsOf(this.#filter.end()), ...this.#endThought()];
    if (this.#hasStarted) return [...parts, part];
    // An answer of thoughts alone has no text.
    return this.#thoughts > 0 ? parts : [this.#start, part];
  }

  #partsOf(pieces: readonly Piece[]): StreamPart[] {
    return pieces.flatMap(({ isThought, text }): StreamPart[] => {
      if (text === '') return [];
      if (!isThought) {
        const start = this.#hasStarted ? [] : [this.#start];
        this.#hasStarted = true;
        return [...this.#endThought(), ...start, { type: 'text-delta', id: this.#start.id, delta: text }];
      }
      const start: StreamPart[] = this.#isThinking
        ? []
        : [
            {
              type: 'reasoning-start',
              id: `${this.#start.id}-thought-${++this.#thoughts}`,
              providerMetadata: METADATA,
            },
          ];
      this.#isThinking = true;
      return [...start, { type: 'reasoning-delta', id: `${this.#start.id}-thought-${this.#thoughts}`, delta: text }];
    });
  }

  #endThought(): StreamPart[] {
    if (!this.#isThinking) return [];
    this.#isThinking = false;
    return [{ type: 'reasoning-end', id: `${this.#start.id}-thought-${this.#thoughts}` }];
  }
}

export class ThoughtParts {
  readonly #texts = new Map<string, TextPart>();

  read(part: StreamPart): readonly StreamPart[] {
    if (part.type === 'text-start') {
      this.#texts.set(part.id, new TextPart(part));
      return [];
    }
    if (part.type !== 'text-delta' && part.type !== 'text-end') return [part];
    const text = this.#texts.get(part.id);
    if (part.type === 'text-end') this.#texts.delete(part.id);
    return text?.read(part) ?? [part];
  }
}

type Content = Awaited<ReturnType<ModelObject['doGenerate']>>['content'];

/** Turns the blocks in the texts of an answer that was not streamed into reasoning. */
export function withoutBlocks(content: Content): Content {
  return content.flatMap((part): Content => {
    if (part.type !== 'text') return [part];
    const filter = new ThoughtFilter();
    const pieces = [...filter.push(part.text), ...filter.end()];
    const join = (isThought: boolean): string =>
      pieces.map((piece) => (piece.isThought === isThought ? piece.text : '')).join('');
    const [thought, text] = [join(true), join(false)];
    if (thought === '') return [{ ...part, text }];
    return [
      { type: 'reasoning', text: thought, providerMetadata: METADATA },
      ...(text === '' ? [] : [{ ...part, text }]),
    ];
  });
}
