import type { Evidence } from '@cairn/retrieval';
import type { CallOptions } from '../records/backend.ts';
import type { FactScope } from '../facts/fact.ts';

/** What a hit is: a fact, an asset of the team, a message of a past session, or a note of a workflow. */
type HitKind = 'fact' | 'asset' | 'message' | 'note';

/** The kinds to search. Notes of a workflow are searched with the messages. */
export const RECALL_KINDS = ['fact', 'asset', 'message'] as const;

export type RecallKind = (typeof RECALL_KINDS)[number];

/** Something that answers a question, or that a list has. */
export interface RecallHit {
  readonly kind: HitKind;
  /** What `get_asset` and the commands read it by. */
  readonly id: string;
  /** The whole text; of an asset the Markdown below its front matter. */
  readonly text: string;
  /** When it was last changed, milliseconds since the epoch. */
  readonly time: number;
  /** 0 to 1, higher is better: its score divided by the score of a text that has every word of the question. 0 in a list. */
  readonly score: number;
  /** Present when it has too little of the question: it may be about something else. */
  readonly isSimilar?: true;
  /** The evidence for it, among the hits of its kind. Absent in a list, and for a hit by a similar spelling or by its meaning. */
  readonly evidence?: Evidence;
  /** The terms of the question that it has. */
  readonly matched?: readonly string[] | undefined;
  readonly tags: readonly string[];
  /** Present for a fact that may have a secret, which `share` rejects. */
  readonly allowSecret?: true;
  /** Its other fields by name, such as the scope of a fact, the title of an asset and the role of a message. */
  readonly about: Readonly<Record<string, string>>;
}

/** Something that an answer does not show by itself. */
export interface RecallNotice {
  readonly code: string;
  /** For people and models. */
  readonly message: string;
}

/** Codes of notices that something could not be read, so that the answer may lack it. */
export const UNREAD_CODES: ReadonlySet<string> = new Set([
  'PART_FAILED',
  'DAMAGED',
  'UNREADABLE_ASSETS',
  'UNREADABLE_RECORDS',
]);

/** What a question selects. A filter that a kind does not have leaves out that kind. */
export interface RecallFilters {
  /** Only facts, only assets, or only messages. @default all; without a question facts and assets */
  readonly kind?: RecallKind | undefined;
  /** Facts and assets with all of these tags. Case does not matter. */
  readonly tags?: readonly string[] | undefined;
  /** Only facts of the project, or of the user. */
  readonly scope?: FactScope | undefined;
  /** Only messages of this role. */
  readonly role?: string | undefined;
  /** Last changed at this time or later, milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Last changed before this time. */
  readonly until?: number | undefined;
}

export interface PartOptions extends Omit<RecallFilters, 'kind'>, CallOptions {
  /** Plain text. An empty one lists, newest first. */
  readonly query: string;
  /** The hits with less evidence, 0 to 1, are marked as similar. @default 0.5 */
  readonly minEvidence?: number | undefined;
  /** The most hits. With a larger limit, the same hits come first. */
  readonly limit: number;
}

export interface ElsewhereOptions extends CallOptions {
  /** How many of the part were searched; `undefined` when it was not asked, as messages without a question. */
  readonly searched: number | undefined;
}

export interface PartResult {
  /** Best first; newest first for an empty query. */
  readonly hits: readonly RecallHit[];
  /** How many were searched. */
  readonly searched: number;
  readonly hasMore: boolean;
  readonly notices: readonly RecallNotice[];
}

/** One kind of what is recalled. It opens its store when it is asked. */
export interface RecallPart {
  readonly kind: RecallKind;
  readonly find: (options: PartOptions) => Promise<PartResult>;
  /** Returns what is kept but was not searched, as notices with the code `KEPT_ELSEWHERE`. Asked when nothing was found. */
  readonly elsewhere?: ((options: ElsewhereOptions) => Promise<readonly RecallNotice[]>) | undefined;
}
