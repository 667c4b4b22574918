import { quoted } from '@cairn/tool/kernel';
import { MemoryError } from '../errors.ts';

/** In bytes of UTF-8. */
const MAX_NAME_BYTES = 512;

export const PREFIX = 'ai:';
export const MEMORY_PREFIX = 'ai:memory:';
export const NOTES_PREFIX = 'ai:notes:';
export const WORKFLOW_PREFIX = 'ai:workflow:';
/** The claims of the names of streams. */
export const STREAM_PREFIX = 'ai:stream:';
/** The workflows that wait for a message of a group, which are derived from their records. */
export const WAITING_PREFIX = 'ai:waiting:';
/** The list of lines that an import did not know. The next export has them. */
export const UNKNOWN_KEY = 'ai:unknown';
export const GRAPH_PREFIX = 'ai:graph:';
export const FACTS_PREFIX = 'ai:facts:';
const PROJECT_FACTS_PREFIX: string = `${FACTS_PREFIX}project:`;
export const NAMESPACE_PREFIX = 'ai:namespace:';
/** The tables that `@cairn/knowledge` keeps in the same stores. Memory neither reads nor removes them. */
export const KNOWLEDGE_PREFIX = 'ai:knowledge:';
/** The vectors of the rows of other tables, which are derived from their texts. */
export const VECTORS_PREFIX = 'ai:vectors:';

/** Returns why a value cannot be a name; `undefined` when it can. */
function problemOf(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'is not a string';
  if (name === '') return 'is empty';
  // eslint-disable-next-line no-control-regex -- control characters are what this finds
  if (/[\u0000-\u001f\u007f]/u.test(name)) return 'has control characters';
  // With `u`, a surrogate is a separate code point only if its other half is missing.
  if (/\p{Cs}/u.test(name)) return 'is not well-formed Unicode';
  const bytes = Buffer.byteLength(name);
  return bytes > MAX_NAME_BYTES ? `is ${bytes} bytes long, more than ${MAX_NAME_BYTES}` : undefined;
}

/** Returns whether {@link checkName} accepts a value. */
export function isName(name: unknown): name is string {
  return problemOf(name) === undefined;
}

/**
 * Checks a name that becomes part of a key.
 *
 * @throws {MemoryError} `INVALID_NAME` when it is not a string, empty, longer than 512 bytes, has control characters, or is not
 *   well-formed Unicode, which two stores would write differently.
 */
export function checkName(name: unknown, kind: string): string {
  const problem = problemOf(name);
  if (problem === undefined) return name as string;
  const shown = typeof name === 'string' ? ` ${quoted(name)}` : '';
  throw new MemoryError('INVALID_NAME', [`The ${kind}${shown} ${problem}`, 'Use another name.']);
}

/** Encodes a part of a key: `:` separates parts, and `%` starts an encoded character. */
function encodePart(name: string): string {
  return name.replaceAll('%', '%25').replaceAll(':', '%3A');
}

function decodePart(part: string): string {
  return part.replaceAll('%3A', ':').replaceAll('%25', '%');
}

/** Returns the key of a group's messages: `ai:memory:{stream}:{group}`. @throws {MemoryError} `INVALID_NAME`. */
export function memoryKey(stream: string, group: string): string {
  return `${MEMORY_PREFIX}${encodePart(checkName(stream, 'stream'))}:${encodePart(checkName(group, 'group'))}`;
}

/** Returns what makes keys that end with a name: each throws `INVALID_NAME`. */
function keysWith(prefix: string, kind: string): (name: string) => string {
  return (name) => `${prefix}${encodePart(checkName(name, kind))}`;
}

/** Returns the key of a workflow's notes: `ai:notes:{workflowId}`. @throws {MemoryError} `INVALID_NAME`. */
export const notesKey: (workflowId: string) => string = keysWith(NOTES_PREFIX, 'workflow');

/** Returns the key of a workflow's record: `ai:workflow:{workflowId}`. @throws {MemoryError} `INVALID_NAME`. */
export const workflowKey: (workflowId: string) => string = keysWith(WORKFLOW_PREFIX, 'workflow');

/** Returns the key of the claim of a stream's name: `ai:stream:{name}`. @throws {MemoryError} `INVALID_NAME`. */
export const streamKey: (name: string) => string = keysWith(STREAM_PREFIX, 'stream');

/** Returns the key of a knowledge graph: `ai:graph:{name}`. @throws {MemoryError} `INVALID_NAME`. */
export const graphKey: (name: string) => string = keysWith(GRAPH_PREFIX, 'graph');

/** Returns the name in such a key. */
export function nameIn(key: string): string {
  return decodePart(key.replace(/^ai:[a-z]+:/u, ''));
}

/** Returns the key of the workflows that wait for a message of a group. @throws {MemoryError} `INVALID_NAME`. */
export function waitingKey(stream: string, group: string): string {
  return `${WAITING_PREFIX}${memoryKey(stream, group).slice(MEMORY_PREFIX.length)}`;
}

/** Returns the prefix of the keys of {@link waitingKey} of a stream. @throws {MemoryError} `INVALID_NAME`. */
export function waitingPrefix(stream: string): string {
  return `${WAITING_PREFIX}${streamPrefix(stream).slice(MEMORY_PREFIX.length)}`;
}

/** Returns the prefix of the keys of a stream's groups. @throws {MemoryError} `INVALID_NAME`. */
export function streamPrefix(stream: string): string {
  return `${MEMORY_PREFIX}${encodePart(checkName(stream, 'stream'))}:`;
}

/** Parses a key that has two parts after its prefix. */
function parsePair(prefix: string, key: string): readonly [string, string] | undefined {
  if (!key.startsWith(prefix)) return undefined;
  const [first, second, ...rest] = key.slice(prefix.length).split(':');
  if (first === undefined || second === undefined || rest.length > 0) return undefined;
  return [decodePart(first), decodePart(second)];
}

/** Parses the key of a group's messages; `undefined` for another key. */
export function parseMemoryKey(key: string): { readonly stream: string; readonly group: string } | undefined {
  const parts = parsePair(MEMORY_PREFIX, key);
  return parts && { stream: parts[0], group: parts[1] };
}

/** Returns the prefix of the keys of a namespace. @throws {MemoryError} `INVALID_NAME`. */
export function namespacePrefix(namespace: string): string {
  return `${NAMESPACE_PREFIX}${encodePart(checkName(namespace, 'namespace'))}:`;
}

/** Returns a key of a namespace: `ai:namespace:{namespace}:{key}`. @throws {MemoryError} `INVALID_NAME`. */
export function namespaceKey(namespace: string, key: string): string {
  return `${namespacePrefix(namespace)}${encodePart(checkName(key, 'key'))}`;
}

/** Parses a key of a namespace; `undefined` for another key. */
export function parseNamespaceKey(key: string): { readonly namespace: string; readonly key: string } | undefined {
  const parts = parsePair(NAMESPACE_PREFIX, key);
  return parts && { namespace: parts[0], key: parts[1] };
}

/** Returns the key of the facts of a project, or of the user: `ai:facts:user`. @throws {MemoryError} `INVALID_NAME`. */
export function factsKey(project?: string): string {
  return project === undefined
    ? `${FACTS_PREFIX}user`
    : `${PROJECT_FACTS_PREFIX}${encodePart(checkName(project, 'project'))}`;
}

/** Parses the key of facts; `undefined` for another key. */
export function parseFactsKey(
  key: string,
): { readonly scope: 'user' } | { readonly scope: 'project'; readonly project: string } | undefined {
  if (key === factsKey()) return { scope: 'user' };
  if (!key.startsWith(PROJECT_FACTS_PREFIX)) return undefined;
  return { scope: 'project', project: decodePart(key.slice(PROJECT_FACTS_PREFIX.length)) };
}

/** Returns the key of the vectors of a table: `ai:vectors:facts:user`. */
export function vectorsKey(key: string): string {
  return `${VECTORS_PREFIX}${key.slice(PREFIX.length)}`;
}

/** Returns the key of the table that vectors belong to. */
export function keyOfVectors(key: string): string {
  return `${PREFIX}${key.slice(VECTORS_PREFIX.length)}`;
}
