import { partsOf, type MessagePart, type ToolCallPart, type ToolResultPart, type UnifiedMessage } from './message.ts';

/** Returns whether a part is a call that the run answers. The provider itself answers others, next to them. */
export function isOwnCall(part: MessagePart): part is ToolCallPart {
  return part.type === 'tool-call' && part.providerExecuted !== true;
}

/**
 * Finds the result of each call of a history, as it grows. A result belongs to the newest open call with its id, even when other
 * messages stand between them: turns that were written concurrently may be interleaved.
 */
export class CallPairs {
  readonly #open = new Map<string, { readonly call: ToolCallPart; readonly message: number }[]>();
  readonly #results = new Map<ToolCallPart, ToolResultPart>();

  /** Adds the next message. Returns the index of the oldest message whose calls got a result. */
  add(message: UnifiedMessage, index: number): number {
    let oldest = index;
    for (const part of partsOf(message)) {
      if (isOwnCall(part)) {
        const open = this.#open.get(part.toolCallId) ?? [];
        this.#open.set(part.toolCallId, [...open, { call: part, message: index }]);
      } else if (part.type === 'tool-result') {
        const place = this.#open.get(part.toolCallId)?.pop();
        if (place === undefined) continue;
        this.#results.set(place.call, part);
        oldest = Math.min(oldest, place.message);
      }
    }
    return oldest;
  }

  /** Returns the result of a call; an error that states `reason` for one without a result. */
  resultOf(call: ToolCallPart, reason: string): ToolResultPart {
    const { toolCallId, toolName } = call;
    const closed = {
      type: 'tool-result',
      toolCallId,
      toolName,
      output: { type: 'error-text', value: reason },
    } as const;
    return this.#results.get(call) ?? closed;
  }
}

export function callsOf(message: UnifiedMessage): ToolCallPart[] {
  return partsOf(message).filter(isOwnCall);
}
