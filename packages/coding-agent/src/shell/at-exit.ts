import process from 'node:process';

type Task = () => void;

interface Tasks {
  readonly kill: Set<Task>;
  readonly remove: Set<Task>;
}

const tasks: Tasks = { kill: new Set(), remove: new Set() };

/** Runs all tasks. Processes end before what they write to is removed, and a task that throws stops no other one. */
export function runTasks({ kill, remove }: Tasks): void {
  for (const task of [...kill, ...remove]) {
    try {
      task();
    } catch {
      // The process ends, so nothing is left to do but the other tasks.
    }
  }
}

const count = (): number => tasks.kill.size + tasks.remove.size;

const runAll = (): void => runTasks(tasks);

/** Runs a task when this process ends by itself: see {@link runTasks}. Returns a function that takes it back. */
export function atExit(kind: keyof Tasks, task: Task): () => void {
  if (count() === 0) process.on('exit', runAll);
  tasks[kind].add(task);
  return () => {
    tasks[kind].delete(task);
    if (count() === 0) process.off('exit', runAll);
  };
}
