import { glossaryProblem } from '../terminal/glossary.ts';
import { countOf } from '../terminal/text.ts';
import { ok, skip, warn, type Check } from './check.ts';

const MAX_SHOWN = 3;

/** Checks the glossary that the user writes, and the one with the team's glossary assets. */
export const checkGlossary: Check = async ({ env, home, platform }) => {
  const { glossaryPaths, readGlossaryFile } = await import('@cairn/memory/terms');
  const paths = glossaryPaths({ env, home, platform });
  const files = await Promise.all([paths.user, paths.team].map((path) => readGlossaryFile(path)));
  const problems = files.flatMap((file) => file.problems);
  const [first] = problems;
  if (first !== undefined) {
    const own = problems.filter(({ path }) => path === first.path);
    const shown = own.slice(0, MAX_SHOWN).map(glossaryProblem).join('; ');
    const more = own.length > MAX_SHOWN ? `; ${own.length - MAX_SHOWN} more` : '';
    const fix =
      first.path === paths.user ? 'correct these lines' : 'correct the asset that the comment above the line names';
    return warn(`not all of ${first.path} is used: ${shown}${more}`, fix);
  }
  const groups = files.map((file) => file.groups.length);
  if (groups.every((count) => count === 0)) return skip(`none of your own; write ${paths.user} to relate words`);
  return ok(`${countOf(groups[0] ?? 0, 'group')} of words in ${paths.user}, ${groups[1]} of the team`);
};
