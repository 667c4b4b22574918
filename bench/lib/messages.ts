/** Requests to a forked process and its answers, one at a time. */
import type { ChildProcess } from 'node:child_process';

/** An error of the process, instead of an answer. */
interface Failure {
  readonly failed: string;
}

/** The caller names the type of the answer. Rejects with the error of the process, or when the process ends. */
export function askChild<Answer extends object>(child: ChildProcess, request: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const release = (): void => {
      child.off('message', onMessage);
      child.off('exit', onExit);
    };
    const onMessage = (message: unknown): void => {
      release();
      const answer = message as Answer | Failure;
      if ('failed' in answer) reject(new Error(answer.failed));
      else resolve(answer);
    };
    const onExit = (code: number | null, signal: NodeJS.Signals | null): void => {
      release();
      reject(new Error(`the process ended with ${signal ?? `exit code ${code}`}`));
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.send(request);
  });
}

/** Answers the requests of the parent until it disconnects. */
export function answerRequests<Request>(answer: (request: Request) => Promise<object>): void {
  process.on('message', (request: Request) => {
    answer(request)
      .catch((error: unknown): Failure => ({ failed: error instanceof Error ? `${error.stack}` : String(error) }))
      .then((response) => process.send?.(response))
      .catch(() => process.disconnect());
  });
}
