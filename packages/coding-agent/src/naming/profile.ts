import type { Fields } from '@cairn/tool/kernel';
import { z } from 'zod';
import type { ToolName } from '../tools/specs.ts';

/** A tool in the form that a host's models know. */
export interface ProfileTool {
  readonly tool: ToolName;
  /** The host's parameters, each with our name for it. Our other parameters are left out. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Our parameters that messages name and the tool accepts, although its models do not see them. */
  readonly accepts?: readonly string[];
  /** The host's names for our other parameters in messages, alone (`mode`) or with a value (`ignored=true`). */
  readonly says?: Readonly<Record<string, string>>;
  /** Parameters that are not one of ours under another name. Only `adapt` receives them. */
  readonly shape?: z.ZodRawShape;
  /** Converts the renamed and the given parameters to ours. Default: the renamed ones. */
  readonly adapt?: (renamed: Fields, given: Fields) => Fields;
  readonly dryRun?: string;
  /** Replaces our description. */
  readonly description?: string;
}

/** The tools of a host, by name. Tools that the host lacks keep their own names. */
export type Profile = Readonly<Record<string, ProfileTool>>;

/** The tool of a host that makes one edit a call; `replaceAll` is its parameter for all places, `more` what else it has. */
export function oneEdit(replaceAll: string, more: z.ZodRawShape = {}): ProfileTool {
  return {
    tool: 'edit',
    parameters: { file_path: 'path' },
    says: { old_text: 'old_string', replace_all: replaceAll },
    shape: { ...more, old_string: z.string(), new_string: z.string(), [replaceAll]: z.boolean().optional() },
    adapt: ({ path }, { old_string: old_text, new_string: new_text, [replaceAll]: replace_all }) => ({
      path,
      edits: [{ old_text, new_text, replace_all }],
    }),
    description: `Replace text in a file. old_string must occur once, unless ${replaceAll}.`,
  };
}

/** The tool of pi, and of the file system server of MCP. */
export const camelEdits: ProfileTool = {
  tool: 'edit',
  parameters: { path: 'path' },
  says: { old_text: 'oldText' },
  shape: { edits: z.array(z.strictObject({ oldText: z.string(), newText: z.string() })).min(1) },
  adapt: ({ path }, { edits }) => ({ path, edits }),
  description: 'Replace text in a file. Each oldText must occur once. All edits match the original file.',
};
