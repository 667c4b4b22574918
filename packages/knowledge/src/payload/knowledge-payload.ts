import type { OptionNames } from '@cairn/tool/errors';
import type { CallOptions } from '@cairn/memory';
import { MAX_LISTED, omittedOf, type IndexOverview, type ListResult } from '../index/selection.ts';
import type { Gaps } from '../gaps/gaps.ts';
import type { KnowledgeIndex } from '../index/knowledge-index.ts';
import { hasTeam } from '../directory.ts';
import { detectStack } from '../stack/detect-stack.ts';
import { buildPayload, type PayloadContent, type PayloadOptions } from './payload.ts';

export interface KnowledgePayloadOptions extends PayloadOptions, CallOptions {
  /** The directory of a project, absolute: assets of its tech stack come first. @default no project */
  readonly project?: string | undefined;
  /** Whether only assets of product lines that match the tech stack are listed. @default false */
  readonly onlyMatching?: boolean | undefined;
  /** Whether a knowledge base without assets has an empty text. @default false */
  readonly omitEmpty?: boolean | undefined;
  /** Whether the text states that the clone of the team store may have more. @default false */
  readonly mayLackTeam?: boolean | undefined;
}

export const storePayloadOptions: OptionNames<KnowledgePayloadOptions> = {
  language: 'optional',
  command: 'optional',
  maxCharacters: 'optional',
  maxTokens: 'optional',
  countTokens: 'optional',
  tools: 'optional',
  hasCommands: 'optional',
  signal: 'optional',
  project: 'optional',
  onlyMatching: 'optional',
  omitEmpty: 'optional',
  mayLackTeam: 'optional',
};

interface Listing extends Pick<PayloadContent, 'gaps' | 'mayLackTeam'> {
  readonly directory: string;
  readonly listed: ListResult;
  readonly overview: IndexOverview;
}

export function contentOf({ directory, listed, overview, ...rest }: Listing): PayloadContent {
  const heads = listed.heads.slice(0, MAX_LISTED);
  const omitted = omittedOf(overview.counts, heads.length, listed.otherLines);
  return { heads, omitted, ...overview, unshared: hasTeam(directory) ? overview.unshared : undefined, ...rest };
}

export async function knowledgePayload(
  { index, gaps, directory }: { readonly index: KnowledgeIndex; readonly gaps: Gaps; readonly directory: string },
  { project, onlyMatching, omitEmpty = false, mayLackTeam, signal, ...options }: KnowledgePayloadOptions,
): Promise<string> {
  const stack = project === undefined ? undefined : await detectStack(project);
  const [pending, listed] = await Promise.all([gaps.pending({ signal }), index.list({ stack, onlyMatching, signal })]);
  // From here on nothing waits: all numbers are of one state of the index.
  const overview = index.overview();
  if (omitEmpty && overview.counts.total === 0) return '';
  return buildPayload(contentOf({ directory, listed, overview, gaps: pending, mayLackTeam }), options);
}
