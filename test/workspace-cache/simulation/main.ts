/** `npm run simulate` starts this: prints the tables of the simulated run. */
import process from 'node:process';
import { compareAll, reportOf } from './table.ts';

process.stdout.write(reportOf(await compareAll()));
