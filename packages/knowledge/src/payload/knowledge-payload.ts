import type { OptionNames } from '@cairn/tool/errors';
import type { CallOptions } from '@cairn/memory';
import { areaOf, MAX_LISTED, omittedOf, type IndexFilters, type IndexOverview } from '../index/selection.ts';
import type { AssetHead } from '../assets/asset.ts';
import type { Gaps } from '../gaps/gaps.ts';
import type { KnowledgeIndex } from '../index/knowledge-index.ts';
import { hasTeam } from '../directory.ts';
import { detectStack } from '../stack/detect-stack.ts';
import { buildPayload, type PayloadContent, type PayloadOptions } from './payload.ts';

export interface KnowledgePayloadOptions extends PayloadOptions, CallOptions {
  /**
   * The directory of a project, absolute. When product lines match its tech stack, the assets of these and of the general one are
   * listed, and the others are counted by product line. @default no project
   */
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

interface Listing extends Pick<PayloadContent, 'gaps' | 'mayLackTeam'>, Pick<IndexFilters, 'stack' | 'onlyMatching'> {
  readonly directory: string;
  /** All listed assets, those of the stack first. */
  readonly listed: readonly AssetHead[];
  readonly overview: IndexOverview;
}

export function contentOf({ directory, listed, overview, stack, onlyMatching, ...rest }: Listing): PayloadContent {
  const { area, others } = areaOf(listed, { stack, onlyMatching });
  const heads = area.slice(0, MAX_LISTED);
  const omitted = { ...omittedOf(overview.counts, heads.length, listed.length - area.length), lines: others };
  return { heads, omitted, ...overview, unshared: hasTeam(directory) ? overview.unshared : undefined, ...rest };
}

export async function knowledgePayload(
  { index, gaps, directory }: { readonly index: KnowledgeIndex; readonly gaps: Gaps; readonly directory: string },
  { project, onlyMatching, omitEmpty = false, mayLackTeam, signal, ...options }: KnowledgePayloadOptions,
): Promise<string> {
  const stack = project === undefined ? undefined : await detectStack(project);
  const [pending, { heads: listed }] = await Promise.all([gaps.pending({ signal }), index.list({ stack, signal })]);
  // From here on nothing waits: all numbers are of one state of the index.
  const overview = index.overview();
  if (omitEmpty && overview.counts.total === 0) return '';
  const content = contentOf({ directory, listed, overview, stack, onlyMatching, gaps: pending, mayLackTeam });
  return buildPayload(content, options);
}
