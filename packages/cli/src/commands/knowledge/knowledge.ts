import { defineGroup, type CommandFactory } from '../command.ts';

const examples = `
Examples:
  $ cairn knowledge add redis-failover.md --type pitfall        a Markdown file as an asset
  $ echo 'Wait 30 s.' | cairn knowledge add --name redis-failover --type pitfall --title 'Redis failover'
  $ cairn knowledge list --type pitfall                         assets of a type
  $ cairn knowledge search '故障转移'                            by words of name, title, tags and text
  $ cairn knowledge show redis-failover                         one asset whole
  $ cairn knowledge edit redis-failover                         in your editor
  $ cairn knowledge verify redis-failover                       you checked it: it still holds
  $ cairn knowledge import docs                                 AGENTS.md, CLAUDE.md, .cursor/rules, Markdown files
  $ cairn knowledge team init git@example.com:team/knowledge.git   share assets in git
  $ cairn hook install claude                                   show the index to Claude Code

An asset is a Markdown file with front matter. Its types are note (in files: discovery), pitfall, reference,
pattern, best-practice, glossary, adr and skill. An asset is named area/name; the name alone is enough when one area has it.

Exit status: 0 if something was found or done, 1 if not, 2 on an error.`;

export const knowledgeGroup: CommandFactory = defineGroup({
  description: 'Keep what a team knows: assets, the index that agents see, and the team store in git.',
  summary: 'keep what a team knows, and show it to agents',
  examples,
});
