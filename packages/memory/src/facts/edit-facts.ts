/** How people edit facts as Markdown. */
import { quoted } from '@cairn/tool/kernel';
import { MemoryError, type MemoryErrorCode } from '../errors.ts';
import { changeFact, checkActive, type Apply } from './change-facts.ts';
import { isActive, type Fact, type FactTable, type StoredFact } from './fact.ts';
import { factTable, type FactDependencies } from './fact-table.ts';
import type { ApplyMarkdownOptions, FactSelection, MarkdownConflict, MarkdownResult } from './facts-api.ts';
import { compareMarkdown, editableOf, formatMarkdown, isSameFact, type Section } from './markdown.ts';
import { rememberFact } from './remember.ts';
import { selectFacts } from './selection.ts';

/** The errors that concern one section: the others are applied. */
const CONFLICTS: ReadonlySet<MemoryErrorCode> = new Set<MemoryErrorCode>([
  'CORRUPT_RECORD',
  'FACT_ARCHIVED',
  'FACT_CHANGED',
  'FACT_EXISTS',
  'TOO_LARGE',
  'UNKNOWN_FACT',
]);

function tableOf({ project: ownProject }: FactDependencies, selection: FactSelection): FactTable {
  const { scope = 'project', project = ownProject } = selection;
  return factTable(scope, project);
}

/** Writes the active facts of one scope as Markdown, newest first. */
export async function factsToMarkdown(dependencies: FactDependencies, selection: FactSelection): Promise<string> {
  const table = tableOf(dependencies, selection);
  const selected = await selectFacts(dependencies, { ...selection, scope: table.scope });
  const facts = selected.flatMap(({ stored }) => (isActive(stored) ? stored : []));
  return formatMarkdown(table, facts);
}

/** @throws {MemoryError} `FACT_CHANGED` when a fact is neither as it was read nor as it is wanted. */
function checkUnchanged(stored: StoredFact, before: Section, table: FactTable): void {
  checkActive(stored);
  if (isSameFact(editableOf(stored, table), before)) return;
  const summary = `The fact ${quoted(stored.id)} was changed after it was read`;
  throw new MemoryError('FACT_CHANGED', [summary, 'It was not overwritten; edit it again.']);
}

/** Makes the changes of edited Markdown. Repeating it after an interruption makes those that are missing. @throws {MemoryError} */
export async function applyMarkdown(
  dependencies: FactDependencies,
  edited: string,
  { original, allowSecret, ...selection }: ApplyMarkdownOptions,
): Promise<MarkdownResult> {
  const table = tableOf(dependencies, selection);
  const { limits } = dependencies;
  const changes = compareMarkdown({ edited, original }, { table, limits, allowSecret });
  const { project } = table;
  const { stream, signal } = selection;
  const place = { table, signal };
  const conflicts: MarkdownConflict[] = [];
  const attempt = async (section: Section, change: () => Promise<Fact>): Promise<Fact[]> => {
    try {
      return [await change()];
    } catch (error) {
      if (!MemoryError.isInstance(error) || !CONFLICTS.has(error.code)) throw error;
      const { id, lineNumber } = section;
      conflicts.push({ lineNumber, code: error.code, message: error.message, ...(id !== undefined && { id }) });
      return [];
    }
  };
  const archived: Fact[] = [];
  const updated: Fact[] = [];
  const added: Fact[] = [];
  const present: Fact[] = [];
  // First, so that another fact may have their text.
  for (const before of changes.removed) {
    const apply: Apply = (stored, nowMs) => {
      if (!isActive(stored)) return {};
      checkUnchanged(stored, before, table);
      return { archivedAt: nowMs };
    };
    const change = { by: 'archive', apply } as const;
    archived.push(...(await attempt(before, () => changeFact(dependencies, before.id ?? '', place, change))));
  }
  for (const { before, after } of changes.updated) {
    const apply: Apply = (stored) => {
      const { text, tags, isPinned: pinned } = after;
      // An interrupted call has made the change.
      if (isActive(stored) && isSameFact(editableOf(stored, table), after)) return {};
      checkUnchanged(stored, before, table);
      // A field without a difference stays as it is stored: a string keeps its line ends.
      return {
        ...(text !== before.text && { text }),
        ...(tags.join() !== before.tags.join() && { tags }),
        ...(pinned !== before.isPinned && { pinned: pinned || undefined }),
      };
    };
    const change = { by: 'update', apply } as const;
    updated.push(...(await attempt(after, () => changeFact(dependencies, after.id ?? '', place, change))));
  }
  for (const section of changes.added) {
    const { text, tags, isPinned: pinned } = section;
    const options = { scope: table.scope, project, stream, tags, pinned, allowSecret, signal };
    const result = await rememberFact(dependencies, text, options);
    (result.isNew ? added : present).push(result.fact);
  }
  return { updated, archived, added, present, unchanged: changes.unchanged, conflicts };
}
