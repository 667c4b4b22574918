import type { Fields } from '@cairn/tool/kernel';
import { ToolError } from '@cairn/tool';
import { z } from 'zod';
import { oneEdit, type Profile } from './profile.ts';

/** Converts a range of lines to a first line and a number of lines. */
function adaptRead({ path, offset }: Fields, { end_line: end }: Fields): Fields {
  if (typeof end !== 'number') return { path, offset };
  const start = typeof offset === 'number' ? offset : 1;
  if (end < start) {
    const summary = `end_line ${end} is before start_line ${start}`;
    throw new ToolError('INVALID_INPUT', [summary, 'Give the first and the last line.']);
  }
  return { path, offset, limit: end - start + 1 };
}

export const gemini: Profile = {
  read_file: {
    tool: 'read',
    parameters: { file_path: 'path', start_line: 'offset' },
    shape: { end_line: z.int().min(1).optional() },
    adapt: adaptRead,
  },
  write_file: { tool: 'write', parameters: { file_path: 'path', content: 'content' } },
  // The instruction is for people who read the call; it does not affect the replacement.
  replace: oneEdit('allow_multiple', { instruction: z.string().optional() }),
  glob: {
    tool: 'glob',
    parameters: { pattern: 'pattern', dir_path: 'path' },
    accepts: ['hidden', 'skip'],
    says: { 'ignored=true': 'respect_git_ignore=false' },
    shape: { respect_git_ignore: z.boolean().optional() },
    adapt: (renamed, given) => ({ ...renamed, ignored: given['respect_git_ignore'] === false }),
  },
  grep_search: {
    tool: 'grep',
    parameters: {
      pattern: 'pattern',
      dir_path: 'path',
      include_pattern: 'glob',
      fixed_strings: 'literal',
      context: 'context',
      no_ignore: 'ignored',
      total_max_matches: 'limit',
    },
    accepts: ['mode', 'skip'],
    shape: { names_only: z.boolean().optional(), case_sensitive: z.boolean().optional() },
    adapt: (renamed, given) => ({
      ...renamed,
      ignore_case: given['case_sensitive'] !== true,
      mode: renamed['mode'] ?? (given['names_only'] === true ? 'files' : 'content'),
    }),
    description: 'Search the contents of files, ignoring case unless case_sensitive.',
  },
  list_directory: { tool: 'ls', parameters: { dir_path: 'path' }, accepts: ['skip'] },
};
