/** A variable of a configuration file of git. Names of sections and variables are in lower case. */
export interface GitVariable {
  readonly section: string;
  /** The part in quotes, such as `origin` of `[remote "origin"]`. */
  readonly subsection: string;
  readonly name: string;
  readonly value: string;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

/** Returns a value without quotes, escapes, comment and the whitespace around it. */
function valueOf(text: string): string {
  let value = '';
  let kept = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"') isQuoted = !isQuoted;
    else if (character === '\\') {
      index += 1;
      const escaped = text.charAt(index);
      value += ESCAPES[escaped] ?? escaped;
    } else if (!isQuoted && (character === '#' || character === ';')) break;
    else if (isQuoted || value !== '' || !/\s/u.test(character)) value += character;
    if (isQuoted || character === '"' || !/\s/u.test(character)) kept = value.length;
  }
  return value.slice(0, kept);
}

/** Parses a configuration file of git. It does not follow `include`, and passes over lines that git rejects. */
export function parseGitConfig(text: string): GitVariable[] {
  const variables: GitVariable[] = [];
  let [section, subsection] = ['', ''];
  for (const line of text.replaceAll(/\\\r?\n/gu, '').split(/\r?\n/u)) {
    const heading = /^\s*\[([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/u.exec(line);
    if (heading !== null) {
      const [, name = '', quoted] = heading;
      section = name.toLowerCase();
      subsection = quoted?.replaceAll(/\\(.)/gu, '$1') ?? '';
    }
    const [, name, , value = ''] = /^\s*([a-z][\w-]*)\s*(=(.*))?$/iu.exec(heading?.[3] ?? line) ?? [];
    if (name !== undefined) variables.push({ section, subsection, name: name.toLowerCase(), value: valueOf(value) });
  }
  return variables;
}
