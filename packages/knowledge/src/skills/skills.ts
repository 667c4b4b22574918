import type { Language } from '@cairn/tool/kernel';
import { checkArguments } from '../errors.ts';
import { SKILL_NAMES, skillTexts, type SkillName } from './skill-texts.ts';

/** A skill as hosts keep it: the directory `name` with the file `SKILL.md`. */
export interface Skill {
  readonly name: SkillName;
  readonly description: string;
  /** The Markdown below the front matter. */
  readonly body: string;
  /** The whole `SKILL.md`, with its front matter. */
  readonly text: string;
}

export interface SkillOptions {
  /** @default 'en' */
  readonly language?: Language | undefined;
  /** The command line that starts Cairn. @default 'cairn' */
  readonly command?: string | undefined;
}

/** Returns the skills, the router first. Equal options give equal bytes. */
export function skills(options: SkillOptions = {}): readonly Skill[] {
  checkArguments.options('skills', options, { language: 'optional', command: 'optional' });
  const { language = 'en', command = 'cairn' } = options;
  return SKILL_NAMES.map((name) => {
    const { description, body: render } = skillTexts[name][language];
    const body = render(command);
    // A plain scalar of YAML cannot start with an asterisk, so the description is quoted.
    const text = `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}`;
    return { name, description, body, text };
  });
}
