/**
 * A message in the form of the AI SDK (`ModelMessage` of `ai` 7), written out so that this package needs no language-model
 * library: every `ModelMessage` but those with the role `system` is one, which a test holds. Parts and fields that are not named
 * here survive storage too.
 */
export type UnifiedMessage = UserMessage | AssistantMessage | ToolMessage;

/** Options by the name of a provider. Providers ignore those of other names: `cairn` has a {@link MessageLabel}. */
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

/** Returns the label of a message. */
export function labelOf({ providerOptions }: UnifiedMessage): MessageLabel {
  return (providerOptions?.['cairn'] as MessageLabel | undefined) ?? {};
}
