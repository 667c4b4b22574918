/** Markdown taken apart: the heading of a section is a question, and its body the answer. */

export interface Section {
  /** The heading without its markup. */
  readonly heading: string;
  /** The text below it up to the next heading. */
  readonly body: string;
}

export type Language = 'zh' | 'en';

/** A body this short answers nothing. */
const MIN_BODY = 40;

/** The text of a heading as a person would type it: without markup and the number of the section. */
function plain(heading: string): string {
  return heading
    .replaceAll(/<[^>]*>|\{#[^}]*\}/g, ' ')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^\(?\d+(?:\.\d+)*(?:[.):、]\s*|\s+)/, '');
}

/** The sections of a document. A `#` within a fenced block is not a heading, and front matter is not text. */
export function sectionsOf(markdown: string): Section[] {
  const text = markdown.replaceAll('\r\n', '\n').replace(/^---\n[\s\S]*?\n---\n/, '');
  const sections: Section[] = [];
  let heading: string | undefined;
  let body: string[] = [];
  let fence: string | undefined;
  const close = (): void => {
    const joined = body.join('\n').trim();
    if (heading && joined.length >= MIN_BODY) sections.push({ heading, body: joined });
  };
  for (const line of text.split('\n')) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) === true) fence = undefined;
    const found = fence === undefined && mark === undefined ? /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1] : undefined;
    if (found === undefined) {
      body.push(line);
      continue;
    }
    close();
    heading = plain(found);
    body = [];
  }
  close();
  return sections;
}

const han = /\p{Script=Han}/gu;

/** The language that a section is written in, as far as it is one of the two. */
export function languageOf({ heading, body }: Section): Language | undefined {
  const inBody = body.match(han)?.length ?? 0;
  if ((heading.match(han)?.length ?? 0) >= 2 && inBody >= 10) return 'zh';
  return /[A-Za-z]{2}/.test(heading) && !/[^\p{ASCII}\p{P}\p{S}]/u.test(heading) && inBody === 0 ? 'en' : undefined;
}
