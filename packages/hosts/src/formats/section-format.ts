import { HostError, positionOf } from '../errors.ts';
import { lineEndOf, type ConfigFormat } from './config-format.ts';

/** A section between two marks, which are comments of Markdown on lines of their own. */
interface Section {
  readonly name: string;
  /** The start of the line of the first mark. */
  readonly start: number;
  readonly bodyStart: number;
  /** The start of the line of the second mark. */
  readonly bodyEnd: number;
  readonly end: number;
}

const marks = /^<!-- (cairn-[a-z-]+):(start|end) -->[\t ]*(?:\r?\n|$)/gmu;

function mark(name: string, side: 'start' | 'end'): string {
  return `<!-- ${name}:${side} -->`;
}

function invalid(text: string, offset: number, problem: string): HostError {
  const position = positionOf(text, offset);
  const message = `${problem}, at line ${position.line}; correct the marks first`;
  return new HostError('CONFIG_SYNTAX', message, { position });
}

/** @throws {HostError} `CONFIG_SYNTAX` when marks do not form pairs, or two sections have the same name. */
function sectionsOf(text: string): Section[] {
  const sections: Section[] = [];
  let open: { readonly name: string; readonly start: number; readonly bodyStart: number } | undefined;
  for (const { 0: line, 1: name = '', 2: side, index } of text.matchAll(marks)) {
    const end = index + line.length;
    if (side === 'start') {
      if (open) throw invalid(text, open.start, `${mark(open.name, 'start')} has no end mark`);
      if (sections.some((one) => one.name === name))
        throw invalid(text, index, `${mark(name, 'start')} is there twice`);
      open = { name, start: index, bodyStart: end };
    } else {
      if (open?.name !== name) throw invalid(text, index, `${mark(name, 'end')} has no start mark`);
      sections.push({ ...open, bodyEnd: index, end });
      open = undefined;
    }
  }
  if (open) throw invalid(text, open.start, `${mark(open.name, 'start')} has no end mark`);
  return sections;
}

function setSection(text: string, name: string, body: string): string {
  const eol = lineEndOf(text);
  const lines = body === '' ? '' : `${body.replaceAll('\n', eol)}${eol}`;
  const section = sectionsOf(text).find((one) => one.name === name);
  if (section) return text.slice(0, section.bodyStart) + lines + text.slice(section.bodyEnd);
  const isSetOff = text === '' || /(?:^|\n)[\t ]*\r?\n$/u.test(text);
  const gap = isSetOff ? '' : text.endsWith('\n') ? eol : eol + eol;
  return `${text}${gap}${mark(name, 'start')}${eol}${lines}${mark(name, 'end')}${eol}`;
}

function removeSection(text: string, name: string): string {
  const section = sectionsOf(text).find((one) => one.name === name);
  if (!section) return text;
  const before = text.slice(0, section.start);
  const after = text.slice(section.end);
  // The empty line that set the section off goes with it, unless it still divides two paragraphs.
  const divides = after.trim() !== '' && !/^[\t ]*\r?\n/u.test(after);
  return (divides ? before : before.replace(/(?<=\n)[\t ]*\r?\n$/u, '')) + after;
}

/** Markdown with sections between marks. A section is its name and its text, with line feeds; all other text stays. */
export const sectionFormat: ConfigFormat = {
  parse: (text) => {
    const bodyOf = ({ bodyStart, bodyEnd }: Section): string => text.slice(bodyStart, bodyEnd).replaceAll('\r\n', '\n');
    return Object.fromEntries(sectionsOf(text).map((one) => [one.name, bodyOf(one).replace(/\n$/u, '')]));
  },
  change: (text, { path: [name], value }) =>
    typeof value === 'string' ? setSection(text, String(name), value) : removeSection(text, String(name)),
  isBlank: (text) => text.trim() === '',
};
