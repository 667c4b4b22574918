/**
 * Words of software that mean the same in a developer's question: the format is that of `parseGlossary`. Each line is a group of its
 * own: a word in two lines is related to the words of both, and these are not related to each other.
 */
export const WORDS = `
# Deployment
deploy, release, ship, roll out, rollout, 部署, 发布, 上线
rollback, roll back, revert a release, 回滚, 回退
scale out, scale up, autoscale, autoscaling, 扩容, 自动伸缩, 弹性伸缩
load balancer, load balancing, 负载均衡

# Errors and symptoms
timeout, timed out, time out, deadline exceeded, 超时
retry, try again, 重试
out of memory, OOM, memory exhausted, 内存溢出, 内存不足
deadlock, 死锁
idempotent, idempotency, safe to retry, 幂等

# Databases
database, DB, 数据库
database > postgres, mysql, sqlite, redis
index, 索引
`;
