import type { CallTable, OptionNames } from '@cairn/tool/errors';
import type { Embed } from '@cairn/retrieval';
import type { Language } from '@cairn/tool/kernel';
import { callOptions } from '../records/backend.ts';
import { archiveFact, findFact, forgetFact, restoreFact, supersedeFact, updateFact } from './change-facts.ts';
import { applyMarkdown, factsToMarkdown } from './edit-facts.ts';
import { factOf } from './fact.ts';
import { factTables, type FactDependencies } from './fact-table.ts';
import type { Facts, FactSelection, ProjectOptions } from './facts-api.ts';
import { moveFacts } from './move-facts.ts';
import { recallFacts } from './recall-facts.ts';
import { rememberFact } from './remember.ts';
import { listFacts } from './selection.ts';
import { createStartBlocks } from './start-block.ts';
import { historyOf } from './versions.ts';

const inProject: OptionNames<ProjectOptions> = { ...callOptions, project: 'optional' };

const inStreams = { ...inProject, scope: 'optional', stream: 'optional', allStreams: 'optional' } as const;

const selection: OptionNames<FactSelection> = { ...inStreams, tags: 'optional', since: 'optional', until: 'optional' };

const page = { limit: 'optional', offset: 'optional' } as const;

const written = { tags: 'optional', pinned: 'optional', allowSecret: 'optional' } as const;

export const factCalls: CallTable<Facts> = {
  remember: [
    'any',
    { ...inProject, ...written, scope: 'optional', stream: 'optional', shared: 'optional', source: 'optional' },
  ],
  get: ['any', inProject],
  history: ['any', inProject],
  update: ['any', { ...inProject, ...written, text: 'optional', shared: 'optional' }],
  supersede: ['any', 'any', { ...inProject, ...written, source: 'optional' }],
  archive: ['any', inProject],
  restore: ['any', { ...inProject, revision: 'optional' }],
  forget: ['any', inProject],
  list: [{ ...selection, ...page, archived: 'optional' }],
  recall: [{ ...selection, ...page, query: 'required', onNotice: 'optional' }],
  startBlock: [{ ...selection, language: 'optional', maxCharacters: 'optional' }],
  toMarkdown: [selection],
  applyMarkdown: ['any', { ...inStreams, original: 'required', allowSecret: 'optional' }],
  moveProject: ['any', 'any', callOptions],
  projects: [callOptions],
};

export function createFacts({
  embed,
  language,
  ...dependencies
}: FactDependencies & { readonly embed: Embed | undefined; readonly language: Language }): Facts {
  return {
    remember: (text, options = {}) => rememberFact(dependencies, text, options),
    get: async (id, options = {}) => {
      const { stored, table } = await findFact(dependencies, id, options);
      return factOf(stored, table);
    },
    history: async (id, options = {}) => historyOf((await findFact(dependencies, id, options)).stored),
    update: (id, changes = {}) => updateFact(dependencies, id, changes),
    supersede: (id, text, options = {}) => supersedeFact(dependencies, id, text, options),
    archive: (id, options = {}) => archiveFact(dependencies, id, options),
    restore: (id, options = {}) => restoreFact(dependencies, id, options),
    forget: (id, options = {}) => forgetFact(dependencies, id, options),
    list: (options = {}) => listFacts(dependencies, options),
    recall: (options) => recallFacts(dependencies, { ...options, embed }),
    startBlock: createStartBlocks({ ...dependencies, language }),
    toMarkdown: (selection = {}) => factsToMarkdown(dependencies, selection),
    applyMarkdown: (edited, options) => applyMarkdown(dependencies, edited, options),
    moveProject: (from, to, options = {}) => moveFacts(dependencies, { ...options, from, to }),
    projects: async (options = {}) => {
      const tables = await factTables(dependencies.backend, { ...options, reader: dependencies.reader });
      return tables.flatMap(({ project, rows }) => (project === undefined ? [] : [{ project, facts: rows }]));
    },
  };
}
