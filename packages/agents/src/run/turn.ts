import { withImagesAfter, withNewestImages, type MessageLabel } from '@cairn/context/internal';
import type { AssistantMessage, ToolResultPart, UnifiedMessage } from '@cairn/context';
import type { Language } from '@cairn/tool/kernel';
import type { ModelCall } from './model-request.ts';

/** The messages of one run, from the prompt on, as the history keeps them. */
export class Turn {
  readonly #before: readonly UnifiedMessage[];
  readonly #prompt: UnifiedMessage;
  readonly messages: UnifiedMessage[];
  readonly #language: Language;
  #callIds: Set<string> | undefined;

  /** @param before the messages that the requests of the run send before the prompt */
  constructor(before: readonly UnifiedMessage[], prompt: UnifiedMessage, language: Language) {
    this.#before = before;
    this.#prompt = prompt;
    this.messages = [prompt];
    this.#language = language;
  }

  /** The messages of a request: with images after the results that they belong to, and the newest images only. */
  get request(): UnifiedMessage[] {
    const language = this.#language;
    const messages = [...this.#before, ...withImagesAfter(this.messages, language)];
    return withNewestImages(messages, { language, prompt: this.#prompt });
  }

  /** Adds what the model wrote. Returns its calls, with ids that no earlier call of the request has. */
  addAnswer(message: AssistantMessage, calls: readonly ModelCall[]): readonly ModelCall[] {
    const renamed = calls.map((call) => ({ ...call, id: this.#uniqueId(call.id) }));
    const isSame = renamed.every(({ id }, index) => id === calls[index]?.id);
    this.messages.push(isSame ? message : withIds(message, renamed));
    return renamed;
  }

  addResults(content: ToolResultPart[]): void {
    this.messages.push({ role: 'tool', content });
  }

  addNote(content: string): void {
    this.messages.push({ role: 'user', content });
  }

  /** Some servers number the calls of each answer from 1, and reject a request that has an id twice. */
  #uniqueId(id: string): string {
    this.#callIds ??= new Set(callIdsOf(this.request));
    let unique = id;
    for (let count = 2; this.#callIds.has(unique); count++) unique = `${id}_${count}`;
    this.#callIds.add(unique);
    return unique;
  }
}

/** Returns the messages of a turn as a history keeps them. `ended` is on the last one only. */
export function labelled(messages: readonly UnifiedMessage[], { ended, ...label }: MessageLabel): UnifiedMessage[] {
  return messages.map((message, index) => {
    const isEnd = ended !== undefined && index === messages.length - 1;
    const cairn = isEnd ? { ...label, ended } : label;
    return { ...message, providerOptions: { ...message.providerOptions, cairn } };
  });
}

function* callIdsOf(messages: readonly UnifiedMessage[]): Generator<string> {
  for (const { role, content } of messages) {
    if (role !== 'assistant' || typeof content === 'string') continue;
    for (const part of content) if (part.type === 'tool-call') yield part.toolCallId;
  }
}

function withIds(message: AssistantMessage, calls: readonly ModelCall[]): AssistantMessage {
  if (typeof message.content === 'string') return message;
  const ids = calls.map(({ id }) => id);
  const content = message.content.map((part) =>
    part.type === 'tool-call' && part.providerExecuted !== true
      ? { ...part, toolCallId: ids.shift() ?? part.toolCallId }
      : part,
  );
  return { ...message, content };
}
