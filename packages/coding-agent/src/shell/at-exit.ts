import process from 'node:process';

const tasks = new Set<() => void>();

function runAll(): void {
  for (const task of tasks) task();
}

/** Runs a task when this process ends by itself. Returns a function that takes it back. */
export function atExit(task: () => void): () => void {
  if (tasks.size === 0) process.on('exit', runAll);
  tasks.add(task);
  return () => {
    tasks.delete(task);
    if (tasks.size === 0) process.off('exit', runAll);
  };
}
