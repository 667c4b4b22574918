import { z } from 'zod';
import type { Profile } from './profile.ts';

/** Edits as pi and the file system server of MCP have them. */
export const camelEdits: z.ZodType<readonly { oldText: string; newText: string }[]> = z
  .array(z.strictObject({ oldText: z.string(), newText: z.string() }))
  .min(1);

export const pi: Profile = {
  read: { tool: 'read', parameters: { path: 'path', offset: 'offset', limit: 'limit' } },
  write: { tool: 'write', parameters: { path: 'path', content: 'content' } },
  edit: {
    tool: 'edit',
    parameters: { path: 'path' },
    says: { old_text: 'oldText' },
    shape: { edits: camelEdits },
    adapt: ({ path }, { edits }) => ({ path, edits }),
    description: 'Replace text in a file. Each oldText must occur once. All edits match the original file.',
  },
  grep: {
    tool: 'grep',
    parameters: {
      pattern: 'pattern',
      path: 'path',
      glob: 'glob',
      ignoreCase: 'ignore_case',
      literal: 'literal',
      context: 'context',
      limit: 'limit',
    },
    accepts: ['ignored', 'mode', 'skip'],
  },
  find: {
    tool: 'glob',
    parameters: { pattern: 'pattern', path: 'path', limit: 'limit' },
    accepts: ['hidden', 'ignored', 'skip'],
  },
  ls: { tool: 'ls', parameters: { path: 'path', limit: 'limit' }, accepts: ['skip'] },
};
