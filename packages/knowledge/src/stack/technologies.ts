import { wordsOf } from './stack.ts';

/** Packages that are not named after their technology, by its names. */
const packages: Readonly<Record<string, string>> = {
  aws: 'boto3',
  kafka: 'confluent-kafka kafkajs rdkafka sarama',
  'kubernetes k8s': 'client-go',
  mongo: 'mongodb',
  'mongodb mongo': 'mongo-driver mongoose pymongo',
  mysql: 'mysql2 mysqlclient pymysql',
  'nextjs react': 'next',
  'postgres postgresql': 'asyncpg pg pgx pq psycopg psycopg2 psycopg2-binary tokio-postgres',
  pytorch: 'torch',
  rabbitmq: 'aio-pika amqp091 amqplib lapin pika',
  react: 'react-dom',
  redis: 'ioredis jedis',
  sklearn: 'scikit-learn',
  vue: 'nuxt',
};

const technologies = new Map(
  Object.entries(packages).flatMap(([names, list]) => list.split(' ').map((one) => [one, names.split(' ')] as const)),
);

/** Words that say nothing about a stack, and are common in product lines. */
const generic = new Set(
  (
    'api app base bin cli client common config core data frontend backend general infra lib main mobile model platform project ' +
    'sdk server service services shared test tests tool tools types util utils web'
  ).split(' '),
);

/** Words that say in what language a package is written: `go-redis`, `kafka-go`, `redis-py`. */
const languages = new Set(['go', 'js', 'node', 'py', 'python', 'rs', 'rust', 'ts']);

function isTelling(words: readonly string[]): boolean {
  return words.some((word) => !generic.has(word));
}

function withoutLanguage(words: readonly string[]): readonly string[] {
  const [first = '', ...rest] = words;
  if (rest.length === 0) return words;
  if (languages.has(first)) return rest;
  return languages.has(words.at(-1) ?? '') ? words.slice(0, -1) : words;
}

/** Returns the names of the stack for a dependency: `@nestjs/core` is `nestjs`, `go-redis` is `go-redis` and `redis`. */
export function technologiesOf(dependency: string): string[] {
  const name = dependency.toLowerCase().replaceAll(/[_.]+/gu, '-');
  const [scope, inScope] = name.startsWith('@') ? name.slice(1).split('/') : [undefined, name];
  const parts = scope === undefined || scope === 'types' ? [inScope ?? ''] : [scope, inScope ?? ''];
  return parts.flatMap((part) => {
    const words = wordsOf(part);
    const names = [words, withoutLanguage(words)].filter(isTelling).map((one) => one.join('-'));
    return [...names, ...(technologies.get(part) ?? [])];
  });
}
