/** `npm run simulate [-- --write]` starts this: prints the tables of the simulated run, or puts them into the README. */
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { readme, withTables } from './readme.ts';
import { compareAll, reportOf } from './table.ts';

const tables = reportOf(await compareAll());
if (process.argv.includes('--write')) writeFileSync(readme.path, withTables(readme.text, tables));
else process.stdout.write(tables);
