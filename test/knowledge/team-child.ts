/** A process that synchronizes the knowledge of a directory, so that a test can end it. */
import { createKnowledge } from '@cairn/knowledge';
import process from 'node:process';

const [directory = '', mode = 'sync'] = process.argv.slice(2);
const knowledge = createKnowledge({ directory });
try {
  const report = await (mode === 'pull' ? knowledge.team.pull() : knowledge.team.sync());
  process.stdout.write(JSON.stringify(report));
} finally {
  await knowledge.close();
}
