import { createScanner, getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Node, ParseError, SyntaxKind } from 'jsonc-parser';
import { ConfigError, placeOf } from './config-error.ts';
import { isObject, lineEndOf } from './config-format.ts';
import type { ConfigChange, ConfigFormat } from './config-format.ts';

// The enum has no value that could be imported; the compiler holds these to it.
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
    const place = placeOf(text, first.offset);
    const message = `it is no JSON: ${words(printParseErrorCode(first.error))} at line ${place.line}, column ${place.column}`;
    throw new ConfigError('CONFIG_SYNTAX', message, { place });
  }
  if (root && root.type !== 'object') throw notAnObject(text, root, 'the file');
  return root;
}

function notAnObject(text: string, node: Node, what: string): ConfigError {
  const place = placeOf(text, node.offset);
  const message = `${what} holds ${node.type === 'array' ? 'an array' : `a ${node.type}`} where an object belongs, at line ${place.line}, column ${place.column}`;
  return new ConfigError('CONFIG_SHAPE', message, { place });
}

/** The property that counts: the last of those with a name. */
function propertyOf(node: Node, key: string): Node | undefined {
  return node.children?.findLast((property) => property.children?.[0]?.value === key);
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

/** Where the comma behind an offset ends, if that comes before anything else that counts. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  return scanner.scan() === commaToken ? scanner.getTokenOffset() + 1 : undefined;
}

/** Where the comments end that stand behind something on its line; the offset itself when there are none. */
function behindComments(text: string, offset: number): number {
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

/** The blanks that the line of an offset begins with. */
function indentAt(text: string, offset: number): string {
  return /^[\t ]*/u.exec(text.slice(lineStartOf(text, offset), offset))?.[0] ?? '';
}

/** How a text is laid out. */
interface Layout {
  readonly eol: string;
  /** By how much a level is indented. */
  readonly unit: string;
}

function layoutOf(text: string): Layout {
  return { eol: lineEndOf(text), unit: /^([\t ]+)"/mu.exec(text)?.[1] ?? '  ' };
}

/** A value over several lines; lists of plain values stay on one. */
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

/** Puts the first property into an object. */
function insertFirst(text: string, node: Node, [key, value]: readonly [string, unknown]): string {
  const [start, end] = [node.offset + 1, endOf(node) - 1];
  const inner = text.slice(start, end);
  // `{"a":{}}` is how a program wrote it; `{}` alone is how nobody means it to stay.
  if (inner.trim() === '' && !text.includes('\n') && node.parent) {
    return splice(text, start, end, `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  }
  const layout = layoutOf(text);
  const indent = indentAt(text, node.offset);
  const shown = `${layout.eol}${indent}${layout.unit}${JSON.stringify(key)}: ${render(value, indent + layout.unit, layout)}`;
  if (inner.trim() === '') return splice(text, start, end, `${shown}${layout.eol}${indent}`);
  // There are comments; they stay where they are, and what closes the object stays behind them.
  const at = start + inner.trimEnd().length;
  return splice(text, at, at, text.slice(at, end).includes('\n') ? shown : `${shown}${layout.eol}${indent}`);
}

/** Puts a property behind the last one of an object, and behind the comments that belong to that. */
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
  const at = behindComments(text, comma ?? endOf(last));
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

/** Takes a property out with its comma, and with its lines when nothing else is on them. */
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
    const behind = commaAfter(text, endOf(previous)) ?? endOf(previous) + 1;
    removed = splice(removed, behind - 1, behind, '');
  }
  const open = node.offset + 1;
  const inner = removed.slice(open, endOf(node) - 1 - (text.length - removed.length));
  return siblings.length === 1 && inner.trim() === '' ? splice(removed, open, open + inner.length, '') : removed;
}

/** JSON, with the comments and trailing commas that hosts allow. */
export const jsonFormat: ConfigFormat = {
  name: 'JSON',
  parse: (text) => {
    const root = parseRoot(text);
    const value: unknown = root === undefined ? {} : getNodeValue(root);
    return isObject(value) ? value : {};
  },
  change: (text, change) => (change.value === undefined ? removeValue(text, change.path) : setValue(text, change)),
};
