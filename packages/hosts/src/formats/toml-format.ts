/**
 * Edits TOML. smol-toml parses the text, locates syntax errors and checks each result; the edits are our own splices over the
 * statements of `toml-statements.ts`. No TOML package for Node edits a string in place: `stringify` of smol-toml (1.9.1)
 * renders the parsed value again, without comments, order or layout.
 */
import { parse, TomlError } from 'smol-toml';
import { HostError, positionOf } from '../errors.ts';
import { changedObject, isObject, kindOf, lineEndOf, splice, valueAt } from './config-format.ts';
import type { ConfigChange, ConfigFormat, ConfigObject } from './config-format.ts';
import { tomlStatements, type TomlStatement } from './toml-statements.ts';

function parseToml(text: string): ConfigObject {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const position = { line: error.line, column: error.column };
    const [reason = ''] = error.message.replace('Invalid TOML document: ', '').split('\n');
    const message = `invalid TOML at line ${position.line}, column ${position.column}: ${reason}; correct it first`;
    throw new HostError('CONFIG_SYNTAX', message, { position, cause: error });
  }
}

/** Renders a string. TOML's form is JSON's, except for one character that only JSON allows unescaped. */
function text(value: string): string {
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
}

function key(name: string): string {
  return /^[\w-]+$/u.test(name) ? name : text(name);
}

function keys(names: readonly string[]): string {
  return names.map(key).join('.');
}

function render(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.map(render).join(', ')}]`;
  if (isObject(value)) {
    const pairs = Object.entries(value).map(([name, one]) => `${key(name)} = ${render(one)}`);
    return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
  }
  if (typeof value === 'string') return text(value);
  if (value instanceof Date) return value.toISOString();
  return String(value);
}

/** A change of a value that is not in an array. */
interface TableChange extends ConfigChange {
  readonly path: readonly string[];
}

function begins(path: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((name, index) => path[index] === name);
}

function isAt(path: readonly string[], wanted: readonly string[]): boolean {
  return path.length === wanted.length && begins(path, wanted);
}

/** Inserts a line after a statement. The statement may be the last one and have no line end. */
function insertLine(source: string, { end }: TomlStatement, line: string): string {
  const eol = lineEndOf(source);
  return splice(source, end, end, `${source.slice(0, end).endsWith('\n') ? '' : eol}${line}${eol}`);
}

/** Appends a table after an empty line. */
function appendTable(source: string, path: readonly string[], pairs: ConfigObject): string {
  const eol = lineEndOf(source);
  const isSetOff = source.trim() === '' || /\n[\t ]*\r?\n$/u.test(source);
  const gap = isSetOff ? '' : source.endsWith('\n') ? eol : eol + eol;
  const lines = Object.entries(pairs).map(([name, value]) => `${key(name)} = ${render(value)}${eol}`);
  return `${source}${gap}[${keys(path)}]${eol}${lines.join('')}`;
}

/** Returns the pair whose inline table contains a path: `a = { b = 1 }`. */
function inlineAbove(statements: readonly TomlStatement[], path: readonly string[]): TomlStatement | undefined {
  return statements.find((one) => one.kind === 'pair' && one.path.length < path.length && begins(path, one.path));
}

/** Inserts a pair after the others of an inline table. The others keep their form. */
function insertInline(source: string, { start, end }: { start: number; end: number }, pair: string): string {
  const inner = source.slice(start + 1, end - 1);
  if (inner.trim() === '') return splice(source, start, end, `{ ${pair} }`);
  const at = start + 1 + inner.trimEnd().length;
  return splice(source, at, at, `, ${pair}`);
}

function changeInline(source: string, { path, value }: TomlStatement, change: TableChange): string {
  if (!value) return source;
  const config = parseToml(source);
  const parent = change.path.slice(0, -1);
  if (isAt(path, parent) && change.value !== undefined && valueAt(config, change.path) === undefined) {
    return insertInline(source, value, `${key(change.path.at(-1) ?? '')} = ${render(change.value)}`);
  }
  // The value is rendered again, which would lose comments and unusual notations of numbers or strings.
  const [rendered, written] = [render(valueAt(config, path)), source.slice(value.start, value.end)];
  if (rendered.replaceAll(/\s/gu, '') !== written.replaceAll(/\s/gu, '')) {
    const what = `${path.join('.')} is an inline table with comments or unusual notation, which an edit would lose; change it by hand`;
    throw new HostError('CONFIG_UNSUPPORTED', what);
  }
  return splice(source, value.start, value.end, render(valueAt(changedObject(config, change), path)));
}

/** @throws {HostError} `CONFIG_SHAPE` when a value above a path is not a table. */
function requireTables(source: string, statements: readonly TomlStatement[], path: readonly string[]): void {
  const config = parseToml(source);
  for (const depth of path.keys()) {
    const above = path.slice(0, depth);
    const value = valueAt(config, above);
    if (value === undefined) return;
    if (isObject(value)) continue;
    const written = statements.find((one) => one.kind !== 'table' && begins(above, one.path));
    const position = positionOf(source, written?.start ?? 0);
    const message = `${above.join('.')} is ${kindOf(value)} instead of a table, at line ${position.line}; correct it first`;
    throw new HostError('CONFIG_SHAPE', message, { position });
  }
}

function setValue(source: string, change: TableChange): string {
  const { path, value } = change;
  const statements = tomlStatements(source);
  requireTables(source, statements, path);
  const inline = inlineAbove(statements, path);
  if (inline) return changeInline(source, inline, change);
  const pair = statements.find((one) => one.kind === 'pair' && isAt(one.path, path));
  if (pair?.value) return splice(source, pair.value.start, pair.value.end, render(value));
  const parent = path.slice(0, -1);
  const inTable = statements.findLast((one) => one.kind !== 'array' && isAt(one.table, parent));
  if (inTable && parent.length > 0) return insertLine(source, inTable, `${key(path.at(-1) ?? '')} = ${render(value)}`);
  const neighbour = statements.findLast((one) => one.kind === 'pair' && begins(one.path, parent) && parent.length > 0);
  if (neighbour && neighbour.table.length < parent.length && !isObject(value)) {
    return insertLine(source, neighbour, `${keys(path.slice(neighbour.table.length))} = ${render(value)}`);
  }
  return isObject(value)
    ? appendTable(source, path, value)
    : appendTable(source, parent, { [path.at(-1) ?? '']: value });
}

function removeValue(source: string, removed: readonly string[]): string {
  const statements = tomlStatements(source);
  const inline = inlineAbove(statements, removed);
  if (inline) return changeInline(source, inline, { path: removed, value: undefined });
  let changed = source;
  for (const { start, end, path, kind } of statements.toReversed()) {
    if (!begins(path, removed)) continue;
    // The empty line that set a table off goes with it.
    const gap = kind === 'pair' ? '' : (/(?<=\n)[\t ]*\r?\n$/u.exec(changed.slice(0, start))?.[0] ?? '');
    changed = splice(changed, start - gap.length, end, '');
  }
  return changed;
}

/** TOML. Tables are changed line by line; all other lines keep their form. */
export const tomlFormat: ConfigFormat = {
  parse: parseToml,
  change: (source, change) => {
    const path = change.path.filter((key) => typeof key === 'string');
    if (path.length < change.path.length) {
      const message = `${change.path.join('.')} is in an array, which cannot be changed in TOML; change it by hand`;
      throw new HostError('CONFIG_UNSUPPORTED', message);
    }
    return change.value === undefined ? removeValue(source, path) : setValue(source, { ...change, path });
  },
  isBlank: (source) => !source.includes('#') && Object.keys(parseToml(source)).length === 0,
};
