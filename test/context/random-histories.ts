/** Random histories, whole and broken, in which every piece of content has a token of its own. */
import type { UnifiedMessage } from '@cairn/context';
import type { MessageLabel } from '@cairn/context/internal';
import fc from 'fast-check';

/** A sentence that the pattern {@link PATTERN} matches, with a token. */
export const PATTERN = 'project uses *';

interface Piece {
  readonly kind: 'prompt' | 'answer' | 'step' | 'late' | 'orphan' | 'open' | 'unprompted';
  readonly agent: string | undefined;
  readonly hasRun: boolean;
  readonly ended: boolean;
  readonly isShared: boolean;
  readonly size: number;
  readonly sameId: boolean;
}

const piece: fc.Arbitrary<Piece> = fc.record({
  kind: fc.constantFrom('prompt', 'answer', 'step', 'late', 'orphan', 'open', 'unprompted'),
  agent: fc.constantFrom(undefined, undefined, 'architect', 'backend'),
  hasRun: fc.boolean(),
  ended: fc.boolean(),
  isShared: fc.boolean(),
  size: fc.integer({ min: 0, max: 60 }),
  sameId: fc.boolean(),
});

/** Writes histories: each text, argument, result, reasoning and file name has the next token with the prefix. */
class Writer {
  readonly messages: UnifiedMessage[] = [];
  readonly #prefix: string;
  #count = 0;
  #run = 0;
  #late: (() => void)[] = [];

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** @param place whose content it is: `t` of a text, `x` of anything else, `s` of a sentence that matches */
  #token(place: 't' | 'x' | 's'): string {
    this.#count += 1;
    return `${this.#prefix}${place}${this.#count}z`;
  }

  #text({ isShared, size }: Piece): string {
    const talk = `Here is ${this.#token('t')} and more${' of it'.repeat(size)}.`;
    return isShared ? `${talk} The Project uses  ${this.#token('s')} for that! Then ${this.#token('t')}` : talk;
  }

  #label(
    { agent, hasRun, ended }: Piece,
    isLast = false,
  ): { providerOptions?: Record<string, Record<string, unknown>> } {
    const label: MessageLabel = {
      ...(agent !== undefined && { agent }),
      ...(hasRun && { run: `run_${this.#run}` }),
      ...(isLast && ended && { ended: 'time limit' }),
    };
    return Object.keys(label).length === 0 ? {} : { providerOptions: { cairn: { ...label } } };
  }

  add(one: Piece): void {
    const label = this.#label(one);
    const id = one.sameId ? 'call_0' : `call_${this.#prefix}_${this.#count}`;
    switch (one.kind) {
      case 'prompt': {
        this.#run += 1;
        const file = { type: 'file' as const, mediaType: 'text/plain', filename: this.#token('x'), data: 'aGk=' };
        const content = one.sameId ? [{ type: 'text' as const, text: this.#text(one) }, file] : this.#text(one);
        this.messages.push({ role: 'user', content, ...this.#label(one) });
        break;
      }
      case 'unprompted':
        this.messages.push({ role: 'assistant', content: one.sameId ? '' : this.#text(one), ...label });
        break;
      case 'answer':
        this.messages.push({
          role: 'assistant',
          content: [
            { type: 'reasoning', text: this.#token('x') },
            { type: 'text', text: this.#text(one) },
          ],
          ...this.#label(one, true),
        });
        break;
      case 'orphan':
        this.messages.push({ role: 'tool', content: [this.#result(`orphan_${id}`)], ...label });
        break;
      case 'step':
      case 'open':
      case 'late': {
        const calls = [id, `${id}_b`];
        this.messages.push({
          role: 'assistant',
          content: [
            { type: 'text', text: one.isShared ? '' : this.#text({ ...one, isShared: false }) },
            ...calls.map((toolCallId) => ({
              type: 'tool-call' as const,
              toolCallId,
              toolName: 'grep',
              input: { pattern: `project uses ${this.#token('x')}.` },
            })),
          ],
          ...label,
        });
        const results = calls.map((toolCallId) => this.#result(toolCallId));
        if (one.kind === 'open') break;
        const push = (): void => {
          this.messages.push({ role: 'tool', content: results, ...label });
        };
        if (one.kind === 'late') this.#late.push(push);
        else push();
        return;
      }
    }
    for (const push of this.#late.splice(0)) push();
  }

  #result(toolCallId: string): {
    type: 'tool-result';
    toolCallId: string;
    toolName: string;
    output: { type: string; value: unknown };
  } {
    const value = `The project uses ${this.#token('x')}.`;
    return { type: 'tool-result', toolCallId, toolName: 'grep', output: { type: 'text', value } };
  }
}

/** A history whose tokens begin with the prefix. */
export function historyOf(prefix: string, maxPieces = 24): fc.Arbitrary<UnifiedMessage[]> {
  return fc.array(piece, { maxLength: maxPieces }).map((pieces) => {
    const writer = new Writer(prefix);
    for (const one of pieces) writer.add(one);
    return writer.messages;
  });
}

/** A history as runs write it: turns of a prompt, steps with their results, and an answer. */
export function turnsArbitrary(prefix: string): fc.Arbitrary<UnifiedMessage[][]> {
  const turn = fc.record({
    steps: fc.integer({ min: 0, max: 3 }),
    sizes: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 5, maxLength: 5 }),
    isLong: fc.integer({ min: 0, max: 9 }),
  });
  return fc.array(turn, { minLength: 1, maxLength: 30 }).map((turns) =>
    turns.map(({ steps, sizes, isLong }, index) => {
      const writer = new Writer(`${prefix}${index}q`);
      const piece = (kind: Piece['kind'], size: number): Piece => ({
        kind,
        agent: undefined,
        hasRun: true,
        ended: false,
        isShared: false,
        size: isLong === 0 ? size * 20 : size,
        sameId: false,
      });
      writer.add(piece('prompt', sizes[0] ?? 0));
      for (let step = 0; step < steps; step++) writer.add(piece('step', sizes[step + 1] ?? 0));
      writer.add(piece('answer', sizes[4] ?? 0));
      return writer.messages.map((message) => ({ ...message, providerOptions: { cairn: { run: `run_${index}` } } }));
    }),
  );
}

/** Returns the tokens in a value. */
export function tokensIn(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(/(?:main|own)(?:\d+q)?[tsx]\d+z/gu)].map(([token]) => token);
}
