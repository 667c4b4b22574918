import { checkAddon, checkWriting } from './addon.ts';
import type { Check } from './check.ts';
import { checkGlossary } from './glossary.ts';
import { checkContentIndex, checkNode, checkOpenFiles, checkSqlite, checkStateDirectory } from './machine.ts';
import { checkEmbeddings } from './embeddings.ts';
import { checkModels } from './model.ts';
import { checkProject } from './project.ts';
import { checkRedis } from './redis.ts';
import { checkKnowledge, checkMemory, checkTeam } from './stores.ts';

/** The registry: a new check is a function and one line here. */
export const checks: Readonly<Record<string, Check>> = {
  node: checkNode,
  addon: checkAddon,
  writing: checkWriting,
  state: checkStateDirectory,
  sqlite: checkSqlite,
  project: checkProject,
  redis: checkRedis,
  memory: checkMemory,
  knowledge: checkKnowledge,
  team: checkTeam,
  model: checkModels,
  glossary: checkGlossary,
  embeddings: checkEmbeddings,
  'open files': checkOpenFiles,
  'content index': checkContentIndex,
};
