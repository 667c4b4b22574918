import type { UnifiedMessage } from './message.ts';

/** Gives each part the next id of those that were made for its own. */
function withIds<Part extends { readonly type: string }>(
  content: readonly Part[],
  type: 'tool-call' | 'tool-result',
  idOf: (id: string) => string,
): Part[] {
  return content.map((part) => {
    if (part.type !== type) return part;
    const { toolCallId } = part as unknown as { toolCallId: string };
    const id = idOf(toolCallId);
    return id === toolCallId ? part : { ...part, toolCallId: id };
  });
}

/**
 * Gives a call whose id an earlier call has another id, and its result too. Servers that number the calls of each answer use ids
 * again, and providers reject that within a request. The results have to follow their calls.
 */
export function uniqueCalls(messages: readonly UnifiedMessage[]): UnifiedMessage[] {
  const ids = new Set<string>();
  /** The new ids of the calls of the last assistant message, by the ids that they had. */
  let made = new Map<string, string[]>();
  return messages.map((message): UnifiedMessage => {
    const { role, content } = message;
    if (typeof content === 'string' || role === 'user') return message;
    if (role === 'assistant') {
      made = new Map();
      let isSame = true;
      const parts = withIds(content, 'tool-call', (id) => {
        let unique = id;
        for (let count = 2; ids.has(unique); count++) unique = `${id}_${count}`;
        ids.add(unique);
        made.set(id, [...(made.get(id) ?? []), unique]);
        isSame &&= unique === id;
        return unique;
      });
      return isSame ? message : ({ ...message, content: parts } as UnifiedMessage);
    }
    const isSame = [...made].every(([id, [first, ...more]]) => first === id && more.length === 0);
    if (isSame) return message;
    return {
      ...message,
      content: withIds(content, 'tool-result', (id) => made.get(id)?.shift() ?? id),
    } as UnifiedMessage;
  });
}
