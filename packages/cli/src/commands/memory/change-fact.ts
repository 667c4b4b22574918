import type { Fact, Memory } from '@cairn/memory';
import { onFact } from '../../memory/find-by-id.ts';
import { factLines } from '../../memory/lines.ts';
import { withMemory, type ProjectFlags } from '../../memory/store.ts';
import { ExitCode } from '../../terminal/exit.ts';
import type { Session } from '../../terminal/session.ts';

/** A change of one fact. */
interface FactChange {
  readonly id: string;
  readonly run: (memory: Memory) => Promise<Fact>;
  /** Printed when the fact was changed. */
  readonly done: string;
}

/** Changes a fact and prints it. @returns the exit status. */
export function changeFact({ id, run, done }: FactChange, flags: ProjectFlags, session: Session): Promise<number> {
  return withMemory(session, {
    flags,
    ofProject: 'wanted',
    absent: () => ({}),
    run: async (memory, { print, notice }) => {
      const fact = await onFact(memory, { id, signal: session.signal }, () => run(memory));
      notice(done);
      await print(factLines(fact, session), fact);
      return ExitCode.Hit;
    },
  });
}
