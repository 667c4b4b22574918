/**
 * The names that usually hold secrets, as patterns without case in which `*` stands for any characters. A pattern that
 * ends in `/` is for directories, the others are for files and links. A pattern with `!` in front is an exception: it
 * wins over all others, wherever it is in the list.
 */
export const SECRET_NAMES: readonly string[] = [
  ['.env*', '*.env', '!.env.example', '!.env.sample', '!.env.template'],
  ['*.pem', '*.key', '*.p8', '*.p12', '*.pfx', '*.jks', '*.keystore', '*.kdb', '*.kdbx', '*.ppk', '*.ovpn'],
  ['*.tfstate', '*.tfstate.backup', 'id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*', '!*.pub'],
  ['.netrc', '_netrc', '.npmrc', '.pypirc', '.pgpass', '.my.cnf', '.htpasswd', '.git-credentials', '.dockercfg'],
  ['.boto', '.s3cfg', '.vault-token', 'kubeconfig', 'credentials', '*credentials.json', 'credentials.toml'],
  ['client_secret*.json', 'service-account*.json', 'service_account*.json'],
  ['secrets.json', 'secrets.yaml', 'secrets.yml', 'secrets.toml'],
  ['.ssh/', '.gnupg/', '.aws/', '.azure/', '.gcloud/', '.kube/', '.docker/', '.env/'],
].flat();

function toPattern(globs: readonly string[]): RegExp {
  const patterns = globs.map((glob) =>
    glob
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/gu, String.raw`\$&`))
      .join('.*'),
  );
  return new RegExp(`^(?:${patterns.join('|')})$`, 'isu');
}

/** The names of environment variables that usually hold secrets, in the form of {@link SECRET_NAMES}. */
const SECRET_VARIABLES: readonly string[] = [
  ['*TOKEN*', '*SECRET*', '*PASSWORD*', '*PASSWD*', '*PASSPHRASE*', '*CREDENTIAL*', '*COOKIE*', '*BEARER*', '*JWT*'],
  ['*KEY', '*KEYS', '*KEY_*', '*KEYS_*', '*APIKEY*', '*AUTHORIZATION*', 'AUTH', '*_AUTH', '*_AUTH_*'],
  ['*PASS', '*_PASS_*', '*_PWD', '*_PAT', 'PAT'],
  ['!SSH_AUTH_SOCK', '!*ASKPASS', '!*BYPASS', '!TOKENIZERS_*', '!*MAX_TOKENS', '!*MAX_*_TOKENS'],
].flat();

const exceptions = toPattern(SECRET_NAMES.filter((name) => name.startsWith('!')).map((name) => name.slice(1)));
const secrets = SECRET_NAMES.filter((name) => !name.startsWith('!'));
const patternOf: Readonly<Record<'file' | 'directory', RegExp>> = {
  file: toPattern(secrets.filter((name) => !name.endsWith('/'))),
  directory: toPattern(secrets.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1))),
};

const secretVariable = toPattern(SECRET_VARIABLES.filter((name) => !name.startsWith('!')));
const plainVariable = toPattern(SECRET_VARIABLES.filter((name) => name.startsWith('!')).map((name) => name.slice(1)));

/**
 * Returns whether an environment variable of this name usually holds a secret, such as `GITHUB_TOKEN`. Case and a number at the end do
 * not matter.
 */
export function isSecretVariable(name: string): boolean {
  const numberless = name.replace(/\d+$/u, '');
  return secretVariable.test(numberless) && !plainVariable.test(numberless);
}

/**
 * Returns whether a file or directory of this name (the last part of a path) usually holds secrets: see
 * {@link SECRET_NAMES}. Public keys (`id_rsa.pub`) and `.env.example`, `.env.sample`, `.env.template` do not. Case does not
 * matter.
 */
export function isSecretName(name: string, kind: 'file' | 'directory' = 'file'): boolean {
  return patternOf[kind].test(name) && !exceptions.test(name);
}
