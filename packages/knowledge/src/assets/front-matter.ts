import { escapeControls } from '@cairn/tool/paths';
import { isAlias, isCollection, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Document, Node, YAMLMap } from 'yaml';
import { KnowledgeError, type ErrorPlace } from '../errors.ts';

/** A Markdown file in its parts. `text` is `start + yaml + end + body`. */
export interface FrontMatter {
  readonly start: string;
  readonly yaml: string;
  readonly end: string;
  readonly body: string;
}

const START = /^\uFEFF?---[ \t]*\r?\n/u;
const END = /^---[ \t]*(?:\r?\n|$)(?:[ \t]*\r?\n)*/mu;
/** It is read on every change of an asset. */
const MAX_CHARACTERS = 32_768;

export function invalidAsset(
  [problem, hint]: readonly [problem: string, hint: string],
  { path, line }: ErrorPlace & { readonly line?: number | undefined },
): KnowledgeError {
  const place = [path === undefined ? '' : ` ${path}`, line === undefined ? '' : `, line ${line}`].join('');
  return new KnowledgeError('INVALID_ASSET', [`Invalid asset${place}: ${problem}`, hint], { path, line });
}

export function hasFrontMatter(text: string): boolean {
  return START.test(text);
}

/** @throws {KnowledgeError} `INVALID_ASSET`. */
export function splitFrontMatter(text: string, { path }: ErrorPlace): FrontMatter {
  const fail = (problem: string, hint: string): never => {
    throw invalidAsset([problem, hint], { path, line: 1 });
  };
  const start = START.exec(text)?.[0];
  if (start === undefined) {
    const hint = 'Begin with a line ---, fields such as "name: redis-failover", and a line ---.';
    return fail('it has no front matter', hint);
  }
  const rest = text.slice(start.length);
  const end = END.exec(rest);
  if (end === null) return fail('the front matter does not end', 'Put a line --- after its last field.');
  const yaml = rest.slice(0, end.index);
  if (yaml.length > MAX_CHARACTERS) {
    const problem = `the front matter has ${yaml.length} characters, more than ${MAX_CHARACTERS}`;
    return fail(problem, 'Move text into the body.');
  }
  return { start, yaml, end: end[0], body: rest.slice(end.index + end[0].length) };
}

/** Returns the value of a node. Numbers stay as they are written: `1.10` is not `1.1`. */
function plainOf(node: Node | null, document: Document.Parsed): unknown {
  if (isScalar(node))
    return node.value === null || typeof node.value === 'string' ? node.value : (node.source ?? node.value);
  // Aliases are resolved at once, so that the parser limits what they expand to.
  if (isSeq(node) && !node.items.some((item) => isAlias(item) || isCollection(item))) {
    return node.items.map((item) => (isScalar(item) ? plainOf(item, document) : item));
  }
  return node?.toJS(document);
}

export interface ParsedYaml {
  readonly document: Document.Parsed;
  /** Undefined values are absent. */
  readonly values: ReadonlyMap<string, unknown>;
  readonly lineOf: (field: string) => number | undefined;
}

/** @throws {KnowledgeError} `INVALID_ASSET` with the line. */
export function parseYaml(yaml: string, { path }: ErrorPlace): ParsedYaml {
  const hint = 'Correct the YAML; put a value that has ": " or starts with a special character in quotes.';
  const fail = (line: number, problem: string, todo = hint): never => {
    throw invalidAsset([problem, todo], { path, line });
  };
  const counter = new LineCounter();
  // The first line of the file is ---.
  const lineAt = (offset: number): number => counter.linePos(offset).line + 1;
  let document: Document.Parsed;
  try {
    document = parseDocument(yaml, { lineCounter: counter, logLevel: 'error', prettyErrors: false, stringKeys: true });
  } catch (error) {
    // Nesting without an end exhausts the stack.
    const cause = error instanceof Error ? error.message : String(error);
    return fail(1, `the YAML is not readable: ${escapeControls(cause)}`);
  }
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) fail(lineAt(problem.pos[0]), `invalid YAML: ${escapeControls(problem.message)}`);
  const { contents } = document;
  const lines = new Map<string, number>();
  const values = new Map<string, unknown>();
  const parsed = { document, values, lineOf: (field: string) => lines.get(field) };
  if (contents === null || (isScalar(contents) && contents.value === null)) return parsed;
  if (!isMap(contents)) {
    return fail(2, 'the front matter is not a list of fields', 'Write lines such as "name: redis-failover".');
  }
  for (const { key, value } of (contents as YAMLMap.Parsed).items) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    const line = lineAt(key.range?.[0] ?? 0);
    lines.set(name, line);
    try {
      const plain = plainOf(value, document);
      if (plain !== null && plain !== undefined) values.set(name, plain);
    } catch {
      // Aliases that are unknown, or that would expand to a huge value.
      fail(line, `invalid YAML alias in ${name}`, 'Write the value out.');
    }
  }
  return parsed;
}
