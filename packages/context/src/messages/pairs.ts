import type { ToolCallPart, ToolResultPart, UnifiedMessage } from './message.ts';

/** A call in a history, by the index of its message and of its part. */
interface Place {
  readonly message: number;
  readonly part: number;
}

/**
 * Finds the result of each call of a history, as it grows. A result belongs to the newest open call with its id, even when other
 * messages stand between them: turns that were written concurrently may be interleaved.
 */
export class CallPairs {
  readonly #open = new Map<string, Place[]>();
  /** By the index of the call's message, then by that of its part. */
  readonly #results = new Map<number, Map<number, ToolResultPart>>();

  /** Adds the next message. Returns the index of the oldest message whose calls got a result. */
  add(message: UnifiedMessage, index: number): number {
    if (typeof message.content === 'string' || message.role === 'user') return index;
    let oldest = index;
    for (const [at, part] of message.content.entries()) {
      if (part.type === 'tool-call') this.#addCall(part, { message: index, part: at });
      else if (part.type === 'tool-result') oldest = Math.min(oldest, this.#addResult(part) ?? index);
    }
    return oldest;
  }

  resultOf({ message, part }: Place): ToolResultPart | undefined {
    return this.#results.get(message)?.get(part);
  }

  #addCall({ toolCallId, providerExecuted }: ToolCallPart, place: Place): void {
    // The provider itself knows these, and their results stand next to them.
    if (providerExecuted === true) return;
    const open = this.#open.get(toolCallId);
    if (open === undefined) this.#open.set(toolCallId, [place]);
    else open.push(place);
  }

  #addResult(result: ToolResultPart): number | undefined {
    const open = this.#open.get(result.toolCallId);
    const place = open?.pop();
    if (place === undefined) return undefined;
    if (open?.length === 0) this.#open.delete(result.toolCallId);
    const results = this.#results.get(place.message) ?? new Map<number, ToolResultPart>();
    this.#results.set(place.message, results.set(place.part, result));
    return place.message;
  }
}

/** Returns the calls of a message that the run answers itself, with the index of their parts. */
export function callsOf({ role, content }: UnifiedMessage): (readonly [part: number, call: ToolCallPart])[] {
  if (role !== 'assistant' || typeof content === 'string') return [];
  return [...content.entries()].flatMap(([at, part]) =>
    part.type === 'tool-call' && part.providerExecuted !== true ? [[at, part] as const] : [],
  );
}

export function closedResult({ toolCallId, toolName }: ToolCallPart, reason: string): ToolResultPart {
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value: reason } };
}
