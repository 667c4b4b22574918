import { expandMentions, formatMention } from '@cairn/coding-agent';
import type { NamingProfile, Workspace } from '@cairn/coding-agent';
import { textOf } from '@cairn/context';
import type { UnifiedMessage, UserMessage } from '@cairn/context';
import { AgentError } from '../errors.ts';

type Content = UserMessage['content'];

/** @throws {AgentError} `INVALID_INPUT` */
export function checkPrompt(prompt: Content): void {
  const isEmpty = typeof prompt === 'string' ? prompt.trim() === '' : prompt.length === 0;
  if (isEmpty) throw new AgentError('INVALID_INPUT', ['The prompt is empty', 'Write what the agent is to do.']);
}

/** A prompt with the files that it mentions. */
export interface ExpandedPrompt {
  readonly content: Content;
  /** Mentions that are not attached, or not whole, for the user. */
  readonly notices: readonly string[];
}

/** Attaches the files that a prompt mentions. They count as read for the tools of the workspace. */
export async function attachMentions(
  prompt: string,
  options: { readonly workspace: Workspace; readonly naming: NamingProfile | undefined },
): Promise<ExpandedPrompt> {
  const { content, mentions } = await expandMentions(prompt, options);
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

/** Adds the changes of the workspace at the end, unless the agent sees them already. */
export function addUpdates(content: Content, updates: string, before: readonly UnifiedMessage[]): Content {
  const isSeen = before.some((message) => message.role === 'user' && textOf(message).endsWith(updates));
  if (updates === '' || isSeen) return content;
  if (typeof content === 'string') return `${content}\n\n${updates}`;
  return [...content, { type: 'text', text: updates }];
}
