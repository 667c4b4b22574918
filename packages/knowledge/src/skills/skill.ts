import type { Language } from '@cairn/tool/kernel';
import type { Phase } from './detect-phase.ts';

/** The names of the skills, in the order in which an agent needs them. */
export const SKILL_NAMES = ['agent-router', 'phase-detector', 'knowledge-sink'] as const;

export type SkillName = (typeof SKILL_NAMES)[number];

interface SkillTexts {
  /** When to use the skill, on one line: a host shows it to the model at all times. */
  readonly description: string;
  /** The Markdown below the front matter. `command` is the command line that starts Cairn. */
  readonly body: (command: string) => string;
}

export type SkillTextsByLanguage = Readonly<Record<Language, SkillTexts>>;

export type PhaseTexts = Readonly<Record<Phase, readonly [meaning: string, advice: string]>>;
