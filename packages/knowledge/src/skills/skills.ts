import type { Language } from '@cairn/tool/kernel';
import { checkArguments } from '../errors.ts';
import { agentRouter } from './agent-router.ts';
import { knowledgeSink } from './knowledge-sink.ts';
import { phaseDetector } from './phase-detector.ts';
import { SKILL_NAMES } from './skill.ts';
import type { SkillName, SkillTextsByLanguage } from './skill.ts';

const texts: Readonly<Record<SkillName, SkillTextsByLanguage>> = {
  'agent-router': agentRouter,
  'phase-detector': phaseDetector,
  'knowledge-sink': knowledgeSink,
};

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
    const { description, body: render } = texts[name][language];
    const body = render(command);
    // A plain scalar of YAML cannot start with an asterisk, so the description is quoted.
    const text = `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}`;
    return { name, description, body, text };
  });
}
