import { escapeControls } from '@cairn/tool/paths';
import { isMap, isScalar, LineCounter, parseDocument, type Document, type ErrorCode } from 'yaml';
import type { Report } from './definition.ts';

/** A field of the front matter, with the line of its name, from 1. */
export interface FrontMatterField {
  readonly name: string;
  readonly line: number;
  readonly value: unknown;
}

export interface FrontMatter {
  readonly fields: readonly FrontMatterField[];
  /** The text after the front matter, without blank lines at its ends. */
  readonly body: string;
}

const FENCE = /^---[ \t]*$/u;
/** A field of one line whose value YAML could read as a mapping, a comment or a list. */
const PLAIN_FIELD = /^([A-Za-z][\w-]*):[ \t]+(?!["'[{|>&*!])(\S.*)$/u;

/** Quotes the values of fields of one line, so that YAML reads them as text. */
function quoteValues(source: string): string {
  return source
    .split('\n')
    .map((line) =>
      line.replace(PLAIN_FIELD, (_, name: string, value: string) => `${name}: ${JSON.stringify(value.trimEnd())}`),
    )
    .join('\n');
}

const advice: Readonly<Partial<Record<ErrorCode, string>>> = {
  BLOCK_AS_IMPLICIT_KEY: 'put a value that contains ": " in quotes',
  TAB_AS_INDENT: 'indent with spaces',
};

interface ParsedYaml {
  readonly document: Document.Parsed;
  readonly problems: readonly { readonly line: number; readonly message: string }[];
  readonly lineOf: (offset: number) => number;
}

function parseYaml(source: string): ParsedYaml {
  const counter = new LineCounter();
  const document = parseDocument(source, {
    lineCounter: counter,
    logLevel: 'error',
    prettyErrors: false,
    stringKeys: true,
  });
  const lastLine = source.split('\n').length;
  // The fence before the front matter is the first line of the file.
  const lineOf = (offset: number): number => Math.min(counter.linePos(offset).line, lastLine) + 1;
  const problems = [...document.errors, ...document.warnings].map(({ message, code, pos: [offset] }) => ({
    line: lineOf(offset),
    message: `invalid YAML: ${escapeControls(message)}; ${advice[code] ?? 'correct the YAML'}`,
  }));
  // The first mistake of a line is the cause of the others.
  const first = problems.filter(({ line }, index) => problems.findIndex((other) => other.line === line) === index);
  return { document, problems: first, lineOf };
}

function fieldsOf({ document, lineOf }: ParsedYaml, report: Report): FrontMatterField[] {
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return [];
  if (!isMap(contents)) {
    const message = 'the front matter is not a list of fields; write `name: value` lines';
    report('error', message, { line: lineOf(contents.range?.[0] ?? 0) });
    return [];
  }
  return contents.items.flatMap(({ key, value }) => {
    if (!isScalar(key)) return [];
    const name = String(key.value);
    const line = lineOf(key.range?.[0] ?? 0);
    try {
      return [{ name, line, value: value === null ? null : (value.toJS(document) as unknown) }];
    } catch {
      // The only errors here are those of aliases: unknown ones, and those that would expand to a huge value.
      report('error', 'invalid YAML alias; write the value out', { line, field: name });
      return [];
    }
  });
}

/** Returns whether a file begins with the line that begins front matter. */
export function hasFrontMatter(text: string): boolean {
  return FENCE.test(text.split('\n', 1)[0] ?? '');
}

/**
 * Splits a file into its front matter and its body. The front matter is between the first line, `---`, and the next line `---`.
 *
 * @param isLenient reads a value of one line as text where it is not valid YAML, with a warning.
 */
export function parseFrontMatter(text: string, isLenient: boolean, report: Report): FrontMatter {
  const lines = text.split('\n');
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (end === -1 || !hasFrontMatter(text)) {
    const message = hasFrontMatter(text)
      ? 'the front matter does not end; put a line `---` after its last field'
      : 'no front matter; begin the file with a line `---`, fields such as `name: reviewer`, and a line `---`';
    report('error', message, { line: 1 });
    return { fields: [], body: '' };
  }
  const source = lines.slice(1, end).join('\n');
  const rest = lines.slice(end + 1).join('\n');
  const parsed = parseYaml(source);
  const again = isLenient && parsed.problems.length > 0 ? parseYaml(quoteValues(source)) : parsed;
  const isReadable = again.problems.length === 0;
  for (const { line, message } of parsed.problems) report(isReadable ? 'warning' : 'error', message, { line });
  const fields = fieldsOf(isReadable ? again : parsed, report);
  return { fields, body: rest.replace(/^(?:[ \t]*\n)+/u, '').trimEnd() };
}
