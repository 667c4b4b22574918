import { MemoryError } from '../errors.ts';

/** How long a name may be, in bytes of UTF-8. */
const MAX_NAME_BYTES = 512;

export const MEMORY_PREFIX = 'ai:memory:';
export const NOTES_PREFIX = 'ai:notes:';
export const WORKFLOW_PREFIX = 'ai:workflow:';
/** Where records lie that could not be read. */
export const QUARANTINE_KEY = 'ai:quarantine';
export const GRAPH_PREFIX = 'ai:graph:';

/** An error shows so much of a name. */
const SHOWN_CHARACTERS = 40;

/** A name in quotes, cut when it is long. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS)}…` : name);
}

/**
 * Checks what a caller calls something.
 *
 * @throws {MemoryError} `INVALID_NAME` when it is empty, longer than 512 bytes, holds control characters, or is no well-formed
 *   Unicode, which two stores would write differently.
 */
export function checkName(name: unknown, what: string): string {
  const refuse = (why: string): never => {
    const shown = typeof name === 'string' ? ` ${quoted(name)}` : '';
    throw new MemoryError('INVALID_NAME', [`The ${what}${shown} ${why}`, `Choose another ${what}.`]);
  };
  if (typeof name !== 'string') return refuse('is no text');
  if (name === '') return refuse('is empty');
  // eslint-disable-next-line no-control-regex -- control characters are what this looks for
  if (/[\u0000-\u001f\u007f]/u.test(name)) return refuse('holds control characters');
  // With `u`, halves of surrogate pairs are code points of their own only when the other half is missing.
  if (/\p{Cs}/u.test(name)) return refuse('is no well-formed Unicode');
  const bytes = Buffer.byteLength(name);
  if (bytes > MAX_NAME_BYTES) return refuse(`is ${bytes} bytes long, more than ${MAX_NAME_BYTES}`);
  return name;
}

/** A part of a key: `:` separates parts, so it and the sign that stands for it are written otherwise. */
function encodePart(name: string): string {
  return name.replaceAll('%', '%25').replaceAll(':', '%3A');
}

function decodePart(part: string): string {
  return part.replaceAll('%3A', ':').replaceAll('%25', '%');
}

/** The key of a group's messages: `ai:memory:{stream}:{group}`. @throws {MemoryError} `INVALID_NAME`. */
export function memoryKey(stream: string, group: string): string {
  return `${MEMORY_PREFIX}${encodePart(checkName(stream, 'stream'))}:${encodePart(checkName(group, 'group'))}`;
}

/** The key of a workflow's notes: `ai:notes:{workflowId}`. @throws {MemoryError} `INVALID_NAME`. */
export function notesKey(workflowId: string): string {
  return `${NOTES_PREFIX}${encodePart(checkName(workflowId, 'workflow'))}`;
}

/** The key of a workflow's record: `ai:workflow:{workflowId}`. @throws {MemoryError} `INVALID_NAME`. */
export function workflowKey(workflowId: string): string {
  return `${WORKFLOW_PREFIX}${encodePart(checkName(workflowId, 'workflow'))}`;
}

/** The key of a knowledge graph: `ai:graph:{name}`. @throws {MemoryError} `INVALID_NAME`. */
export function graphKey(name: string): string {
  return `${GRAPH_PREFIX}${encodePart(checkName(name, 'graph'))}`;
}

/** What the keys of a stream's groups begin with. @throws {MemoryError} `INVALID_NAME`. */
export function streamPrefix(stream: string): string {
  return `${MEMORY_PREFIX}${encodePart(checkName(stream, 'stream'))}:`;
}

/** The stream and the group of a key; `undefined` when it is not such a key. */
export function parseMemoryKey(key: string): { readonly stream: string; readonly group: string } | undefined {
  if (!key.startsWith(MEMORY_PREFIX)) return undefined;
  const [stream, group, ...rest] = key.slice(MEMORY_PREFIX.length).split(':');
  if (stream === undefined || group === undefined || rest.length > 0) return undefined;
  return { stream: decodePart(stream), group: decodePart(group) };
}

/** The workflow of a key of notes or of a record. */
export function parseWorkflowKey(key: string): string | undefined {
  const prefix = [NOTES_PREFIX, WORKFLOW_PREFIX].find((one) => key.startsWith(one));
  return prefix === undefined ? undefined : decodePart(key.slice(prefix.length));
}

/** The name of a knowledge graph by its key. */
export function parseGraphKey(key: string): string {
  return decodePart(key.slice(GRAPH_PREFIX.length));
}
