import { expandMentions, formatMention, type NamingProfile } from '@cairn/coding-agent';
import { sessionWorkspace } from '@cairn/coding-agent/internal';
import { textOf } from '@cairn/context/internal';
import type { UnifiedMessage, UserMessage } from '@cairn/context';
import { AgentError } from '../errors.ts';

type Content = UserMessage['content'];

const PARTS: readonly unknown[] = ['text', 'image', 'file'];

/** A prompt that no server accepts would stay in the history, and each later run would fail. @throws {AgentError} `INVALID_INPUT` */
export function checkPrompt(prompt: Content): void {
  if (typeof prompt !== 'string' && !Array.isArray(prompt)) {
    throw new AgentError('INVALID_INPUT', ['The prompt is neither a text nor a list of parts', 'Pass one of them.']);
  }
  const other = typeof prompt === 'string' ? undefined : prompt.find((part) => !PARTS.includes(Object(part).type));
  if (other !== undefined) {
    const summary = `The prompt has a part of the type ${JSON.stringify(Object(other).type) ?? 'undefined'}`;
    throw new AgentError('INVALID_INPUT', [summary, `Use ${PARTS.join(', ')}.`]);
  }
  const isEmpty = typeof prompt === 'string' ? prompt.trim() === '' : prompt.length === 0;
  if (isEmpty) throw new AgentError('INVALID_INPUT', ['The prompt is empty', 'Write what the agent is to do.']);
}

/** Attaches the files that a prompt mentions. They count as read for the tools of the workspace. */
export async function attachMentions(
  prompt: string,
  { roots, session, naming }: Parameters<typeof sessionWorkspace>[0] & { readonly naming: NamingProfile | undefined },
): Promise<{ readonly content: Content; readonly notices: readonly string[] }> {
  const { content, mentions } = await expandMentions(prompt, {
    workspace: sessionWorkspace({ roots, session }),
    naming,
  });
  if (mentions.length === 0) return { content: prompt, notices: [] };
  const parts: Exclude<Content, string> = content.map((part) =>
    part.type === 'text'
      ? { type: 'text', text: part.text }
      : { type: 'file', mediaType: part.mimeType, data: { type: 'data', data: part.data } },
  );
  const notices = mentions.flatMap((one) => {
    const name = formatMention(one.mention);
    if (!one.attached) return [`${name} is not attached: ${one.message}`];
    return one.cutByBudget ? [`${name} is attached in part: it is larger than the budget of one message`] : [];
  });
  return { content: parts, notices };
}

/** Adds updates and news at the end of a prompt, unless the agent sees them at the end of an earlier message. */
export function addEndings(
  content: Content,
  { updates, announcement }: { readonly updates: string; readonly announcement: string },
  before: readonly UnifiedMessage[],
): Content {
  const texts = before.flatMap((message) => (message.role === 'user' ? [textOf(message)] : []));
  const announced = texts.filter((text) => announcement !== '' && text.endsWith(announcement));
  const seen = [...texts, ...announced.map((text) => text.slice(0, -announcement.length).trimEnd())];
  const added = [updates, announcement].filter((one) => one !== '' && !seen.some((text) => text.endsWith(one)));
  if (added.length === 0) return content;
  if (typeof content === 'string') return [content, ...added].join('\n\n');
  return [...content, ...added.map((text) => ({ type: 'text' as const, text }))];
}
