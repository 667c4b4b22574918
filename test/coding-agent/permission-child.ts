/** Makes calls as another user: `node permission-child.ts <root> <state directory> <calls as JSON>`. Prints the answers. */
import { writeSync } from 'node:fs';
import { createCodingTools } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import type { CodingTools } from '@cairn/coding-agent';
import type { ToolDefinition } from '@cairn/tool';

const [root = '', stateDirectory = '', calls = ''] = process.argv.slice(2);
const tools = createCodingTools({ root, stateDirectory, policy: { staleGuard: 'off' } });
const answers: { reason: string | undefined; text: string }[] = [];
for (const { tool, input } of JSON.parse(calls) as { tool: keyof CodingTools; input: unknown }[]) {
  const chosen: ToolDefinition = tools[tool];
  const answer = await chosen.execute(input);
  answers.push({ reason: answer.isError ? answer.details.reason : undefined, text: textOf(answer) });
}
writeSync(1, JSON.stringify(answers));
