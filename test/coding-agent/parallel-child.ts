/**
 * Edits its own lines of a file: `node parallel-child.ts <root> <state directory or nothing> <worker> <edits> <strict | off> <path>`.
 */
import { createCodingTools } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';

const [root = '', state = '', worker = '', edits = '', guard, path = ''] = process.argv.slice(2);
const staleGuard = guard === 'strict' ? 'strict' : 'off';
const tools = createCodingTools({ root, stateDirectory: state === '' ? undefined : state, policy: { staleGuard } });
for (let index = 0; index < Number(edits); index++) {
  const edit = {
    old_text: `worker ${worker} edit ${index} to do\n`,
    new_text: `worker ${worker} edit ${index} done\n`,
  };
  for (;;) {
    const answer = await tools.edit.execute({ path, edits: [edit] });
    if (!answer.isError) break;
    // Another program came between; the rejection shows the file as it is, and the edit still fits.
    if (answer.details.reason !== 'STALE') throw new Error(textOf(answer));
  }
}
