/** `node million-part.ts <root> <part> <parts>`: makes the files of every directory whose index belongs to the part. */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { FILES_PER_LINE, planDirectories, planFiles } from './million-plan.ts';

const [root = '', part = '', parts = ''] = process.argv.slice(2);

planDirectories().forEach(({ path, files }, index) => {
  if (index % Number(parts) !== Number(part)) return;
  planFiles(index, files).forEach((name, place) => {
    const file = join(root, path, name);
    if (place % FILES_PER_LINE === 0) writeFileSync(file, `// ${name}\n`);
    else closeSync(openSync(file, 'w'));
  });
});
