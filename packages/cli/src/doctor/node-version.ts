import semver from 'semver';
import { fail, ok, type Check } from './check.ts';

export const nodeVersionCheck: Check = {
  name: 'node',
  run: async ({ node, engines }) =>
    semver.satisfies(node, engines, { includePrerelease: true })
      ? ok(`${node} (needs ${engines})`)
      : fail(`Node ${node} is not supported; cairn needs ${engines}`, 'install a newer Node from https://nodejs.org'),
};
