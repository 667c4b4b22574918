import { KnowledgeError } from '../errors.ts';

/** Returns a string without the user name and password of URLs. A password may have `@`. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/]+@/giu, '$1');
}

/** What git reports when a remote rejects, and what the user can do. The first match counts. */
const failures: readonly (readonly [pattern: RegExp, what: string, hint: string])[] = [
  [
    /hash algorithm|mismatched algorithms/iu,
    'The repository of the team uses SHA-256',
    'Run "git clone --bare", then "cairn knowledge team init --clone <directory>".',
  ],
  [
    /dubious ownership/iu,
    'The repository of the team belongs to another user',
    'If you trust it, run: git config --global --add safe.directory <path>',
  ],
  [
    /authentication failed|could not read (?:username|password)|terminal prompts disabled|permission denied \(|invalid credentials|access denied|HTTP Basic|returned error: 40[13]/iu,
    'The remote of the team rejects access',
    'Set up an SSH key or a credential helper of git, so that "git ls-remote" works without a question.',
  ],
  [
    /host key verification failed/iu,
    'The host key of the remote is not known',
    'Connect once with ssh to accept it, then repeat the command.',
  ],
  [
    /could not resolve|connection (?:rejected|timed out|reset|closed)|unable to access|network is unreachable|failed to connect|timed out|unexpected disconnect|hung up/iu,
    'The remote of the team cannot be reached',
    'Check the network and the address, then repeat the command. Nothing was lost.',
  ],
  [
    /not appear to be a git repository|repository .*not found|does not exist|not found|no such file/iu,
    'The remote of the team is gone, or its address is wrong',
    'Check the address; "cairn knowledge team init <remote>" sets another one. Nothing was lost.',
  ],
  [
    /transport '.*' not allowed|protocol .* not supported|is not a git command|unable to find remote helper/iu,
    'The address of the remote has a protocol that is not allowed',
    'Use https, ssh, git, file or a path.',
  ],
];

export function remoteFailure(stderr: string, reason: string): KnowledgeError {
  const [, what, hint] = failures.find(([pattern]) => pattern.test(stderr)) ?? [
    undefined,
    'The remote of the team rejects the request',
    'Read its reason, then repeat the command. Nothing was lost.',
  ];
  return new KnowledgeError('REMOTE_FAILED', [`${what}: ${reason.replace(/\.+$/u, '')}`, hint]);
}
