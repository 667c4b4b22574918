import type { WorkspaceChoice } from '../workspace.ts';
import type { Names } from '../tools/spec.ts';
import type { Profile } from './profile.ts';
import * as registry from './registry.ts';

/** Which names and parameters the tools of a set have: their own (`default`), or a host's. */
export type NamingProfile = 'default' | keyof typeof registry;

/** The tools of each host, by profile. `default` renames nothing. */
export const profiles: Readonly<Record<NamingProfile, Profile>> = { default: {}, ...registry };

/** The names of all profiles, `default` first. */
export const namingProfiles: readonly NamingProfile[] = Object.keys(profiles) as NamingProfile[];

/** Where the tools work, and their names. */
export type CodingToolsOptions = WorkspaceChoice & {
  /**
   * The names and parameters of the tools: their own, or those that the models of a host know.
   * @default 'default'
   */
  readonly naming?: NamingProfile | undefined;
  /**
   * How messages name tools and parameters, for a program that shows them to people who type something else. With the default
   * `naming` only.
   */
  readonly names?: Names | undefined;
};
