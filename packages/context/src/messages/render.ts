import type { Language } from '@cairn/tool/kernel';
import { withImagesAfter } from './images.ts';
import { jsonOf, labelOf, partsOf, resultTextOf } from './message.ts';
import type { AssistantMessage, UnifiedMessage, UserMessage } from './message.ts';
import { callsOf, isOwnCall, type CallPairs } from './pairs.ts';
import { messageTexts } from './texts.ts';

/** A turn of a history, by the indices of its messages: `to` is that of the message after it. */
export interface TurnRange {
  readonly from: number;
  readonly to: number;
}

export interface RenderOptions {
  readonly language: Language;
  readonly pairs: CallPairs;
  /** Whether the turn of an agent is another one's. */
  readonly isForeign: (agent: string) => boolean;
}

const unlabelled = new WeakMap<UnifiedMessage, UnifiedMessage>();

function withoutLabel<Message extends UnifiedMessage>(message: Message): Message {
  if (message.providerOptions?.['cairn'] === undefined) return message;
  const known = unlabelled.get(message) as Message | undefined;
  if (known !== undefined) return known;
  const { providerOptions, ...rest } = message;
  const { cairn: _label, ...others } = providerOptions;
  const made = { ...rest, ...(Object.keys(others).length > 0 && { providerOptions: others }) } as Message;
  unlabelled.set(message, made);
  return made;
}

function isEmptyText(part: { readonly type: string; readonly text?: string }): boolean {
  return part.type === 'text' && (part.text ?? '').trim() === '';
}

/** Returns the message of a user as a provider accepts it: it has content, and no empty text. */
function userMessage(message: UserMessage, { language }: RenderOptions, prefix = ''): UserMessage {
  const plain = withoutLabel(message);
  const { content } = plain;
  const { empty } = messageTexts[language];
  if (typeof content === 'string') {
    if (content.trim() !== '' && prefix === '') return plain;
    return { ...plain, content: prefix + (content.trim() === '' ? empty : content) };
  }
  const parts = content.filter((part) => !isEmptyText(part));
  if (prefix === '' && parts.length === content.length && parts.length > 0) return plain;
  const [first] = parts;
  if (first?.type === 'text' && prefix !== '') parts[0] = { ...first, text: prefix + first.text };
  else if (parts.length === 0 || prefix !== '') parts.unshift({ type: 'text', text: prefix.trim() || empty });
  return { ...plain, content: parts };
}

/** Returns the parts of an assistant message that a request has: no empty text, no approvals, and no result of another message. */
function assistantParts(
  content: Exclude<AssistantMessage['content'], string>,
): Exclude<AssistantMessage['content'], string> {
  const executed = new Set(
    content.flatMap((part) => (part.type === 'tool-call' && part.providerExecuted === true ? [part.toolCallId] : [])),
  );
  return content.filter(
    (part) =>
      !isEmptyText(part) &&
      part.type !== 'tool-approval-request' &&
      (part.type !== 'tool-result' || executed.has(part.toolCallId)),
  );
}

function assistantMessages(
  message: AssistantMessage,
  next: UnifiedMessage | undefined,
  { language, pairs }: RenderOptions,
): UnifiedMessage[] {
  const plain = withoutLabel(message);
  const { content } = plain;
  if (typeof content === 'string') return content.trim() === '' ? [] : [plain];
  const calls = callsOf(message);
  const kept = assistantParts(content);
  if (kept.length === 0) return [];
  const shown = kept.length === content.length ? plain : { ...plain, content: kept };
  if (calls.length === 0) return [shown];
  const results = calls.map((call) => pairs.resultOf(call, messageTexts[language].noResult));
  const written = next?.role === 'tool' ? withoutLabel(next) : undefined;
  const isWritten =
    written?.role === 'tool' &&
    written.content.length === results.length &&
    written.content.every((part) => results.some((result) => result === part));
  return [shown, isWritten ? written : { role: 'tool', content: results }];
}

/** The messages that write out another agent's turn, without its calls. */
const withoutCalls = new WeakMap<UnifiedMessage, AssistantMessage>();

/** Returns a rendered message without the calls of another agent; undefined when nothing remains. */
export function textOnly(message: UnifiedMessage): UnifiedMessage | undefined {
  const plain = withoutCalls.get(message) ?? message;
  return plain.content === '' ? undefined : plain;
}

/** Adds the reason why a turn ended early, as a message of the assistant. */
function addEnd(messages: UnifiedMessage[], text: string): void {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') {
    messages.push({ role: 'assistant', content: text });
    return;
  }
  const { content } = last;
  // Providers join the texts of a message as they are.
  const hasText = typeof content === 'string' || content.some(({ type }) => type === 'text');
  const end = hasText ? `\n\n${text}` : text;
  messages[messages.length - 1] =
    typeof content === 'string'
      ? { ...last, content: `${content}${end}` }
      : { ...last, content: [...content, { type: 'text', text: end }] };
}

interface ForeignLine {
  readonly text: string;
  readonly isCall: boolean;
}

/** Indents later lines of a message that could pass as lines of another agent. */
function asOneSpeaker(text: string): string {
  return text.replaceAll(/(?<=[\n\r\u2028\u2029])\[/gu, '  [');
}

/** Returns the turn of another agent as lines of text: its texts, its calls and their results. */
function foreignLines(message: AssistantMessage, agent: string, { language, pairs }: RenderOptions): ForeignLine[] {
  const texts = messageTexts[language];
  return partsOf(message).flatMap((part): ForeignLine[] => {
    if (part.type === 'text')
      return isEmptyText(part) ? [] : [{ text: asOneSpeaker(`[${agent}] ${part.text}`), isCall: false }];
    if (!isOwnCall(part)) return [];
    const output = resultTextOf(pairs.resultOf(part, texts.noResult).output);
    return [
      { text: `${texts.call(agent, part.toolName)} ${jsonOf(part.input)}`, isCall: true },
      { text: asOneSpeaker(`${texts.result(agent, part.toolName)} ${output}`), isCall: true },
    ];
  });
}

function renderForeign(turn: readonly UnifiedMessage[], options: RenderOptions): UnifiedMessage[] {
  const shown: UnifiedMessage[] = [];
  let lines: ForeignLine[] = [];
  const join = (some: readonly ForeignLine[]): AssistantMessage => ({
    role: 'assistant',
    content: some.map(({ text }) => text).join('\n'),
  });
  const flush = (): void => {
    if (lines.length === 0) return;
    const message = join(lines);
    if (lines.some(({ isCall }) => isCall)) withoutCalls.set(message, join(lines.filter(({ isCall }) => !isCall)));
    shown.push(message);
    lines = [];
  };
  let agent = '';
  for (const message of turn) {
    agent = labelOf(message).agent ?? agent;
    if (message.role === 'user') {
      flush();
      shown.push(userMessage(message, options, agent === '' ? '' : `@${agent} `));
    } else if (message.role === 'assistant') {
      lines.push(...foreignLines(message, agent, options));
    }
  }
  flush();
  return shown;
}

function renderOwn(turn: readonly UnifiedMessage[], options: RenderOptions): UnifiedMessage[] {
  const messages = turn.flatMap((message, index) => {
    if (message.role === 'user') return [userMessage(message, options)];
    return message.role === 'assistant' ? assistantMessages(message, turn[index + 1], options) : [];
  });
  return withImagesAfter(messages, options.language);
}

/**
 * Returns a turn as it is sent, with images after the results that they belong to. Every call is followed by its result, and a call
 * without one by an error that states it; results without a call are left out. The turn of another agent is written out as text. Labels are removed, and the reason of an early
 * end is added as text. The turn begins with a message of the user.
 */
export function renderTurn(turn: readonly UnifiedMessage[], options: RenderOptions): UnifiedMessage[] {
  const texts = messageTexts[options.language];
  const labels = turn.map(labelOf);
  const agent = labels.find((label) => label.agent !== undefined)?.agent;
  const isForeign = agent !== undefined && options.isForeign(agent);
  const shown = isForeign ? renderForeign(turn, options) : renderOwn(turn, options);
  const ended = labels.findLast((label) => label.ended !== undefined)?.ended;
  if (ended !== undefined) addEnd(shown, texts.ended(ended));
  if (shown.length > 0 && shown[0]?.role !== 'user') {
    const isHandedBack = agent !== undefined && turn[0]?.role === 'assistant' && turn.length === 1;
    shown.unshift({ role: 'user', content: isHandedBack ? texts.handedBack(agent) : texts.noBeginning });
  }
  return shown;
}
