/**
 * Edits JSON with comments. jsonc-parser parses the text into nodes with offsets and scans for commas and comments; the edits
 * are our own splices. Its `modify` (3.3.1) re-indents the neighbours of a new property, moves a neighbour's trailing comment
 * after the new property, expands minified files, and deletes comments next to a removed property. A configuration belongs to
 * its user, so every byte outside the entry stays.
 */
import { createScanner, getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError, SyntaxKind } from 'jsonc-parser';
import { HostError, positionOf } from '../errors.ts';
import { changedValue, isObject, kindOf, lineEndOf, splice } from './config-format.ts';
import type { ConfigChange, ConfigFormat, ConfigPath } from './config-format.ts';

// jsonc-parser exports the enum as a type only; the compiler checks these values against it.
const commaToken: SyntaxKind.CommaToken = 5;
const lineComment: SyntaxKind.LineCommentTrivia = 12;
const blockComment: SyntaxKind.BlockCommentTrivia = 13;
const whitespace: SyntaxKind.Trivia = 15;

/** `InvalidSymbol` becomes `invalid symbol`. */
function words(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/gu, (letter) => ` ${letter}`).toLowerCase();
}

function parseRoot(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first) {
    const position = positionOf(text, first.offset);
    const message = `invalid JSON at line ${position.line}, column ${position.column}: ${words(printParseErrorCode(first.error))}; correct it first`;
    throw new HostError('CONFIG_SYNTAX', message, { position });
  }
  if (root) requireKind(text, root, { wanted: 'object', what: 'the file' });
  return root;
}

/** @throws {HostError} `CONFIG_SHAPE` when a node is neither the object nor the array that it has to be. */
function requireKind(
  text: string,
  node: Node,
  { wanted, what }: { readonly wanted: 'object' | 'array'; readonly what: string },
): void {
  if (node.type === wanted) return;
  const position = positionOf(text, node.offset);
  const message = `${what} is ${kindOf(getNodeValue(node))} instead of an ${wanted}, at line ${position.line}, column ${position.column}; correct it first`;
  throw new HostError('CONFIG_SHAPE', message, { position });
}

/** Returns the property or the element at a key. `path` leads to the node. */
function memberOf(
  text: string,
  node: Node,
  { key, path }: { readonly key: string | number; readonly path: ConfigPath },
): Node | undefined {
  requireKind(text, node, { wanted: typeof key === 'number' ? 'array' : 'object', what: path.join('.') });
  // Of several properties with a name, the last one counts, as in every parser.
  return typeof key === 'number'
    ? node.children?.[key]
    : node.children?.findLast((property) => property.children?.[0]?.value === key);
}

function valueOf(member: Node | undefined): Node | undefined {
  return member?.type === 'property' ? member.children?.[1] : member;
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

/** Returns the end of the comma that follows an offset; `undefined` when another token follows. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  return scanner.scan() === commaToken ? scanner.getTokenOffset() + 1 : undefined;
}

/** Returns the end of the comments that follow an offset on its line; the offset itself when there are none. */
function afterComments(text: string, offset: number): number {
  const scanner = createScanner(text, false);
  scanner.setPosition(offset);
  let end = offset;
  for (;;) {
    const token = scanner.scan();
    const isComment = token === lineComment || token === blockComment;
    if (isComment) end = scanner.getTokenOffset() + scanner.getTokenLength();
    else if (token !== whitespace) return end;
  }
}

function lineStartOf(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

function indentAt(text: string, offset: number): string {
  return /^[\t ]*/u.exec(text.slice(lineStartOf(text, offset), offset))?.[0] ?? '';
}

interface Layout {
  readonly eol: string;
  /** The indentation of one level. */
  readonly unit: string;
}

function layoutOf(text: string): Layout {
  return { eol: lineEndOf(text), unit: /^([\t ]+)"/mu.exec(text)?.[1] ?? '  ' };
}

/** Renders a value over several lines; arrays without objects stay on one line. */
function render(value: unknown, indent: string, layout: Layout): string {
  const inner = indent + layout.unit;
  const block = ([open, close]: readonly [string, string], lines: readonly string[]): string =>
    `${open}${layout.eol}${lines.map((line) => inner + line).join(`,${layout.eol}`)}${layout.eol}${indent}${close}`;
  if (Array.isArray(value)) {
    const lines = value.map((one) => render(one, inner, layout));
    return value.some(isObject) ? block(['[', ']'], lines) : `[${lines.join(', ')}]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value);
  const lines = entries.map(([key, one]) => `${JSON.stringify(key)}: ${render(one, inner, layout)}`);
  return entries.length === 0 ? '{}' : block(['{', '}'], lines);
}

/** A new property of an object; without a key, a new element of an array. */
interface Member {
  readonly key?: string | undefined;
  readonly value: unknown;
}

function compact({ key, value }: Member, blank: string): string {
  return `${key === undefined ? '' : `${JSON.stringify(key)}:${blank}`}${JSON.stringify(value)}`;
}

function readable({ key, value }: Member, indent: string, layout: Layout): string {
  return `${key === undefined ? '' : `${JSON.stringify(key)}: `}${render(value, indent, layout)}`;
}

function insertFirst(text: string, node: Node, member: Member): string {
  const [start, end] = [node.offset + 1, endOf(node) - 1];
  const inner = text.slice(start, end);
  // A program wrote `{"a":{}}`, so it stays minified. A lone `{}` gets a readable layout.
  if (inner.trim() === '' && !text.includes('\n') && node.parent) return splice(text, start, end, compact(member, ''));
  const layout = layoutOf(text);
  const indent = indentAt(text, node.offset);
  const shown = `${layout.eol}${indent}${layout.unit}${readable(member, indent + layout.unit, layout)}`;
  if (inner.trim() === '') return splice(text, start, end, `${shown}${layout.eol}${indent}`);
  // There are only comments. They stay before the new member.
  const at = start + inner.trimEnd().length;
  return splice(text, at, at, text.slice(at, end).includes('\n') ? shown : `${shown}${layout.eol}${indent}`);
}

/** Inserts a member after the last one of an object or an array and its trailing comments. */
function insertLast(text: string, [node, last]: readonly [node: Node, last: Node], member: Member): string {
  const comma = commaAfter(text, endOf(last));
  const trailing = comma === undefined ? '' : ',';
  if (!text.slice(node.offset, endOf(node)).includes('\n')) {
    const at = comma ?? endOf(last);
    const blank = text.slice(node.offset, at).includes('": ') ? ' ' : '';
    return splice(text, at, at, `${comma === undefined ? ',' : ''}${blank}${compact(member, blank)}${trailing}`);
  }
  const layout = layoutOf(text);
  const startsLine = text.slice(lineStartOf(text, last.offset), last.offset).trim() === '';
  const indent = startsLine ? indentAt(text, last.offset) : indentAt(text, node.offset) + layout.unit;
  const at = afterComments(text, comma ?? endOf(last));
  const shown = `${layout.eol}${indent}${readable(member, indent, layout)}${trailing}`;
  const inserted = splice(text, at, at, shown);
  return comma === undefined ? splice(inserted, endOf(last), endOf(last), ',') : inserted;
}

function setValue(text: string, { path, value }: ConfigChange): string {
  const root = parseRoot(text);
  if (!root) {
    const before = text.trim() === '' ? '' : `${text.trimEnd()}\n`;
    return `${before}${render(changedValue(undefined, { path, value }), '', layoutOf(text))}\n`;
  }
  let node = root;
  for (const [depth, key] of path.entries()) {
    const found = valueOf(memberOf(text, node, { key, path: path.slice(0, depth) }));
    if (!found) {
      const last = node.children?.at(-1);
      const inner = changedValue(undefined, { path: path.slice(depth + 1), value });
      const member: Member = typeof key === 'number' ? { value: inner } : { key, value: inner };
      return last ? insertLast(text, [node, last], member) : insertFirst(text, node, member);
    }
    node = found;
  }
  const shown = text.includes('\n')
    ? render(value, indentAt(text, node.offset), layoutOf(text))
    : JSON.stringify(value);
  return splice(text, node.offset, endOf(node), shown);
}

/** Removes a property or an element with its comma, and with its lines when nothing else is on them. */
function removeValue(text: string, path: ConfigPath): string {
  let [node, found]: (Node | undefined)[] = [undefined, parseRoot(text)];
  for (const [depth, key] of path.entries()) {
    node = valueOf(found);
    if (!node) return text;
    found = memberOf(text, node, { key, path: path.slice(0, depth) });
  }
  if (!node || !found) return text;
  const siblings = node.children ?? [];
  const previous = siblings[siblings.indexOf(found) - 1];
  const comma = commaAfter(text, endOf(found));
  let start = found.offset;
  let end = comma ?? endOf(found);
  const lineStart = lineStartOf(text, start);
  const lineEnd = /[\t ]*(?:\r?\n)?/uy;
  lineEnd.lastIndex = end;
  const after = lineEnd.exec(text)?.[0] ?? '';
  if (after.endsWith('\n') && text.slice(lineStart, start).trim() === '') {
    start = lineStart;
    end += after.length;
  } else if (after !== '' && !after.endsWith('\n')) {
    end += after.length;
  }
  let removed = splice(text, start, end, '');
  if (comma === undefined && previous) {
    const afterComma = commaAfter(text, endOf(previous)) ?? endOf(previous) + 1;
    removed = splice(removed, afterComma - 1, afterComma, '');
  }
  const open = node.offset + 1;
  const inner = removed.slice(open, endOf(node) - 1 - (text.length - removed.length));
  return siblings.length === 1 && inner.trim() === '' ? splice(removed, open, open + inner.length, '') : removed;
}

/** JSON with comments and trailing commas, which hosts accept. */
export const jsonFormat: ConfigFormat = {
  parse: (text) => {
    const root = parseRoot(text);
    const value: unknown = root === undefined ? {} : getNodeValue(root);
    return isObject(value) ? value : {};
  },
  change: (text, change) => (change.value === undefined ? removeValue(text, change.path) : setValue(text, change)),
  isBlank: (text) => !text.includes('/') && Object.keys(jsonFormat.parse(text)).length === 0,
};
