import type { CallTable } from '@cairn/tool/errors';
import { callOptions, checkArguments } from '../errors.ts';
import type { TeamOptions, TeamStore } from './team-store.ts';

/** The repository of git in which a team shares its assets. */
export type Team = Pick<TeamStore, keyof TeamStore>;

const teamCalls: Required<CallTable<Team>> = {
  init: [{ ...callOptions, remote: 'optional', branch: 'optional', clone: 'optional', cwd: 'optional' }],
  hasLocalChanges: [],
  refresh: [callOptions],
  pull: [callOptions],
  sync: [callOptions],
  status: [{ ...callOptions, fetch: 'optional' }],
  conflicts: [callOptions],
  resolve: ['any', 'any', callOptions],
};

/** Creates the team store of a local store. Most commands use none: a call loads its modules. Nothing is read before a call. */
export function createTeam(options: TeamOptions): Team {
  const lazy =
    (name: keyof Team) =>
    async (...given: readonly unknown[]): Promise<unknown> => {
      const { TeamStore } = await import('./team-store.ts');
      return Reflect.apply(TeamStore.prototype[name], new TeamStore(options), given);
    };
  const names = Object.keys(teamCalls) as (keyof Team)[];
  const calls: unknown = Object.fromEntries(names.map((name) => [name, lazy(name)]));
  return checkArguments.calls<Team>(calls as Team, teamCalls);
}
