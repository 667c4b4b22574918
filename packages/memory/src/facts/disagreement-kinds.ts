import { stem } from './disagreement-tokens.ts';

/** Things of one kind. One of them is used for each purpose. Another thing next to them may be used too. */
const KINDS: readonly string[] = [
  'npm,pnpm,yarn,bun,deno',
  'react,vue,angular,svelte,solid,preact,ember',
  'postgres,postgresql,mysql,mariadb,sqlite,mongodb,oracle,sql server,dynamodb,cockroachdb',
  'redis,memcached,valkey,hazelcast',
  'kafka,rabbitmq,nats,sqs,pulsar,activemq',
  'jenkins,github actions,gitlab ci,circleci,travis,buildkite,teamcity,drone',
  'aws,gcp,azure,google cloud,hetzner,阿里云,腾讯云,华为云',
  'vercel,netlify,heroku,fly.io,render,cloudflare pages',
  'kubernetes,k8s,nomad,docker swarm,ecs',
  'webpack,vite,rollup,esbuild,parcel,rspack,turbopack',
  'jest,vitest,mocha,jasmine,ava',
  'cypress,playwright,selenium,puppeteer',
  'pytest,unittest,nose',
  'eslint,oxlint,biome,tslint',
  'prettier,oxfmt,dprint,biome',
  'maven,gradle,bazel,ant,sbt',
  'express,fastify,koa,hono,nestjs',
  'django,flask,fastapi',
  'github,gitlab,bitbucket,gitea',
  'jira,linear,trello,asana,youtrack',
  'slack,teams,discord,飞书,钉钉,企业微信',
  'rest,graphql,grpc,soap',
  'json,yaml,toml,xml,protobuf,csv',
  'vim,emacs,vscode,vs code,neovim,intellij,zed',
  'bash,zsh,fish,powershell',
  'git,mercurial,svn,perforce',
  'mit,apache,gpl,bsd,agpl,mpl',
  'tabs,space,tab,spaces,空格,制表符',
  'squash,rebase,merge commit',
  'short,long,brief,detailed,简短,详细',
  'dark,light,深色,浅色',
  'camelcase,snake_case,kebab-case,pascalcase',
  'terraform,pulumi,cloudformation,ansible',
  'sentry,rollbar,bugsnag',
  'utc,gmt,cet,pst,est,cst',
  'english,german,french,spanish,chinese,japanese,italian,portuguese,russian,korean',
  '英文,中文,日文,德文,法文,英语,汉语,日语,德语,法语,英,中,日,德,法,韩',
  'cat,dog',
];

const kindOfThing: ReadonlyMap<string, readonly number[]> = (() => {
  const map = new Map<string, readonly number[]>();
  for (const [kind, things] of KINDS.entries()) {
    for (const thing of things.split(',').map((name) => name.split(' ').map(stem).join(' '))) {
      map.set(thing, [...(map.get(thing) ?? []), kind]);
    }
  }
  return map;
})();

/** Returns whether two things, as a statement has them, are alternatives. */
export function areAlternatives(one: string, another: string): boolean {
  const kinds = kindOfThing.get(another);
  return kindOfThing.get(one)?.some((kind) => kinds?.includes(kind) === true) === true;
}
