import type { NamingProfile } from '@cairn/coding-agent';
import { oneOf, type OptionRow } from '../../terminal/options.ts';

/** Every profile. The compiler rejects a list that misses one; importing the tools for their names would cost each start. */
const profiles: Readonly<Record<NamingProfile, true>> = {
  default: true,
  claude: true,
  pi: true,
  gemini: true,
  codex: true,
  'mcp-fs': true,
};

const names = Object.keys(profiles) as NamingProfile[];

export const namingOption: OptionRow = [
  '--naming <profile>',
  `names and parameters of the tools: ${names.join(', ')}`,
  oneOf(names),
  { default: 'default' },
];
