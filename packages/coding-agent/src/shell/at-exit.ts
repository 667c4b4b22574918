import process from 'node:process';

type Task = () => void;

/** Processes end before what they write to is removed. */
const tasks: Readonly<Record<'kill' | 'remove', Set<Task>>> = { kill: new Set<Task>(), remove: new Set<Task>() };

const count = (): number => tasks.kill.size + tasks.remove.size;

function runAll(): void {
  for (const task of [...tasks.kill, ...tasks.remove]) {
    try {
      task();
    } catch {
      // The process ends, so nothing is left to do but the other tasks.
    }
  }
}

/** Runs a task when this process ends by itself, each `kill` before each `remove`. Returns a function that takes it back. */
export function atExit(kind: keyof typeof tasks, task: Task): () => void {
  if (count() === 0) process.on('exit', runAll);
  tasks[kind].add(task);
  return () => {
    tasks[kind].delete(task);
    if (count() === 0) process.off('exit', runAll);
  };
}
