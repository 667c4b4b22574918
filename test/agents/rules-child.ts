/** Keeps rules, in sequence, and prints the number of each that is kept. */
import { openUserRules } from '@cairn/agents';
import process from 'node:process';

const [root = '', home = '', name = ''] = process.argv.slice(2);
const rules = await openUserRules({ root, home, env: {} });
for (let number = 0; ; number++) {
  await rules.keep([`write(${name}/${number}.txt)`]);
  process.stdout.write(`${number}\n`);
}
