import { isObject } from '@cairn/tool/kernel';
import { hash } from 'node:crypto';
import { DEFAULT_STREAM } from '../defaults.ts';
import { parseFields } from '../records/record.ts';
import { isTime } from '../records/time.ts';
import { foldText } from './fold.ts';

/** `user`: the facts of the user, for all projects. `project`: the facts of one project. */
export type FactScope = 'user' | 'project';

/** Something to remember until it is forgotten. Times are milliseconds since the epoch, by the clock of the store. */
export interface Fact {
  readonly id: string;
  readonly text: string;
  readonly scope: FactScope;
  /** The identity of the project. */
  readonly project?: string;
  /** The stream that it was remembered in; absent for the default stream. */
  readonly stream?: string;
  /** Present when every stream recalls it. */
  readonly shared?: true;
  readonly tags: readonly string[];
  /** Where it comes from, such as a file or a person. */
  readonly source?: string;
  /** Present when it comes first in the start block. */
  readonly pinned?: true;
  /** Present when it may have a secret: its text is never sent to an embeddings server, and `share` rejects it. */
  readonly allowSecret?: true;
  readonly createdAt: number;
  /** The time of its last change. Lists are in this order. */
  readonly updatedAt: number;
  /** The id of the fact that this one replaced. */
  readonly supersedes?: string;
  /** The id of the fact that replaced this one. It is no longer recalled. */
  readonly supersededBy?: string;
  /** Since when it is no longer recalled. */
  readonly archivedAt?: number;
}

/** What ended an earlier version of a fact. */
export type FactChange = 'update' | 'supersede' | 'archive' | 'restore';

/** An earlier version as it is stored: the fields that the change replaced, `null` for those that were absent. */
export interface StoredVersion {
  readonly revision: number;
  readonly until: number;
  readonly by: FactChange;
  readonly was: Readonly<Record<string, unknown>>;
}

/** A fact as it is stored. It may have fields of a newer version of this package, which each change keeps. */
export interface StoredFact {
  readonly id: string;
  readonly text: string;
  readonly stream?: string | undefined;
  readonly shared?: boolean | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly source?: string | undefined;
  readonly pinned?: boolean | undefined;
  readonly createdAt: number;
  readonly updatedAt?: number | undefined;
  readonly supersedes?: string | undefined;
  readonly supersededBy?: string | undefined;
  readonly archivedAt?: number | undefined;
  /** Present when it may have a secret: its text is never sent to a server. */
  readonly allowSecret?: boolean | undefined;
  /** Counts the changes, from 1. */
  readonly revision?: number | undefined;
  /** The revision that the last change restored. */
  readonly restoredFrom?: number | undefined;
  /** Oldest first. */
  readonly versions?: readonly StoredVersion[] | undefined;
}

/** The facts of a scope, which are the rows of one table. */
export interface FactTable {
  readonly key: string;
  readonly scope: FactScope;
  readonly project?: string;
}

type Check = (value: unknown) => boolean;

const isString: Check = (value) => typeof value === 'string';
const isCount: Check = (value) => Number.isInteger(value) && (value as number) > 0;
const isFlag: Check = (value) => typeof value === 'boolean';
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
/** A restored version must be a fact again: only an optional field may have been absent, which is `null`. */
const isWas: Check = (was) =>
  isObject(was) &&
  checks.every(([field, check]) => {
    const value = was[field];
    return value === undefined || check(value === null ? undefined : value);
  });
const isVersion: Check = (value) =>
  isObject(value) && isCount(value['revision']) && isTime(value['until']) && isWas(value['was']);

/** By hand, because every list reads every fact. */
const checks: readonly (readonly [field: keyof StoredFact, check: Check])[] = [
  ['id', isString],
  ['text', isString],
  ['createdAt', isTime],
  ['updatedAt', optional(isTime)],
  ['archivedAt', optional(isTime)],
  ['stream', optional(isString)],
  ['source', optional(isString)],
  ['supersedes', optional(isString)],
  ['supersededBy', optional(isString)],
  ['shared', optional(isFlag)],
  ['pinned', optional(isFlag)],
  ['allowSecret', optional(isFlag)],
  ['revision', optional(isCount)],
  ['restoredFrom', optional(isCount)],
  ['tags', optional((value) => Array.isArray(value) && value.every(isString))],
  ['versions', optional((value) => Array.isArray(value) && value.every(isVersion))],
];

/** Parses the text of a row; `undefined` when it is not a fact. */
export function parseFact(record: string): StoredFact | undefined {
  const fields = parseFields(record);
  return fields !== undefined && checks.every(([field, check]) => check(fields[field]))
    ? (fields as unknown as StoredFact)
    : undefined;
}

export function isActive({ archivedAt, supersededBy }: Pick<StoredFact, 'archivedAt' | 'supersededBy'>): boolean {
  return archivedAt === undefined && supersededBy === undefined;
}

export function isVisible({ shared, stream }: Pick<StoredFact, 'shared' | 'stream'>, reader: string): boolean {
  return shared === true || (stream ?? DEFAULT_STREAM) === reader;
}

/** Returns the text that at most one active fact of a table has: of all streams for a shared fact, else of its stream. */
export function uniqueOfFact(stored: StoredFact): string | undefined {
  if (!isActive(stored)) return undefined;
  const { text, shared, stream = DEFAULT_STREAM } = stored;
  return hash('sha256', JSON.stringify([shared === true ? '' : stream, foldText(text)]), 'base64url');
}

/** Returns the time of the last change. */
export function timeOf({ updatedAt, createdAt }: StoredFact): number {
  return updatedAt ?? createdAt;
}

/** Returns what a fact is found by. */
export function searchTextOf({ text, tags = [] }: StoredFact): string {
  return tags.length === 0 ? text : `${text}\n${tags.join(' ')}`;
}

/** Returns the public form of a stored fact. */
export function factOf(stored: StoredFact, { scope, project }: FactTable): Fact {
  const { id, text, stream, shared, tags = [], source, pinned, allowSecret, createdAt } = stored;
  const { supersedes, supersededBy, archivedAt } = stored;
  return {
    id,
    text,
    scope,
    ...(project !== undefined && { project }),
    ...(stream !== undefined && { stream }),
    ...(shared === true && { shared }),
    tags,
    ...(source !== undefined && { source }),
    ...(pinned === true && { pinned }),
    ...(allowSecret === true && { allowSecret }),
    createdAt,
    updatedAt: timeOf(stored),
    ...(supersedes !== undefined && { supersedes }),
    ...(supersededBy !== undefined && { supersededBy }),
    ...(archivedAt !== undefined && { archivedAt }),
  };
}
