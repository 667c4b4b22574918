/** Edits its own lines of one file: `node parallel-child.ts <root> <state directory> <worker> <edits> <strict | off>`. */
import { createCodingTools } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';

const [root = '', stateDirectory = '', worker = '', edits = '', guard] = process.argv.slice(2);
const staleGuard = guard === 'strict' ? 'strict' : 'off';
const tools = createCodingTools({ root, stateDirectory, policy: { staleGuard } });
for (let index = 0; index < Number(edits); index++) {
  const edit = {
    old_text: `worker ${worker} edit ${index} to do\n`,
    new_text: `worker ${worker} edit ${index} done\n`,
  };
  for (;;) {
    const answer = await tools.edit.execute({ path: 'shared.txt', edits: [edit] });
    if (!answer.isError) break;
    // Somebody else came between; the refusal shows the file as it is, and the edit still fits.
    if (answer.details.reason !== 'STALE') throw new Error(textOf(answer));
  }
}
