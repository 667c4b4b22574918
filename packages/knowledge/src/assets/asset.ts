/**
 * The kinds of assets. `skill` is a workflow that is only called explicitly: the index counts skills and does not list them. All
 * other types are listed; of `adr` and `discovery` the details are read on demand.
 */
export const ASSET_TYPES = [
  'pitfall',
  'reference',
  'pattern',
  'best-practice',
  'glossary',
  'adr',
  'discovery',
  'skill',
] as const;

export type AssetType = (typeof ASSET_TYPES)[number];

/** `superseded` when the front matter has `superseded_by`. */
export type AssetStatus = 'active' | 'deprecated' | 'superseded';

/** The identity of an asset: a name may exist once in each product line. */
export interface AssetKey {
  /** 1 to 80 letters, digits, `.`, `_` and `-`, without `..`. */
  readonly name: string;
  /** Parts like a name, joined by `/`: `exchange/core`. */
  readonly productLine: string;
}

/** The fields of the front matter, as the program uses them. Other fields of the file stay in its text. */
export interface AssetFields extends AssetKey {
  readonly type: AssetType;
  /** One line. */
  readonly title: string;
  readonly tags: readonly string[];
  readonly status: AssetStatus;
  /** The `product_line/name`, or the name, of the asset that replaces this one. */
  readonly supersededBy?: string | undefined;
  /** When a person last confirmed it, milliseconds since the epoch. */
  readonly verifiedMs?: number | undefined;
  /** Globs of files that the asset is about, relative to the root of a project. */
  readonly paths: readonly string[];
  /** Present when it may have a secret: its text is never sent to an embeddings server. */
  readonly allowSecret?: true;
}

/** An asset. */
export interface Asset extends AssetFields {
  /** `product_line/name`. */
  readonly id: string;
  /** The whole Markdown file with its front matter, byte for byte as it was written. */
  readonly text: string;
  /** SHA-256 of the text, in hexadecimal. */
  readonly hash: string;
  /** The Markdown below the front matter. */
  readonly body: string;
  readonly createdMs: number;
  readonly changedMs: number;
  /** Where it came from: written here, pulled from the team store, imported from a file, or shared from a fact. */
  readonly origin: AssetOrigin;
  /** Whether the team store has it: the last synchronization left it there. */
  readonly isPromoted: boolean;
  /** Whether it was added or changed since the last synchronization. */
  readonly isUnshared: boolean;
  /** Present when it was changed here and in the team store. */
  readonly conflict?: AssetConflict | undefined;
  /** The reports of readers since it was last changed. */
  readonly reports: AssetReports;
}

export interface AssetOrigin {
  readonly kind: 'local' | 'team' | 'import' | 'fact';
  /** The remote of a team, the file that was imported, or the id of the fact that was shared. */
  readonly source?: string | undefined;
}

export interface AssetConflict {
  /** The file of the team store; `null` when it was deleted there. */
  readonly theirs: string | null;
  /** What both sides had before. Absent when one side added or removed the asset. */
  readonly base?: string | undefined;
}

export interface AssetReports {
  readonly helpful: number;
  /** From two on, the asset is marked for review. */
  readonly wrong: number;
  readonly notes: readonly string[];
}

/** What the index knows of an asset: its fields, and the relations of words in its text. */
export interface AssetHead
  extends AssetFields, Pick<Asset, 'id' | 'createdMs' | 'changedMs' | 'isPromoted' | 'isUnshared'> {
  readonly hasConflict: boolean;
  readonly needsReview: boolean;
  /** UTF-16 code units of the text. */
  readonly characters: number;
  /** The lines of a glossary asset that relate words, in the format of `parseGlossary` of `@cairn/retrieval`. */
  readonly relations?: string | undefined;
}

/** The largest Markdown file of an asset, in bytes of UTF-8. */
export const MAX_ASSET_BYTES: number = 1024 * 1024;
