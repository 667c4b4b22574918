import type { ToolCallPart, UnifiedMessage } from './message.ts';

/**
 * Gives a call whose id an earlier call has another id, and its result too. Servers that number the calls of each answer use ids
 * again, and providers reject that within a request. The results have to follow their calls.
 */
export function uniqueCalls(messages: readonly UnifiedMessage[]): UnifiedMessage[] {
  const ids = new Set<string>();
  /** The new ids of the calls of the last assistant message, by the ids that they had. */
  let made = new Map<string, string[]>();
  const idOfCall = (id: string): string => {
    let unique = id;
    for (let count = 2; ids.has(unique); count++) unique = `${id}_${count}`;
    ids.add(unique);
    made.set(id, [...(made.get(id) ?? []), unique]);
    return unique;
  };
  return messages.map((message): UnifiedMessage => {
    const { role, content } = message;
    if (typeof content === 'string' || role === 'user') return message;
    if (role === 'assistant') made = new Map();
    const parts = content.map((part) => {
      if (part.type !== (role === 'assistant' ? 'tool-call' : 'tool-result')) return part;
      const { toolCallId: id } = part as ToolCallPart;
      const unique = role === 'assistant' ? idOfCall(id) : (made.get(id)?.shift() ?? id);
      return unique === id ? part : { ...part, toolCallId: unique };
    });
    const isSame = parts.every((part, index) => part === content[index]);
    return isSame ? message : ({ ...message, content: parts } as UnifiedMessage);
  });
}
