/**
 * Edits JSON with comments. jsonc-parser parses the text into nodes with offsets and scans for commas and comments; the edits
 * are our own splices. Its `modify` (3.3.1) re-indents the neighbours of a new property, moves a neighbour's trailing comment
 * after the new property, expands minified files, and deletes comments next to a removed property. A configuration belongs to
 * its user, so every byte outside the entry stays.
 */
import { createScanner, getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError, SyntaxKind } from 'jsonc-parser';
import { HostError, positionOf } from '../errors.ts';
import { isObject, lineEndOf } from './config-format.ts';
import type { ConfigChange, ConfigFormat } from './config-format.ts';

// jsonc-parser exports the enum as a type only; the compiler checks these values against it.
const commaToken: SyntaxKind.CommaToken = 5;
const lineComment: SyntaxKind.LineCommentTrivia = 12;
const blockComment: SyntaxKind.BlockCommentTrivia = 13;
const blanks: SyntaxKind.Trivia = 15;

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
  if (root && root.type !== 'object') throw notAnObject(text, root, 'the file');
  return root;
}

function notAnObject(text: string, node: Node, what: string): HostError {
  const position = positionOf(text, node.offset);
  const message = `${what} is ${node.type === 'array' ? 'an array' : `a ${node.type}`} instead of an object, at line ${position.line}, column ${position.column}; correct it first`;
  return new HostError('CONFIG_SHAPE', message, { position });
}

/** Returns the property with a name. Of several, the last one counts, as in every parser. */
function propertyOf(node: Node, key: string): Node | undefined {
  return node.children?.findLast((property) => property.children?.[0]?.value === key);
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
    else if (token !== blanks) return end;
  }
}

function lineStartOf(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Returns the indentation of the line of an offset. */
function indentAt(text: string, offset: number): string {
  return /^[\t ]*/u.exec(text.slice(lineStartOf(text, offset), offset))?.[0] ?? '';
}

/** The layout that a text uses. */
interface Layout {
  readonly eol: string;
  /** The indentation of one level. */
  readonly unit: string;
}

function layoutOf(text: string): Layout {
  return { eol: lineEndOf(text), unit: /^([\t ]+)"/mu.exec(text)?.[1] ?? '  ' };
}

/** Renders a value over several lines; arrays stay on one line. */
function render(value: unknown, indent: string, layout: Layout): string {
  if (Array.isArray(value)) return `[${value.map((one) => render(one, indent, layout)).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  const inner = indent + layout.unit;
  const lines = entries.map(([key, one]) => `${inner}${JSON.stringify(key)}: ${render(one, inner, layout)}`);
  return `{${layout.eol}${lines.join(`,${layout.eol}`)}${layout.eol}${indent}}`;
}

function splice(text: string, start: number, end: number, inserted: string): string {
  return text.slice(0, start) + inserted + text.slice(end);
}

/** Inserts the first property of an object. */
function insertFirst(text: string, node: Node, [key, value]: readonly [string, unknown]): string {
  const [start, end] = [node.offset + 1, endOf(node) - 1];
  const inner = text.slice(start, end);
  // A program wrote `{"a":{}}`, so it stays minified. A lone `{}` gets a readable layout.
  if (inner.trim() === '' && !text.includes('\n') && node.parent) {
    return splice(text, start, end, `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  }
  const layout = layoutOf(text);
  const indent = indentAt(text, node.offset);
  const shown = `${layout.eol}${indent}${layout.unit}${JSON.stringify(key)}: ${render(value, indent + layout.unit, layout)}`;
  if (inner.trim() === '') return splice(text, start, end, `${shown}${layout.eol}${indent}`);
  // The object holds only comments. They stay before the new property.
  const at = start + inner.trimEnd().length;
  return splice(text, at, at, text.slice(at, end).includes('\n') ? shown : `${shown}${layout.eol}${indent}`);
}

/** Inserts a property after the last one of an object and its trailing comments. */
function insertLast(text: string, node: Node, last: Node, [key, value]: readonly [string, unknown]): string {
  const comma = commaAfter(text, endOf(last));
  const trailing = comma === undefined ? '' : ',';
  if (!text.slice(node.offset, endOf(node)).includes('\n')) {
    const at = comma ?? endOf(last);
    const blank = text.slice(node.offset, at).includes('": ') ? ' ' : '';
    const shown = `${JSON.stringify(key)}:${blank}${JSON.stringify(value)}`;
    return splice(text, at, at, `${comma === undefined ? ',' : ''}${blank}${shown}${trailing}`);
  }
  const layout = layoutOf(text);
  const startsLine = text.slice(lineStartOf(text, last.offset), last.offset).trim() === '';
  const indent = startsLine ? indentAt(text, last.offset) : indentAt(text, node.offset) + layout.unit;
  const at = afterComments(text, comma ?? endOf(last));
  const shown = `${layout.eol}${indent}${JSON.stringify(key)}: ${render(value, indent, layout)}${trailing}`;
  const inserted = splice(text, at, at, shown);
  return comma === undefined ? splice(inserted, endOf(last), endOf(last), ',') : inserted;
}

function setValue(text: string, { path, value }: ConfigChange): string {
  const root = parseRoot(text);
  if (!root) {
    const before = text.trim() === '' ? '' : `${text.trimEnd()}\n`;
    const whole = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
    return `${before}${render(whole, '', layoutOf(text))}\n`;
  }
  let node = root;
  for (const [depth, key] of path.entries()) {
    if (node.type !== 'object') throw notAnObject(text, node, path.slice(0, depth).join('.'));
    const found = propertyOf(node, key)?.children?.[1];
    if (!found) {
      const inner = path.slice(depth + 1).reduceRight<unknown>((one, name) => ({ [name]: one }), value);
      const last = node.children?.at(-1);
      return last ? insertLast(text, node, last, [key, inner]) : insertFirst(text, node, [key, inner]);
    }
    node = found;
  }
  const shown = text.includes('\n')
    ? render(value, indentAt(text, node.offset), layoutOf(text))
    : JSON.stringify(value);
  return splice(text, node.offset, endOf(node), shown);
}

/** Removes a property with its comma, and with its lines when nothing else is on them. */
function removeValue(text: string, path: readonly string[]): string {
  let node = parseRoot(text);
  for (const key of path.slice(0, -1)) node = node && propertyOf(node, key)?.children?.[1];
  const property = node && propertyOf(node, path.at(-1) ?? '');
  if (!node || !property) return text;
  const siblings = node.children ?? [];
  const previous = siblings[siblings.indexOf(property) - 1];
  const comma = commaAfter(text, endOf(property));
  let start = property.offset;
  let end = comma ?? endOf(property);
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
  name: 'JSON',
  parse: (text) => {
    const root = parseRoot(text);
    const value: unknown = root === undefined ? {} : getNodeValue(root);
    return isObject(value) ? value : {};
  },
  change: (text, change) => (change.value === undefined ? removeValue(text, change.path) : setValue(text, change)),
};
