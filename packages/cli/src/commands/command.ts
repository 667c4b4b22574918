import type { Command } from 'commander';
import type { Session } from '../terminal/session.ts';

/** Adds arguments, options and the action to a command. The action calls `done` with the exit status of a finished run. */
export type CommandFactory = (command: Command, session: Session, done: (exitCode: number) => void) => void;
