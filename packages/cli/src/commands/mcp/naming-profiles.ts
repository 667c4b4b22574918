import type { NamingProfile } from '@cairn/coding-agent';

/** Every profile. The compiler rejects a list that misses one; importing the tools for their names would cost each start. */
const profiles: Readonly<Record<NamingProfile, true>> = {
  default: true,
  claude: true,
  pi: true,
  gemini: true,
  codex: true,
  'mcp-fs': true,
};

export const namingProfiles: readonly NamingProfile[] = Object.keys(profiles) as NamingProfile[];
