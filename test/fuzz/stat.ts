import fc from 'fast-check';
import { grepQuery } from './grep-patterns.ts';
import { fuzzFiles, toBytes } from './grep-files.ts';
console.log(fc.sample(grepQuery, { seed: 1, numRuns: 40 }).map((q) => JSON.stringify(q)).join('\n'));
for (const files of fc.sample(fuzzFiles, { seed: 1, numRuns: 12 })) console.log(files.length, files.map((f) => toBytes(f).length).join(), JSON.stringify(files[0]));
