/** Keys of histories in the namespace `contexts` of a memory. */
import { quoted } from '@cairn/tool/kernel';
import { hash } from 'node:crypto';
import { MAIN } from '../definitions/definition.ts';
import { ContextError } from '../errors.ts';

/** The namespace of a memory that keeps the histories. */
export const NAMESPACE = 'contexts';
/** How long a message is kept, and the owner of a session. */
export const LIFETIME_MS: number = 90 * 86_400_000;
/** In bytes, encoded, so that every key is a valid name in the store. */
const MAX_PART_BYTES = 120;

/** Where a history is. */
export interface HistoryPlace {
  readonly project: string;
  readonly session: string;
  /** The name of an agent, or {@link MAIN}. */
  readonly agent: string;
}

/**
 * `history`: the turns. `blobs`: the large parts of its messages. `summaries`: what a model made of it. `texts`: the choices of the
 * texts about modes. `owners`: the session that a terminal continues, without a session in its key.
 */
export type KeyKind = 'history' | 'blobs' | 'summaries' | 'texts' | 'owners';

/** Encodes a part of a key: `:` separates parts, and `%` starts an encoded character. */
function encodePart(name: string): string {
  return name.replaceAll('%', '%25').replaceAll(':', '%3A');
}

function decodePart(part: string): string {
  return part.replaceAll('%3A', ':').replaceAll('%25', '%');
}

/** Returns the reason why a value cannot be a name; `undefined` when it can. */
function problemOf(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'is not a string';
  if (name === '') return 'is empty';
  // eslint-disable-next-line no-control-regex -- control characters are what this finds
  if (/[\u0000-\u001f\u007f]/u.test(name)) return 'has control characters';
  // With `u`, a surrogate is a separate code point only if its other half is missing.
  return /\p{Cs}/u.test(name) ? 'is not well-formed Unicode' : undefined;
}

/** @throws {ContextError} `INVALID_NAME`. */
export function checkName(name: unknown, kind: 'agent' | 'session' | 'project'): string {
  const isLong = kind !== 'project' && typeof name === 'string' && Buffer.byteLength(encodePart(name)) > MAX_PART_BYTES;
  const problem = problemOf(name) ?? (isLong ? `is longer than ${MAX_PART_BYTES} bytes` : undefined);
  if (problem === undefined) return name as string;
  const shown = typeof name === 'string' && name !== '' ? ` ${quoted(name)}` : '';
  throw new ContextError('INVALID_NAME', [`The name of the ${kind}${shown} ${problem}`, 'Use another name.']);
}

export function checkAgentName(name: unknown): string {
  if (name !== MAIN) return checkName(name, 'agent');
  throw new ContextError('INVALID_NAME', [`An agent cannot be named ${MAIN}`, 'Use another name.']);
}

/** Returns the part of a project: the identity may be a path that is longer than a part can be. */
function projectPart(project: string): string {
  const part = encodePart(project);
  return Buffer.byteLength(part) <= MAX_PART_BYTES ? part : `sha256 ${hash('sha256', project)}`;
}

/** Returns the start of the keys of a kind: of all sessions of a project, or of one. It ends with `:`. */
export function prefixOf(
  kind: KeyKind,
  { project, session }: Pick<HistoryPlace, 'project'> & { session?: string },
): string {
  return `${kind}:${projectPart(project)}:${session === undefined ? '' : `${encodePart(session)}:`}`;
}

/** Returns the key of a history, or the start of the keys of what belongs to it, which ends with `:`. */
export function keyOf(kind: KeyKind, place: HistoryPlace): string {
  return `${prefixOf(kind, place)}${encodePart(place.agent)}${kind === 'history' ? '' : ':'}`;
}

/** Returns the session and the agent of a key; `undefined` for a key of another form. */
export function parseKey(key: string): Omit<HistoryPlace, 'project'> | undefined {
  const [, , session, agent] = key.split(':');
  return session === undefined || agent === undefined
    ? undefined
    : { session: decodePart(session), agent: decodePart(agent) };
}
