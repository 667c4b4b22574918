import type { Language } from '@cairn/tool/kernel';
import type { RankedDocument, RankNotice } from '@cairn/retrieval';
import type { CallOptions, Erasure } from '../records/backend.ts';
import type { MemoryErrorCode } from '../errors.ts';
import type { Fact, FactScope } from './fact.ts';
import type { FactVersion } from './versions.ts';

/** The project of a call. @default the project of the memory */
export interface ProjectOptions extends CallOptions {
  readonly project?: string | undefined;
}

export interface RememberFactOptions extends ProjectOptions {
  /** @default 'project' */
  readonly scope?: FactScope | undefined;
  /** The stream that remembers it. @default the default stream */
  readonly stream?: string | undefined;
  /** Whether every stream recalls it. @default true for the default stream, false for another one */
  readonly shared?: boolean | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly source?: string | undefined;
  readonly pinned?: boolean | undefined;
  /** Stores a string with a key, token or password too. @default false */
  readonly allowSecret?: boolean | undefined;
}

export interface RememberedFact {
  readonly fact: Fact;
  /** `false` when the fact was there: its text is equal after folding case, width, blanks and final punctuation. */
  readonly isNew: boolean;
  /** Up to 3 other facts with similar texts: those that it disagrees with, then the best ones. */
  readonly similar: readonly Fact[];
  /** The ids of similar facts that it disagrees with; absent for none. See {@link RecalledFact.disagreesWith}. */
  readonly disagreesWith?: readonly string[];
}

/** Selects facts that a stream recalls. Archived and superseded facts are not among them. */
export interface FactSelection extends ProjectOptions {
  /** @default both: the facts of the project, if there is one, and of the user */
  readonly scope?: FactScope | undefined;
  /** The stream that asks: it has its own facts and the shared ones. @default the default stream */
  readonly stream?: string | undefined;
  /** Selects the facts of all streams. @default false */
  readonly allStreams?: boolean | undefined;
  /** Facts with all of these tags. Case does not matter. */
  readonly tags?: readonly string[] | undefined;
  /** Facts that were last changed at this time or later. Milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Facts that were last changed before this time. */
  readonly until?: number | undefined;
}

export interface FactListOptions extends FactSelection {
  /** Lists the archived and superseded facts instead. @default false */
  readonly archived?: boolean | undefined;
  /** A whole number from 1, or `Infinity`. @default 50 */
  readonly limit?: number | undefined;
  /** The number of facts to leave out at the start. @default 0 */
  readonly offset?: number | undefined;
}

export interface FactList {
  /** The last changed one first. */
  readonly facts: readonly Fact[];
  /** The number of all selected facts. */
  readonly total: number;
  /** The offset of the next page; absent on the last one. */
  readonly nextOffset?: number;
}

export interface RecallFactsOptions extends FactSelection {
  /** Plain text without syntax. Blank: the facts are listed, the last changed one first. */
  readonly query: string;
  /** @default 5 */
  readonly limit?: number | undefined;
  /** @default 0 */
  readonly offset?: number | undefined;
  /** The facts with less evidence, 0 to 1, are marked as similar. @default 0.5 */
  readonly minEvidence?: number | undefined;
  /** Called for each notice about the result. When it is given, a failed `embed` is a notice; without it, the call fails. */
  readonly onNotice?: ((notice: RankNotice) => void) | undefined;
}

export interface StartBlockOptions {
  /** @default the language of the memory */
  readonly language?: Language | undefined;
  /** The largest result, in UTF-16 code units, from 200. @default 2_000 */
  readonly maxCharacters?: number | undefined;
}

/** The score is 0 for a blank query. */
export interface RecalledFact extends Fact, Omit<RankedDocument, 'id'> {
  /**
   * The ids of other facts among the ten best that are about the same and differ in a negation, a value or a name; absent for none. The
   * newer one comes first, unless only the older one is an answer. The rule misses some.
   */
  readonly disagreesWith?: readonly string[];
}

export interface RecalledFacts {
  readonly facts: readonly RecalledFact[];
  /** The number of facts that were searched. */
  readonly searched: number;
  /** The score of a fact of average length that has every word of the query. Absent for a blank query and by meaning. */
  readonly fullScore?: number | undefined;
  readonly hasMore: boolean;
  /** How many records of the selection could not be read, and are missing. Absent when there are none. */
  readonly unreadable?: number;
}

/** `tags` replace all tags. */
export interface UpdateFactOptions extends Omit<RememberFactOptions, 'scope' | 'stream' | 'source'> {
  readonly text?: string | undefined;
}

/** By default the tags and the pin are taken from the superseded fact. */
export type SupersedeFactOptions = Omit<RememberFactOptions, 'scope' | 'stream' | 'shared'>;

export interface RestoreFactOptions extends ProjectOptions {
  /** A revision of {@link Facts.history}. @default the one before the last change */
  readonly revision?: number | undefined;
}

export interface ForgottenFact {
  /** How long backups of the store keep the text, such as `until 2026-12-06`. Absent when none does. */
  readonly backups?: string;
  /** `false` when there is no such fact. */
  readonly forgotten: boolean;
  /** The ids of facts with other texts that it superseded, and that are still kept. */
  readonly superseded?: readonly string[];
  /** What became of its text in the files of the store. */
  readonly erased: Erasure;
}

/** The facts of a project, and their number with archived and superseded ones. */
export interface FactProject {
  readonly project: string;
  readonly facts: number;
}

export interface ApplyMarkdownOptions extends Omit<FactSelection, 'since' | 'until' | 'tags'> {
  /** The Markdown before it was edited, as {@link Facts.toMarkdown} returned it. */
  readonly original: string;
  readonly allowSecret?: boolean | undefined;
}

/** A section of edited Markdown that was not applied. */
export interface MarkdownConflict {
  /** The line of its heading in the edited Markdown; of a removed section, in the original one. */
  readonly lineNumber: number;
  /** Absent for a new fact. */
  readonly id?: string;
  /** Such as `FACT_CHANGED`: another process changed the fact after it was read. */
  readonly code: MemoryErrorCode;
  readonly message: string;
}

/** What became of the sections of edited Markdown. */
export interface MarkdownResult {
  readonly updated: readonly Fact[];
  /** Facts without a section. They can be restored. */
  readonly archived: readonly Fact[];
  readonly added: readonly Fact[];
  /** Facts that new sections have the text of. */
  readonly present: readonly Fact[];
  readonly unchanged: number;
  readonly conflicts: readonly MarkdownConflict[];
}

/** What became of the facts of a project that was moved. */
export interface MovedFacts {
  readonly moved: number;
  /** Facts with the text of a fact of the other project. They are kept as superseded by that one, which has their tags too. */
  readonly merged: number;
}

/**
 * Facts: each is kept until it is forgotten, and belongs to a project or to the user. An id of another project is unknown.
 *
 * Every call throws {@link MemoryError}s: `INVALID_INPUT`, `INVALID_NAME`, `TOO_LARGE`, and the codes of the store.
 */
export interface Facts {
  /** Stores a fact, unless it is there: then its new tags are added to it. @throws {MemoryError} `SECRET`. */
  readonly remember: (text: string, options?: RememberFactOptions) => Promise<RememberedFact>;
  /** Returns a fact, also an archived one. @throws {MemoryError} `UNKNOWN_FACT`. */
  readonly get: (id: string, options?: ProjectOptions) => Promise<Fact>;
  /** Returns the earlier versions of a fact, newest first. @throws {MemoryError} `UNKNOWN_FACT`. */
  readonly history: (id: string, options?: ProjectOptions) => Promise<FactVersion[]>;
  /**
   * Changes a fact. Without a difference it stays as it is.
   *
   * @throws {MemoryError} `UNKNOWN_FACT`, `FACT_ARCHIVED`, `FACT_EXISTS` when another fact has the text, `SECRET`.
   */
  readonly update: (id: string, changes?: UpdateFactOptions) => Promise<Fact>;
  /**
   * Replaces a fact by a new one, in one step. The old one is no longer recalled, and names the new one.
   *
   * @returns the new fact.
   * @throws {MemoryError} `UNKNOWN_FACT`, `FACT_ARCHIVED`, `FACT_EXISTS`, `SECRET`.
   */
  readonly supersede: (id: string, text: string, options?: SupersedeFactOptions) => Promise<Fact>;
  /** Archives a fact: it is kept, but no longer recalled. @throws {MemoryError} `UNKNOWN_FACT`. */
  readonly archive: (id: string, options?: ProjectOptions) => Promise<Fact>;
  /**
   * Undoes the last update, supersede or archive, for 30 days. Repeated, it goes back further. A fact that superseded this one
   * is archived in the same step.
   *
   * @throws {MemoryError} `UNKNOWN_FACT`, `NOTHING_TO_RESTORE`, `RESTORE_EXPIRED`, `FACT_EXISTS`.
   */
  readonly restore: (id: string, options?: RestoreFactOptions) => Promise<Fact>;
  /**
   * Erases a fact with its earlier versions, and the superseded facts with its text. It cannot be restored. Also removes a fact that
   * is not readable.
   */
  readonly forget: (id: string, options?: ProjectOptions) => Promise<ForgottenFact>;
  /** Lists facts in pages. */
  readonly list: (options?: FactListOptions) => Promise<FactList>;
  /** Finds facts by words, best first. */
  readonly recall: (options: RecallFactsOptions) => Promise<RecalledFacts>;
  /**
   * Returns the pinned facts, then the last changed ones, as data for the start of a prompt; empty without facts. The text
   * changes only when a fact changes.
   */
  readonly startBlock: (options?: StartBlockOptions & FactSelection) => Promise<string>;
  /**
   * Returns the active facts of one scope, the project by default, as Markdown to edit: a section for each, newest first.
   */
  readonly toMarkdown: (selection?: FactSelection) => Promise<string>;
  /**
   * Applies edited Markdown by the ids of its sections: changed facts are updated, those without a section archived, new sections
   * remembered. A fact that another process changed meanwhile is a conflict and is not overwritten.
   *
   * @throws {MemoryError} `INVALID_INPUT` with the numbers of the lines that cannot be applied. Then nothing is changed.
   */
  readonly applyMarkdown: (edited: string, options: ApplyMarkdownOptions) => Promise<MarkdownResult>;
  /**
   * Moves all facts of a project to another one, such as after its directory was renamed. Repeating the call after an interruption
   * finishes it.
   */
  readonly moveProject: (from: string, to: string, options?: CallOptions) => Promise<MovedFacts>;
  /** Lists the projects that have facts. */
  readonly projects: (options?: CallOptions) => Promise<FactProject[]>;
}
