import { wordsOf } from './stack.ts';

/** Packages that have another name than what they are for. */
const technologies: Readonly<Record<string, readonly string[]>> = {
  'aio-pika': ['rabbitmq'],
  amqp091: ['rabbitmq'],
  amqplib: ['rabbitmq'],
  asyncpg: ['postgres', 'postgresql'],
  boto3: ['aws'],
  'client-go': ['kubernetes', 'k8s'],
  'confluent-kafka': ['kafka'],
  ioredis: ['redis'],
  jedis: ['redis'],
  kafkajs: ['kafka'],
  lapin: ['rabbitmq'],
  mongodb: ['mongo'],
  'mongo-driver': ['mongodb', 'mongo'],
  mongoose: ['mongodb', 'mongo'],
  mysql2: ['mysql'],
  mysqlclient: ['mysql'],
  next: ['nextjs', 'react'],
  nuxt: ['vue'],
  pg: ['postgres', 'postgresql'],
  pgx: ['postgres', 'postgresql'],
  pika: ['rabbitmq'],
  pq: ['postgres', 'postgresql'],
  psycopg: ['postgres', 'postgresql'],
  psycopg2: ['postgres', 'postgresql'],
  'psycopg2-binary': ['postgres', 'postgresql'],
  pymongo: ['mongodb', 'mongo'],
  pymysql: ['mysql'],
  rdkafka: ['kafka'],
  'react-dom': ['react'],
  sarama: ['kafka'],
  'scikit-learn': ['sklearn'],
  'tokio-postgres': ['postgres', 'postgresql'],
  torch: ['pytorch'],
};

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
    return [...names, ...(Object.hasOwn(technologies, part) ? (technologies[part] ?? []) : [])];
  });
}
