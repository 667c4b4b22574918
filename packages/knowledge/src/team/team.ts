import type { CallTable, OptionNames } from '@cairn/tool/errors';
import { checkArguments } from '../errors.ts';
import type { OpenedTeam, Team, TeamCallOptions, TeamOptions } from './team-api.ts';

const callOptions: OptionNames<TeamCallOptions> = { signal: 'optional' };

const teamCalls: CallTable<Team> = {
  init: [{ ...callOptions, remote: 'optional', branch: 'optional', clone: 'optional', cwd: 'optional' }],
  hasLocalChanges: [],
  refresh: [callOptions],
  pull: [callOptions],
  sync: [callOptions],
  status: [{ ...callOptions, fetch: 'optional' }],
  conflicts: [callOptions],
  resolve: ['any', 'any', callOptions],
};

/** Creates the team store of a local store. Nothing is read before a call. */
export function createTeam(options: TeamOptions): Team {
  checkArguments.options('createTeam', options, {
    store: 'required',
    directory: 'required',
    env: 'optional',
    clock: 'optional',
    remoteTimeoutMs: 'optional',
    onStep: 'optional',
  });
  // Most commands use no team store, so that its modules are loaded by the first call.
  let opening: Promise<OpenedTeam> | undefined;
  const open = (): Promise<OpenedTeam> =>
    (opening ??= import('./open-team.ts').then(({ openTeam }) => openTeam(options)));
  const api: Team = {
    init: async (call) => (await open()).init(call),
    hasLocalChanges: async () => (await import('./local-changes.ts')).hasLocalChanges(options.directory),
    refresh: async (call) => (await open()).refresh(call),
    pull: async (call) => (await open()).pull(call),
    sync: async (call) => (await open()).sync(call),
    status: async (call) => (await open()).status(call),
    conflicts: async (call) => (await open()).conflicts(call),
    resolve: async (id, resolution, call) => (await open()).resolve(id, resolution, call),
  };
  return checkArguments.calls(api, teamCalls);
}
