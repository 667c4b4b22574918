import type { Fields } from '@cairn/tool';
import type { z } from 'zod';
import type { ToolName } from '../tools/specs.ts';

/** A tool as the models of a host know it. */
export interface ProfileTool {
  readonly tool: ToolName;
  /** The parameters it shares with our tool, by their names there; the rest of ours is left out. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Parameters of ours that messages name and that it takes by our name, though its models are not shown them. */
  readonly accepts?: readonly string[];
  /** How messages call other parameters of ours there, alone (`mode`) or with a value (`ignored=true`). */
  readonly says?: Readonly<Record<string, string>>;
  /** Parameters that are not just others of ours by another name. They are passed on to `adapt` only. */
  readonly shape?: z.ZodRawShape;
  /** Our parameters, out of the renamed ones and all that were given. Default: the renamed ones. */
  readonly adapt?: (renamed: Fields, given: Fields) => Fields;
  /** The parameter that asks for a dry run. */
  readonly dryRun?: string;
  /** In place of our description. */
  readonly description?: string;
}

/** The tools of a host, by name. What a host does not have keeps its own name. */
export type Profile = Readonly<Record<string, ProfileTool>>;
