/** The session that a run continues without an option: that of its terminal, with real processes in real terminals. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cairn, cairnEntry, cleanEnv } from '../support/cli.ts';
import { startModelServer, systemPromptOf, transcriptOf } from '../support/model-server.ts';
import type { ModelServer } from '../support/model-server.ts';
import { runInTerminal } from '../support/terminal.ts';
import { createTree } from '../support/tree.ts';

interface Place {
  readonly server: ModelServer;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** @param together as many first requests are answered only when all of them have arrived */
async function place(more: Readonly<Record<string, string>> = { CI: '' }, together = 1): Promise<Place> {
  const arrived = Promise.withResolvers<void>();
  const server = await startModelServer(async ({ number }) => {
    if (number >= together) arrived.resolve();
    await arrived.promise;
    return { text: `Answer ${number}.` };
  });
  onTestFinished(() => server.close());
  const helper = '---\nname: helper\ndescription: d\ncontextMode: shared\nshows: []\ntools: []\n---\nYou help.\n';
  const directory = createTree({ project: { '.git/': {}, '.cairn/agents/helper.md': helper }, 'home/': {} });
  const env = { HOME: join(directory, 'home'), CAIRN_BASE_URL: server.url, CAIRN_MODEL: 'scripted', ...more };
  return { server, cwd: join(directory, 'project'), env };
}

/** Defines `run`, which prints the session of a run as a line of its own. */
const functions = `run() { "$NODE" "$CAIRN" agents run --trust @helper --json "$@" < /dev/null > "$OUT.$1" || exit 1
  sed 's/.*"session":"\\([^"]*\\)".*/\\1/' < "$OUT.$1" >> "$OUT"; }
`;

function sessionsIn(output: string): string[] {
  const sessions = output.trim().split('\n');
  for (const session of sessions) expect(session).toMatch(/^session_\d+_[\da-f]{8}$/u);
  return sessions;
}

/** Runs a script in a terminal of its own. Returns the sessions of its runs. */
async function inTerminal({ cwd, env }: Place, script: string): Promise<string[]> {
  const { exitCode, stdout } = await runInTerminal([], { cwd, env, script: functions + script }).end;
  expect(exitCode).toBe(0);
  return sessionsIn(stdout);
}

/** Runs a program in a session of the system without a terminal. Returns its output. */
async function detached({ cwd, env }: Place, command: string, args: readonly string[]): Promise<string> {
  const all = cleanEnv({ NODE: process.execPath, CAIRN: cairnEntry, OUT: join(cwd, 'out'), ...env });
  const child = spawn(command, args, { cwd, env: all, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect([code, errors]).toEqual([0, '']);
  return output;
}

const shown = 'cat "$OUT"; rm "$OUT"\n';

describe.skipIf(process.platform === 'win32')('without an option, runs continue the session', () => {
  test('of their terminal, also from scripts and concurrently; another terminal has another one', async () => {
    const here = await place({ CI: '' }, 2);
    const script = `run One & run Two & wait
      run Three
      sh -c '${functions.replaceAll("'", `'"'"'`)} run Four'
      (run Five)`;
    const sessions = await inTerminal(here, script);
    expect(sessions).toHaveLength(5);
    expect(new Set(sessions).size).toBe(1);
    const [first, second, third, ...others] = here.server.requests;
    // One and Two begin with an empty main, the others read it.
    for (const request of [first, second]) {
      expect(request && systemPromptOf(request)).toBe(
        'You help.\n\n**Context Mode**: You are running in SHARED context mode.',
      );
      expect(request && transcriptOf(request)).toHaveLength(1);
    }
    expect(third && transcriptOf(third)).toHaveLength(5);
    expect(third && transcriptOf(third).at(-1)).toMatch(
      /^user: Three\n\n\*\*Context Mode\*\*: The main conversation now has messages\./u,
    );
    expect(others.map((request) => transcriptOf(request).at(-1))).toEqual(['user: Four', 'user: Five']);
    expect(new Set(here.server.requests.map(systemPromptOf)).size).toBe(1);

    const there = await inTerminal(here, 'run Six');
    expect(there).not.toEqual(sessions.slice(0, 1));
    expect(here.server.requests.at(-1) && transcriptOf(here.server.requests.at(-1) as never)).toEqual(['user: Six']);
  });

  test('of the terminal and its shell: a shell that begins later in the same terminal has another one', async () => {
    const here = await place();
    const program = `
import fcntl, os, pty, subprocess, termios
leader, follower = pty.openpty()
def shell():
    def own():
        os.setsid()
        fcntl.ioctl(follower, termios.TIOCSCTTY, 0)
    script = os.environ['SCRIPT']
    done = subprocess.run(['sh', '-c', script], stdin=follower, stderr=follower, stdout=subprocess.PIPE, preexec_fn=own, pass_fds=[follower])
    assert done.returncode == 0, done
    return done.stdout.decode()
print(shell() + shell(), end='')
`;
    const script = `${functions}run One; run Two\n${shown}`;
    const output = await detached({ ...here, env: { ...here.env, SCRIPT: script } }, 'python3', ['-c', program]);
    const [one, two, three, four] = sessionsIn(output);
    expect([one === two, three === four, one === three]).toEqual([true, true, false]);
  });

  test('of their parent process where there is no terminal', async () => {
    const here = await place();
    const script = `${functions}run One; run Two\n${shown}`;
    const [one, two] = sessionsIn(await detached(here, 'sh', ['-c', script]));
    const [three, four] = sessionsIn(await detached(here, 'sh', ['-c', script]));
    expect([one === two, three === four, one === three]).toEqual([true, true, false]);
  });

  test('of nothing in continuous integration', async () => {
    const here = await place({ CI: 'true' });
    expect(new Set(await inTerminal(here, 'run One; run Two')).size).toBe(2);
  });
});

describe.skipIf(process.platform === 'win32')('the session of a terminal', () => {
  test('is another one after --new, and no other option changes it', async () => {
    const here = await place();
    const [one, two, three, work, four, five] = sessionsInAny(
      (
        await runInTerminal([], {
          ...here,
          script: `${functions}run One; run --new Two; run Three; run --session work Four; run Five; run --resume Six`,
        }).end
      ).stdout,
    );
    expect(work).toBe('work');
    expect([one === two, two === three, three === four, four === five]).toEqual([false, true, true, true]);
    expect(
      await cairn(['agents', 'run', 'helper', 'x', '--new', '--resume'], { cwd: here.cwd, env: here.env }),
    ).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--new') as string });
  });

  test('is shown by context, cleared by clear, and begun again when it was removed', async () => {
    const here = await place();
    const script = `${functions}
      "$NODE" "$CAIRN" agents context helper > "$OUT.context"; run One; session=$(cat "$OUT")
      "$NODE" "$CAIRN" agents run --trust helper Two --session other > /dev/null 2>&1
      "$NODE" "$CAIRN" agents context helper | head -1 >> "$OUT"
      "$NODE" "$CAIRN" agents context helper --new 2>&1 | head -1 >> "$OUT"
      "$NODE" "$CAIRN" agents clear --main 2>> "$OUT"
      "$NODE" "$CAIRN" agents sessions --remove "$session" 2>> "$OUT" || echo gone >> "$OUT"
      run Three; run Four
      "$NODE" "$CAIRN" agents run --trust helper Five 2>> "$OUT" > /dev/null`;
    const { stdout } = await runInTerminal([], { ...here, script }).end;
    const [session = '', context, isNew, cleared, removed, three = '', four, end] = stdout.split('\n');
    expect(context).toContain(`session ${session}: `);
    expect(isNew).toContain('a new session: ');
    expect(cleared).toBe(`cairn: removed 2 messages of the main conversation from ${session}`);
    expect(removed).toMatch(/removed|gone/u);
    expect([three === session, three === four]).toEqual([false, true]);
    expect(end).toMatch(
      new RegExp(`; session ${three}: the next run in this terminal continues it, --new begins another$`, 'u'),
    );
  });
});

function sessionsInAny(output: string): string[] {
  return output.trim().split('\n');
}
