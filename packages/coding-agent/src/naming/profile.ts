import type { Fields } from '@cairn/tool/kernel';
import type { z } from 'zod';
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
