import type { Fields } from '@cairn/tool/kernel';
import { z } from 'zod';
import { oneEdit, type Profile } from './profile.ts';

function adaptGrep(renamed: Fields, given: Fields): Fields {
  const { limit, multiline, pattern, ...rest } = renamed;
  const { output_mode: mode } = given;
  const contexts = ['-A', '-B', '-C', 'context'].map((name) => given[name]).filter((one) => typeof one === 'number');
  return {
    ...rest,
    // In Claude Code's multiline mode a dot also matches line endings.
    pattern: multiline === true ? `(?s)${String(pattern)}` : pattern,
    multiline,
    mode: mode === undefined || mode === 'files_with_matches' ? 'files' : mode,
    context: contexts.length === 0 ? undefined : Math.max(...contexts),
    // 0 means no limit there; here the default limit applies.
    ...(limit !== 0 && { limit }),
  };
}

const lines = z.int().min(0).optional();

export const claude: Profile = {
  Read: { tool: 'read', parameters: { file_path: 'path', offset: 'offset', limit: 'limit' } },
  Write: { tool: 'write', parameters: { file_path: 'path', content: 'content' } },
  Edit: oneEdit('replace_all'),
  MultiEdit: {
    tool: 'edit',
    parameters: { file_path: 'path' },
    says: { old_text: 'old_string', replace_all: 'replace_all' },
    shape: {
      edits: z
        .array(z.strictObject({ old_string: z.string(), new_string: z.string(), replace_all: z.boolean().optional() }))
        .min(1),
    },
    adapt: ({ path }, { edits }) => ({ path, edits }),
    description: 'Make several replacements in a file. All match the original file.',
  },
  Glob: {
    tool: 'glob',
    parameters: { pattern: 'pattern', path: 'path' },
    accepts: ['hidden', 'ignored', 'skip'],
  },
  Grep: {
    tool: 'grep',
    parameters: {
      pattern: 'pattern',
      path: 'path',
      glob: 'glob',
      type: 'type',
      '-i': 'ignore_case',
      multiline: 'multiline',
      offset: 'skip',
    },
    accepts: ['ignored'],
    says: { mode: 'output_mode' },
    shape: {
      output_mode: z.enum(['content', 'files_with_matches', 'count']).optional(),
      '-A': lines,
      '-B': lines,
      '-C': lines,
      context: lines,
      '-n': z.boolean().optional(),
      head_limit: z.int().min(0).optional(),
    },
    adapt: (renamed, given) => adaptGrep({ ...renamed, limit: given['head_limit'] }, given),
    description: 'Search the contents of files. Lists files; output_mode content shows lines, count counts them.',
  },
  LS: { tool: 'ls', parameters: { path: 'path' }, accepts: ['skip'] },
};
