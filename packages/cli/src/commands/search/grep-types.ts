import { listDocument, writeAnswer } from '../../terminal/answer.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { Session } from '../../terminal/session.ts';
import type { GrepFlags } from './grep-options.ts';

/** Prints the types that -t and -T know, with the globs of their files, as `rg --type-list` does. */
export async function runTypeList(flags: GrepFlags, session: Session): Promise<number> {
  const { fileTypes } = await import('@cairn/natives');
  const types = fileTypes();
  await writeAnswer(session, flags, {
    lines: types.map(({ name, globs }) => `${name}: ${globs.join(', ')}`),
    document: listDocument(types),
    notices: () => [],
  });
  return ExitCode.Hit;
}
