import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const child = fileURLToPath(new URL('without-addon-child.mjs', import.meta.url));
const refuseAddons = 'data:text/javascript,process.dlopen = () => { throw new Error("rejected by the test"); };';

test('works in a process that cannot load a native addon', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', refuseAddons, child]);
  expect(JSON.parse(stdout)).toEqual({
    found: 'the tests need redis-server',
    set: 'function',
    // The same process does reject the addon.
    guard: expect.stringMatching(/rejected by the test|native|addon/u),
  });
});
