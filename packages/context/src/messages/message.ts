import { isObject } from '@cairn/tool/kernel';

/**
 * A message in the form of the AI SDK (`ModelMessage` of `ai` 7), written out so that this package needs no language-model
 * library: every `ModelMessage` but those with the role `system` is one, which a test holds. Parts and fields that are not named
 * here survive storage too.
 */
export type UnifiedMessage = UserMessage | AssistantMessage | ToolMessage;

/** Options by the name of a provider. Providers ignore other names: `cairn` has a {@link MessageLabel}. */
export type ProviderOptions = Record<string, Record<string, unknown>>;

interface WithOptions {
  providerOptions?: ProviderOptions | undefined;
}

export interface UserMessage extends WithOptions {
  role: 'user';
  content: string | (TextPart | MediaPart)[];
}

export interface AssistantMessage extends WithOptions {
  role: 'assistant';
  content: string | (TextPart | MediaPart | ReasoningPart | ToolCallPart | ToolResultPart | OtherPart)[];
}

/** The results of the tool calls of the assistant message before it. */
export interface ToolMessage extends WithOptions {
  role: 'tool';
  content: (ToolResultPart | OtherPart)[];
}

export interface TextPart extends WithOptions {
  type: 'text';
  text: string;
}

export interface ReasoningPart extends WithOptions {
  type: 'reasoning';
  text: string;
}

/** An image or a file: bytes, base64, a URL, or a reference of a provider. */
export interface MediaPart extends WithOptions {
  type: 'image' | 'file' | 'reasoning-file';
  image?: unknown;
  data?: unknown;
  mediaType?: string | undefined;
  filename?: string | undefined;
}

export interface ToolCallPart extends WithOptions {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerExecuted?: boolean | undefined;
}

export interface ToolResultPart extends WithOptions {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: { type: string; value?: unknown; reason?: string | undefined };
}

export type MessagePart = Exclude<UnifiedMessage['content'], string>[number];

/** Parts that are kept and not read here. */
export interface OtherPart extends WithOptions {
  type: 'custom' | 'tool-approval-request' | 'tool-approval-response';
}

/**
 * What the histories keep next to a message, in `providerOptions.cairn`. The view of a history writes it out as text where the
 * message is another agent's, and never sends it to a provider.
 */
export interface MessageLabel {
  /** The agent that wrote the turn; absent for main itself. */
  readonly agent?: string;
  /** The id of the run: all messages of one turn have it. */
  readonly run?: string;
  /** The first run of the chain that the run continues. */
  readonly continues?: string;
  /** Why the turn ended before its end. On its last message. */
  readonly ended?: string;
}

export function labelOf({ providerOptions }: UnifiedMessage): MessageLabel {
  return (providerOptions?.['cairn'] as MessageLabel | undefined) ?? {};
}

/**
 * Returns whether a message begins a turn: a message of the user that is not in the run of the message before it, or an answer that
 * a run handed to main without its prompt.
 */
export function beginsTurn(message: UnifiedMessage, previous: UnifiedMessage | undefined): boolean {
  if (previous === undefined) return true;
  const { run } = labelOf(message);
  const isSameRun = run !== undefined && run === labelOf(previous).run;
  if (message.role === 'user') return !isSameRun;
  return message.role === 'assistant' && run !== undefined && !isSameRun;
}

/**
 * Splits a history into turns: a message of the user, and what follows until the next one. Messages of one run stay together.
 * The first turn, and one that a run handed to main, may begin with another message.
 */
export function turnsOf(messages: readonly UnifiedMessage[]): UnifiedMessage[][] {
  const turns: UnifiedMessage[][] = [];
  for (const [index, message] of messages.entries()) {
    if (beginsTurn(message, messages[index - 1])) turns.push([message]);
    else turns.at(-1)?.push(message);
  }
  return turns;
}

/** The roles whose messages have a part, and the texts that it has. Other parts come from a newer AI SDK, or have no text. */
const known: Readonly<Record<string, readonly [roles: readonly string[], texts: readonly string[]]>> = {
  text: [['user', 'assistant'], ['text']],
  reasoning: [['assistant'], ['text']],
  'tool-call': [['assistant'], ['toolCallId', 'toolName']],
  'tool-result': [
    ['assistant', 'tool'],
    ['toolCallId', 'toolName'],
  ],
};

/** Returns the problem with a part of a message, so that no view of the history could read it; `undefined` when nothing is. */
export function partProblem(role: string, part: unknown): string | undefined {
  if (!isObject(part) || typeof part['type'] !== 'string') return 'has no type';
  const { type, output } = part;
  const [roles, texts] = (Object.hasOwn(known, type) ? known[type] : undefined) ?? [[role], []];
  if (!roles.includes(role)) return `of the type ${type} is not one of a message with the role ${role}`;
  const missing = texts.find((name) => typeof part[name] !== 'string');
  if (missing !== undefined) return `of the type ${type} has no text ${missing}`;
  if (type !== 'tool-result') return undefined;
  const isOutput =
    isObject(output) &&
    typeof output['type'] === 'string' &&
    (output['type'] !== 'content' || (Array.isArray(output['value']) && output['value'].every(isObject)));
  return isOutput ? undefined : 'of the type tool-result has no output with a type';
}

export function partsOf({ content }: UnifiedMessage): readonly MessagePart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Returns the texts of a message, joined by line feeds. Reasoning, tool parts and media have none. */
export function textOf(message: UnifiedMessage): string {
  return partsOf(message)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');
}

/** Returns a value as JSON; a value that has no JSON form as its name. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

/** Returns the text of a result. Images and files in it are named by their media type. */
export function resultTextOf({ value, type, reason }: ToolResultPart['output']): string {
  if (type === 'execution-denied') return reason ?? type;
  if (type !== 'content' || !Array.isArray(value)) return typeof value === 'string' ? value : jsonOf(value);
  return value
    .map((part: { type?: unknown; text?: unknown; mediaType?: unknown }) =>
      typeof part.text === 'string' ? part.text : `[${String(part.mediaType ?? part.type)}]`,
    )
    .join('\n');
}
