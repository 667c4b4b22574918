import type { ModelRequest } from './answers.ts';
import type { ChatMessage } from './chat-request.ts';

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : `[image]`)).join('');
}

function lineOf(message: ChatMessage): string {
  const text = textOf(message);
  if (message.role === 'tool') return `tool ${message.tool_call_id}: ${text}`;
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  const called = calls.map(({ id, function: { name, arguments: input } }) => `${id}=${name}(${input})`);
  return `${message.role}: ${[text, ...called].filter((part) => part !== '').join(' ')}`;
}

/**
 * Returns the messages of a request, without the system prompt, one line each: `user: Hi`,
 * `assistant: I read it. call_1_1=read({"path":"a.ts"})`, `tool call_1_1: …`.
 */
export function transcriptOf({ chat }: ModelRequest): string[] {
  return chat.messages.filter(({ role }) => role !== 'system').map(lineOf);
}

/** Returns the text of all system messages. */
export function systemPromptOf({ chat }: ModelRequest): string {
  return chat.messages
    .filter(({ role }) => role === 'system')
    .map(textOf)
    .join('\n\n');
}

/** Returns the names of the tools that a request offers, in their order. */
export function toolNamesOf({ chat }: ModelRequest): string[] {
  return (chat.tools ?? []).map((tool) => tool.function.name);
}

/** Returns whether a request begins with all bytes of the messages of an earlier one, and offers the same tools. */
export function continues(earlier: ModelRequest, later: ModelRequest): boolean {
  const [before, after] = [earlier, later].map(({ chat }) => JSON.stringify(chat.messages).slice(0, -1)) as [
    string,
    string,
  ];
  return after.startsWith(before) && JSON.stringify(earlier.chat.tools) === JSON.stringify(later.chat.tools);
}
