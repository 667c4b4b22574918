/**
 * Words of software that mean the same in a developer's question, in the format of `parseGlossary`. Each line is a group of its
 * own: a word in two lines is related to the words of both, and these are not related to each other.
 *
 * Write a word only where a document with it would answer a question with the other. Leave out single characters of Chinese, and
 * words that most texts have.
 */
export const WORDS = `
# Deployment and operations
deploy, release, ship, roll out, rollout, go live, publish to production, 部署, 发布, 上线
rollback, roll back, revert a release, back out, 回滚, 回退, 撤回发布
canary, canary release, gradual rollout, phased rollout, staged rollout, 灰度, 灰度发布, 金丝雀, 金丝雀发布
blue green, blue-green deployment, 蓝绿, 蓝绿部署, 蓝绿发布
rolling update, rolling restart, rolling deployment, 滚动更新, 滚动升级, 滚动发布
hotfix, emergency fix, urgent patch, 热修复, 紧急修复
zero downtime, without downtime, no interruption, 零停机, 不停机, 不停服, 平滑升级
downtime, outage, unavailable, service interruption, 停机, 宕机, 中断服务, 不可用
maintenance window, scheduled maintenance, planned downtime, 维护窗口, 停机维护
maintenance mode, read-only mode, 维护模式, 只读模式
production, prod, live environment, 生产环境, 线上, 线上环境, 正式环境
staging, pre-production, preprod, preview environment, 预发, 预发布, 预发环境, 预生产
test environment, QA environment, 测试环境
development environment, dev environment, local setup, 开发环境, 本地环境
sandbox, 沙箱, 沙盒
environment variable, env var, environment setting, 环境变量
configuration, config, settings, options, 配置, 设置, 选项
config file, configuration file, settings file, 配置文件
configuration center, config server, 配置中心
feature flag, feature toggle, feature switch, 特性开关, 功能开关, 开关
kill switch, emergency switch, 紧急开关, 熔断开关
scale out, scale up, autoscale, autoscaling, add capacity, add instances, horizontal scaling, 扩容, 自动伸缩, 弹性伸缩, 横向扩展, 水平扩展
scale in, scale down, shrink, reduce capacity, 缩容
vertical scaling, bigger machine, 垂直扩展, 纵向扩展
replica, 副本
instance, 实例
node, 节点
cluster, 集群
leader election, elect a leader, 选主, 选举, 主节点选举
failover, fail over, switch to standby, 故障转移, 故障切换, 主备切换
standby, backup instance, spare, secondary, 备用, 备机, 备库
high availability, HA, 高可用
disaster recovery, DR, 容灾, 灾备, 灾难恢复
multi-region, multi-active, active-active, 多活, 异地多活, 双活
data center, datacenter, 机房, 数据中心
region, 地域
availability zone, AZ, 可用区
restart, reboot, bounce, relaunch, 重启, 重新启动
start, launch, boot, bring up, spin up, startup, 启动, 开机, 拉起
stop, shut down, shutdown, halt, turn off, 停止, 关闭, 停掉, 下线
graceful shutdown, drain, clean shutdown, stop gracefully, 优雅停机, 优雅关闭, 优雅退出, 平滑关闭
decommission, retire, sunset, phase out, end of life, EOL, 下线, 退役, 停用, 废弃
deprecated, obsolete, outdated, superseded, 弃用, 过时, 废弃, 不推荐
health check, healthcheck, liveness probe, readiness probe, heartbeat, 健康检查, 存活探针, 就绪探针, 心跳
warm up, warmup, preheat, preload, 预热, 预加载
cold start, slow first request, 冷启动
cron, cron job, scheduled task, scheduled job, timer, periodic job, 定时任务, 计划任务, 定时器, 周期任务
batch, bulk, batch job, 批量, 批处理, 跑批
background job, background task, async task, worker, 后台任务, 异步任务
daemon, background process, resident process, 守护进程, 常驻进程
on-call, on call, pager duty, duty roster, 值班, 轮值, 待命
runbook, playbook, operations manual, handbook, 运维手册, 操作手册, 应急手册, 预案
capacity planning, capacity estimate, 容量规划, 容量评估
quota, allowance, resource limit, 配额, 额度, 限额
infrastructure as code, IaC, 基础设施即代码 > terraform, pulumi, ansible
orchestration, scheduling of containers, 编排
bare metal, physical machine, physical server, 物理机, 裸机, 裸金属
virtual machine, VM, 虚拟机
server, host, machine, 服务器, 主机, 机器
jump host, bastion, bastion host, jump server, 跳板机, 堡垒机
remote login, SSH, log in to the server, 远程登录, 登录服务器
operations, ops, SRE, site reliability, 运维
access to production, production permission, 线上权限, 生产权限
image registry, container registry, docker registry, 镜像仓库, 镜像库
container, docker, 容器
container image, docker image, 容器镜像, 镜像
kubernetes, k8s, 容器平台
pod, 容器组
namespace, 命名空间, 名字空间
sidecar, 边车
service mesh, 服务网格 > istio, linkerd
ingress, entry point of traffic, 流量入口, 入口网关
helm chart, helm
volume, mount, persistent volume, 挂载, 数据卷, 存储卷
serverless, function as a service, FaaS, cloud function, 无服务器, 云函数, 函数计算 > lambda
cloud, public cloud, cloud provider, 公有云, 云平台, 云服务, 云厂商 > AWS, azure, GCP, 阿里云, 腾讯云, 华为云
on-premises, on premise, self-hosted, private deployment, 私有化部署, 本地部署, 自建, 自托管
vendor, supplier, third party, provider, 供应商, 第三方, 厂商
object storage, bucket, blob storage, 对象存储, 存储桶 > S3, minio, OSS, COS
block storage, cloud disk, 云盘, 块存储
cost, expense, bill, spending, 成本, 费用, 账单, 花费
cheap, low cost, save money, 便宜, 省钱, 降本

# Errors and symptoms
error, failure, fault, fail, 错误, 报错, 失败, 故障
exception, error thrown, 异常, 抛出异常
bug, defect, 缺陷
issue, ticket, 工单, 议题
incident, outage, accident, production issue, 事故, 线上事故, 线上故障
postmortem, incident review, retrospective of an incident, 复盘, 事故复盘, 故障复盘
root cause, underlying cause, culprit, reason for the failure, 根因, 根本原因, 罪魁祸首
symptom, manifestation, 症状, 现象
workaround, temporary fix, stopgap, 临时方案, 绕过方案, 变通, 规避
troubleshoot, diagnose, debug, investigate, track down, 排查, 诊断, 调试, 定位问题, 排障
reproduce, repro, steps to reproduce, 复现, 重现
timeout, timed out, time limit, deadline, deadline exceeded, request took too long, 超时, 时限
retry, try again, attempt again, resend, 重试, 再试, 重发
backoff, exponential backoff, wait between retries, 退避, 指数退避, 重试间隔
jitter, random delay, 抖动, 随机延迟
give up, abandon, stop trying, 放弃
crash, blow up, exit unexpectedly, 崩溃, 闪退, 挂掉, 异常退出
panic, fatal error, unrecoverable error, 致命错误, 恐慌
segmentation fault, segfault, access violation, 段错误
core dump, coredump, crash dump, 转储, 核心转储, 崩溃转储
stack trace, stacktrace, backtrace, traceback, call stack, 堆栈, 调用栈, 堆栈跟踪
stack overflow, infinite recursion, 栈溢出, 无限递归
out of memory, OOM, memory exhausted, ran out of memory, heap exhausted, 内存溢出, 内存不足, 爆内存, 内存耗尽
memory leak, leaking memory, memory keeps growing, 内存泄漏, 内存泄露, 内存持续增长
leak, not released, not closed, 泄漏, 泄露, 未释放
hang, freeze, stuck, unresponsive, not responding, stall, 卡死, 卡住, 挂起, 无响应, 假死
deadlock, circular wait, 死锁
livelock, busy loop, 活锁
infinite loop, endless loop, never ends, 死循环, 无限循环
race condition, data race, concurrency bug, 竞态, 竞争条件, 数据竞争
flaky, intermittent, sporadic, unstable, fails randomly, 偶发, 偶现, 不稳定, 间歇性, 时好时坏
slow, sluggish, laggy, takes too long, poor performance, 缓慢, 很慢, 变慢, 卡顿, 性能差
latency, delay, lag, response time, 延迟, 时延, 响应时间, 耗时
spike, surge, sudden increase, burst, 激增, 突增, 飙升, 尖峰, 毛刺
overload, saturated, too much load, 过载, 压垮, 打满, 打爆, 负载过高
system load, utilization, load average, 负载, 利用率, 系统负载
bottleneck, hot spot, hotspot, 瓶颈, 热点
disk full, no space left, out of disk space, ENOSPC, 磁盘满, 磁盘写满, 空间不足, 磁盘空间不足
high CPU, CPU usage, processor load, 处理器占用, CPU 占用, CPU 飙高
connection refused, cannot connect, unable to connect, ECONNREFUSED, 连接被拒绝, 连不上, 无法连接, 连接失败
connection reset, broken pipe, ECONNRESET, disconnected, connection lost, 连接重置, 断开连接, 断连, 掉线
connection leak, connections exhausted, too many connections, pool exhausted, 连接泄漏, 连接数过多, 连接耗尽, 连接池耗尽
not found, 404, missing, does not exist, 找不到, 不存在, 未找到, 缺失
unauthorized, 401, not logged in, unauthenticated, 未授权, 未登录, 未认证
forbidden, 403, permission denied, access denied, no permission, 禁止访问, 权限不足, 没有权限, 拒绝访问, 无权限
too many requests, 429, throttled, 请求过多, 请求过于频繁, 被限流
502 > bad gateway, 网关错误
internal server error, 500 error, HTTP 500, 服务器内部错误, 内部错误
503 > service unavailable, 服务不可用
504 > gateway timeout, 网关超时
garbled, mojibake, wrong encoding, broken characters, 乱码, 编码错误
corrupt, damaged, broken file, 损坏, 坏掉, 破损
data loss, lost data, lose data, 数据丢失, 丢数据
duplicate, repeated, twice, 重复, 重复数据
inconsistent, mismatch, out of sync, discrepancy, 不一致, 对不上, 不同步
stale, outdated, expired data, 陈旧, 过期数据, 脏数据
expired, expiry, no longer valid, 过期, 失效, 到期
overflow, integer overflow, 溢出, 整数溢出
truncated, cut off, 截断, 被截断
rounding error, precision loss, floating point error, 精度丢失, 舍入误差, 浮点误差
off by one, fencepost error, 差一错误
null pointer, null reference, NPE, nullpointerexception, undefined is not a function, 空指针, 空引用
blank page, white screen, nothing is displayed, 白屏, 空白页
typo, misspelling, spelling mistake, 拼写错误, 打错字, 笔误
warning, alert, caution, 警告, 告警
regression, used to work, broke after the upgrade, 回归, 退化
side effect, unintended consequence, 副作用
pitfall, gotcha, trap, common mistake, 踩坑, 陷阱, 常见错误
edge case, corner case, boundary condition, 边界情况, 边界条件, 极端情况
limitation, restriction, constraint, 限制, 局限, 约束
prevent, avoid, guard against, 防止, 避免, 预防
mitigate, alleviate, reduce the impact, 缓解, 减轻
recover, restore, bring back, recovery, 恢复, 还原, 找回
fix, repair, resolve, solve, 修复, 解决, 修好
self-healing, recovers by itself, 自愈, 自动恢复
fallback, degrade, graceful degradation, degraded mode, 降级, 兜底, 回退方案
circuit breaker, trip, circuit breaking, 熔断, 熔断器, 断路器
avalanche, cascading failure, domino effect, 雪崩, 级联故障, 连锁故障
fault tolerance, resilience, 容错, 韧性, 弹性
fault injection, chaos engineering, chaos test, 故障注入, 混沌工程, 混沌测试
ignore, skip, suppress, 忽略, 跳过, 屏蔽
swallow an exception, silently fail, silent failure, 吞掉异常, 静默失败, 吞异常

# Databases
database, DB, data store, 数据库
database, 数据库 > postgres, postgresql, mysql, mariadb, sqlite, oracle, mongodb
postgres, postgresql, PG, psql
SQL, query language, 查询语句
NoSQL, document database, 文档数据库, 非关系型数据库
relational database, RDBMS, 关系型数据库, 关系数据库
table, 数据表, 库表
schema, table definition, data model, 表结构, 数据模型
column, field, attribute, 字段, 属性, 数据列
row, record, tuple, 记录, 行数据
primary key, PK, 主键
foreign key, FK, referential constraint, 外键, 外键约束
unique key, unique constraint, uniqueness, 唯一键, 唯一约束, 唯一性, 唯一索引
auto increment, sequence number, serial, identity column, 自增, 自增主键, 自增长, 序列号
UUID, unique identifier, globally unique id, 唯一标识, 唯一标识符
snowflake id, distributed id, id generator, 雪花算法, 分布式 ID, 发号器
index, 索引
full-text search, full text index, text search, 全文检索, 全文搜索, 全文索引
composite index, compound index, multi-column index, 联合索引, 复合索引, 组合索引
covering index, 覆盖索引
full table scan, table scan, sequential scan, missing index, 全表扫描, 没走索引, 顺序扫描
execution plan, query plan, explain, 执行计划, 查询计划
slow query, slow SQL, slow log, 慢查询, 慢日志, 慢 SQL
query, select, look up, lookup, 查询, 检索, 查找
join, 联表, 连表, 关联查询
subquery, nested query, 子查询, 嵌套查询
aggregate, group by, 聚合, 分组统计, 汇总
sort, order by, ordering, 排序, 顺序
pagination, page through, limit and offset, 分页, 翻页
cursor, 游标
stored procedure, database function, 存储过程
trigger, database trigger, 触发器
view, materialized view, 视图, 物化视图
transaction, 事务
distributed transaction, two-phase commit, 2PC, XA, 分布式事务, 两阶段提交
saga, compensating transaction, compensation, 补偿事务, 事务补偿, 补偿
commit, 提交
isolation level, 隔离级别, 事务隔离
dirty read, 脏读
phantom read, 幻读
repeatable read, 可重复读
atomic, all or nothing, 原子, 原子性, 原子操作
consistency, 一致性
eventual consistency, 最终一致, 最终一致性
strong consistency, linearizable, 强一致, 强一致性, 线性一致
durability, persisted, survives a restart, 持久性, 持久化, 落盘
persist, save to disk, write to disk, 持久化, 存盘, 保存到磁盘
lock, mutual exclusion, mutex, 加锁, 互斥锁, 互斥, 锁定
distributed lock, redlock, lease, 分布式锁, 租约
optimistic lock, version check, compare and swap, CAS, 乐观锁, 版本号校验
pessimistic lock, select for update, 悲观锁
row lock, row-level lock, 行锁, 行级锁
table lock, lock the whole table, 锁表, 表锁
lock contention, waiting for a lock, lock wait, 锁竞争, 锁等待, 抢锁
connection pool, pooling, database connections, 连接池, 池化
pool size, maximum connections, max connections, 最大连接数, 连接池大小
migration, schema change, alter table, DDL, 迁移, 数据库迁移, 表结构变更, 数据库变更
data migration, move data, backfill, 数据迁移, 回填, 刷数据, 洗数据, 数据订正
seed data, initial data, fixtures, 种子数据, 初始数据
backup, back up, snapshot, dump, 备份, 快照
restore a backup, recover from backup, point-in-time recovery, PITR, 备份恢复, 还原备份, 恢复数据
replication, sync to replica, 复制, 主从复制, 数据同步
primary, master, leader, 主库, 主节点, 主机
read replica, replica, slave, follower, secondary, 从库, 只读副本, 从节点
replication lag, replica delay, lagging replica, 主从延迟, 同步延迟, 复制延迟
read-write splitting, read write split, route reads to replicas, 读写分离
shard, split tables, horizontal partitioning, 分片, 分库分表, 分库, 分表
partition, partitioned table, 分区, 分区表
hot partition, data skew, uneven distribution, skewed, 数据倾斜, 热点分区, 分布不均
write-ahead log, WAL, redo log, binlog, transaction log, 预写日志, 事务日志, 重做日志
change data capture, CDC, binlog subscription, 变更数据捕获, 数据变更捕获
archive, cold storage, 归档, 冷存储, 历史数据
retention, keep for, retention period, how long data is kept, 保留, 保留期, 保留时间, 留存
soft delete, logical delete, mark as deleted, tombstone, 软删除, 逻辑删除, 墓碑
delete, remove, erase, drop, purge, 删除, 移除, 清除, 删掉
truncate table, empty a table, clear a table, 清空表
insert, add a row, 插入, 新增
update, modify, change, edit, alter, 更新, 修改, 更改, 变更, 改动
upsert, insert or update, merge into, 有则更新, 插入或更新
bulk insert, batch insert, bulk load, 批量插入, 批量写入, 批量导入
vacuum, compaction, reclaim space, defragment, 压缩空间, 空间回收, 碎片整理
cascade, cascading delete, 级联, 级联删除
ORM, object-relational mapping, 对象关系映射
N+1 query, too many queries, query in a loop, 循环查询
prepared statement, parameterized query, bind parameter, 预编译语句, 参数化查询
data warehouse, warehouse, OLAP, analytics database, 数据仓库, 数仓
ETL, data pipeline, extract transform load, 数据管道, 数据加工, 数据抽取
time series, time-series database, TSDB, 时序, 时序数据库, 时间序列
graph database, neo4j, 图数据库
key-value store, KV, key value, 键值, 键值存储, 键值对
vector database, vector store, embeddings, 向量数据库, 向量, 嵌入
search engine, 搜索引擎 > elasticsearch, opensearch, solr, lucene
empty value, null, nil, none, missing value, 空值, 为空
default value, default, fallback value, 默认值, 默认, 缺省, 缺省值
enum, enumeration, 枚举, 枚举值

# Networks
network, connectivity, 网络, 联网
DNS, domain name, name resolution, hostname, 域名, 域名解析, 主机名
IP address, IP, IP 地址
port, port number, listening port, 端口, 端口号, 监听端口
firewall, security group, blocked port, 防火墙, 安全组
proxy, forward proxy, 代理, 代理服务器
reverse proxy, 反向代理 > nginx, haproxy, envoy, traefik, caddy
gateway, API gateway, edge, 网关, 接入层
load balancer, LB, 负载均衡, 均衡器
round robin, take turns, 轮询调度, 轮流
CDN, content delivery network, edge cache, 内容分发, 内容分发网络
VPN, tunnel, private network, 专线, 内网, 隧道
intranet, internal network, VPC, 内网, 私有网络, 局域网
internet, public network, external network, 外网, 公网, 互联网
bandwidth, network throughput, 带宽
packet loss, dropped packets, 丢包
ping, reachable, round trip, RTT, 往返时间, 连通性
keep-alive, persistent connection, long connection, 长连接, 保活
websocket, server push, realtime connection, 双向通信, 推送连接
server-sent events, SSE, event stream, 服务端推送, 服务器推送
long polling, polling, 轮询, 长轮询
TCP, socket, 套接字
handshake, three-way handshake, 握手, 三次握手
TLS, SSL, HTTPS, encrypted connection, 加密连接, 传输加密
mutual TLS, mTLS, client certificate, 双向认证, 双向 TLS, 客户端证书
certificate, cert, 证书
certificate expired, certificate renewal, renew the certificate, 证书过期, 证书续期, 更换证书
self-signed certificate, custom CA, certificate authority, root certificate, 自签名证书, 自签证书, 根证书, 证书颁发机构
HTTP, web request, 网络请求
request, call, invocation, 请求, 调用
response, reply, answer, 响应, 应答, 回复
header, HTTP header, 请求头, 响应头, 头部
payload, body, request body, 请求体, 报文, 消息体
status code, HTTP status, response code, 状态码, 响应码
error code, code of the error, 错误码
redirect, 重定向, 跳转 > 301, 302
URL, link, web address, 链接, 网址
endpoint, route, API path, 端点, 接口, 路由
API, interface, 接口
REST API, RESTful, HTTP API
RPC, remote procedure call, remote call, 远程调用, 远程过程调用 > gRPC, thrift, dubbo
webhook, callback, callback URL, 回调, 回调地址, 回调通知
upload, file upload, 上传
download, fetch a file, 下载
streaming, chunked, 流式, 流式传输, 流式输出
rate limit, throttle, request limit, 限流, 限速, 频率限制, 流控
QPS, requests per second, RPS, TPS, throughput, 吞吐, 吞吐量, 每秒请求数
traffic, request volume, 流量, 请求量, 访问量
CORS, cross-origin, cross origin, same-origin policy, 跨域, 同源策略
service discovery, service registry, registration center, 服务发现, 服务注册, 注册中心
upstream, dependency service, 上游
downstream, consumer service, 下游
client, caller, consumer of the API, 客户端, 调用方
backend, server side, server-side, 后端, 服务端
peer-to-peer, P2P, 点对点
offline, no network, disconnected, 离线, 断网, 没网
subnet, CIDR, 子网, 网段
whitelist, allowlist, allow list, permitted list, 白名单, 允许列表
blacklist, blocklist, denylist, deny list, 黑名单, 拒绝列表

# Messaging and asynchronous work
message queue, MQ, queue, broker, message broker, 消息队列, 队列, 消息中间件
message queue, MQ, broker, 消息队列, 消息中间件 > kafka, rabbitmq, rocketmq, NATS, SQS, pulsar
publish, emit, produce, send a message, 发布消息, 发送消息, 生产消息
subscribe, consume, listen, receive messages, 订阅, 消费, 监听
publish-subscribe, pub/sub, pubsub, 发布订阅
producer, publisher, sender, 生产者, 发布者, 发送方
consumer, subscriber, receiver, listener, 消费者, 订阅者, 接收方
consumer group, 消费组, 消费者组
topic, channel, 主题, 频道
offset, consumer position, 位点, 消费位点, 偏移量
consumer lag, backlog, messages pile up, piling up, 积压, 堆积, 消息堆积, 消息积压
dead letter, dead-letter queue, DLQ, poison message, 死信, 死信队列
acknowledge, ack, confirm receipt, 确认, 签收, 消息确认
at least once, may be delivered twice, 至少一次
exactly once, delivered once, 恰好一次, 精确一次
at most once, fire and forget, 至多一次, 最多一次
idempotent, safe to retry, 幂等, 幂等性, 可重复执行
deduplicate, dedup, remove duplicates, 去重, 排重, 防重
delayed message, delay queue, scheduled message, 延迟消息, 延迟队列, 延时队列, 延时消息
message order, in order, ordered delivery, ordering guarantee, 顺序消息, 消息顺序, 保序, 有序
priority queue, priority, 优先级, 优先队列
event, domain event, 事件, 领域事件
event-driven, event driven architecture, 事件驱动
event sourcing, 事件溯源
outbox, transactional outbox, local message table, 发件箱, 本地消息表, 事务消息
asynchronous, async, non-blocking, in the background, 异步, 非阻塞, 后台执行
synchronous, sync, blocking, 同步, 阻塞
synchronize, keep in sync, 同步, 保持同步
callback hell, nested callbacks, 回调地狱
coroutine, goroutine, green thread, fiber, 协程
thread, 线程
thread pool, worker pool, executor, 线程池, 工作线程
process, OS process, 进程
subprocess, child process, spawn, fork, 子进程, 派生进程
concurrency, parallel, simultaneous, 并发, 并行, 同时
maximum concurrency, concurrency limit, how many at once, 并发数, 最大并发, 并发上限
backpressure, back pressure, slow consumer, 背压, 反压
semaphore, permit, 信号量
signal, 信号 > SIGTERM, SIGKILL, SIGINT, SIGHUP
pipeline, workflow, 流水线, 工作流, 流程
state machine, state transition, FSM, 状态机, 状态流转, 状态转换
scheduler, job scheduler, task scheduling, 调度, 调度器, 任务调度
notification, notify, push notification, 通知, 推送, 提醒
email, mail, 邮件, 邮箱
text message, SMS, short message, 短信
debounce, 防抖
cancel, abort, interrupt, 取消, 中止, 终止
pause, suspend, 暂停
resume, continue, 继续, 续传

# Caching
cache, memoize, 缓存
cache hit, hit rate, hit ratio, 命中, 命中率, 缓存命中
cache miss, not in the cache, 未命中, 缓存未命中
cache invalidation, invalidate, evict, clear the cache, flush the cache, purge the cache, 缓存失效, 清缓存, 清除缓存, 刷新缓存
eviction, LRU, eviction policy, 淘汰, 淘汰策略, 缓存淘汰
TTL, time to live, expiry time, lifetime, expiration time, 过期时间, 有效期, 存活时间, 生存时间
cache penetration, 缓存穿透, 穿透
cache breakdown, thundering herd, cache stampede, dogpile, 缓存击穿, 击穿, 惊群
cache avalanche, many keys expire at once, 缓存雪崩
hot key, hotkey, popular key, 热点 key, 热键, 热点数据
local cache, in-process cache, in-memory cache, 本地缓存, 内存缓存, 进程内缓存
distributed cache, remote cache, 分布式缓存 > redis, memcached, valkey
write-through, write-back, 写穿, 写回
cache aside, lazy loading cache, 旁路缓存
bloom filter, 布隆过滤器
buffer, 缓冲, 缓冲区
prefetch, preloading, read ahead, 预取, 预读
refresh, reload, 刷新, 重新加载

# Security, accounts and secrets
authentication, authn, verify identity, 认证, 身份认证, 身份验证, 鉴权
authorization, authz, access control, 授权, 鉴权, 访问控制
permission, privilege, access right, 权限
role, RBAC, role-based access control, 角色, 角色权限
least privilege, minimal permissions, 最小权限
log in, login, sign in, sign-in, 登录, 登陆
log out, logout, sign out, 登出, 退出登录, 注销登录
sign up, signup, register, registration, create an account, 注册, 开户
account, user account, 账号, 账户, 帐号
username, user name, login name, 用户名
password, passphrase, passcode, 密码, 口令
reset the password, forgot password, password recovery, 重置密码, 忘记密码, 找回密码
credential, 凭证, 凭据
secret, secret key, sensitive value, 密钥, 机密
API key, access key, app key, 接口密钥, 访问密钥
token, access token, bearer token, 令牌, 访问令牌 > JWT
refresh token, renew a token, token renewal, 刷新令牌, 令牌续期
key rotation, rotate keys, rotate secrets, change the key, 密钥轮换, 轮换密钥, 换密钥, 轮转
secret manager, key management, KMS, 密钥管理, 密钥库, 凭据管理 > vault
encrypt, cipher, 加密
decrypt, 解密
hash, digest, checksum, fingerprint, 哈希, 散列, 摘要, 校验和, 指纹
salt, salted hash, 加盐
signature, sign a request, signing, 签名, 验签
digital signature, code signing, 数字签名, 代码签名
public key, 公钥
private key, 私钥
single sign-on, SSO, 单点登录
OAuth, OAuth2, OIDC, openid connect, third-party login, 第三方登录, 开放授权
two-factor authentication, 2FA, MFA, multi-factor, one-time password, OTP, TOTP, 双因素, 双因素认证, 两步验证, 多因素认证, 动态口令
verification code, captcha, code by SMS, 验证码
session, login session, 会话
session expired, logged out automatically, 会话过期, 登录过期, 登录失效
vulnerability, security hole, CVE, exploit, 漏洞, 安全漏洞, 安全隐患
attack, intrusion, hack, breach, 攻击, 入侵, 黑客
SQL injection, SQLi, SQL 注入
injection, command injection, 注入, 命令注入
XSS, cross-site scripting, script injection, 跨站脚本
CSRF, cross-site request forgery, 跨站请求伪造
denial of service, DDoS, flood attack, 拒绝服务, 拒绝服务攻击
brute force, password guessing, 暴力破解, 撞库
man in the middle, MITM, 中间人, 中间人攻击
path traversal, directory traversal, 路径穿越, 目录遍历
privilege escalation, 提权, 越权
replay attack, replayed request, nonce, 重放攻击, 防重放
data breach, leaked data, exposed secret, 数据泄露, 信息泄露, 泄密
personal data, personal information, PII, private data, 个人信息, 个人数据, 隐私数据
privacy, GDPR, data protection, 隐私, 隐私保护, 数据保护
mask, redact, anonymize, obfuscate, 脱敏, 打码, 掩码, 匿名化
sensitive data, confidential, 敏感数据, 敏感信息, 保密
audit, audit log, audit trail, 审计, 审计日志, 操作日志, 操作记录
compliance, regulation, regulatory, 合规, 监管
risk control, fraud detection, anti-fraud, 风控, 反欺诈
penetration test, pentest, 渗透测试
escape, sanitize, 转义, 过滤输入
validation, input check, 校验, 验证, 检验
tamper, forged, 篡改, 伪造
tenant, multi-tenant, 租户, 多租户
isolation, 隔离
hardening, lock down, 加固

# Performance
performance, speed, 性能, 速度
fast, quick, rapid, 快速, 很快
optimize, speed up, make faster, tune, improve performance, 优化, 调优, 提速, 加速, 性能优化
benchmark, performance test, measure speed, 基准测试, 性能测试, 跑分
load test, stress test, pressure test, 压测, 压力测试, 负载测试
profiling, flame graph, flamegraph, 性能分析, 火焰图, 剖析
percentile, p95, p99, tail latency, 分位数, 百分位, 长尾延迟
garbage collection, GC, GC pause, stop the world, 垃圾回收, 垃圾收集
heap, heap size, heap memory, 堆内存
memory usage, memory consumption, RAM, footprint, 内存占用, 内存使用
memory, RAM, 内存
disk, hard drive, SSD, 磁盘, 硬盘
disk IO, IO, read and write to disk, 磁盘读写, 读写
CPU, processor, core, 处理器, 核心数
GPU, graphics card, 显卡
context switch, 上下文切换
cache line, false sharing, 伪共享
zero copy, zero-copy, 零拷贝
object pool, reuse objects, 对象池, 复用对象
lazy loading, lazy, on demand, load on demand, 懒加载, 延迟加载, 按需加载
eager loading, load up front, 预先加载
compression, gzip, zip, brotli, 压缩
decompress, extract, unzip, unpack, 解压, 解压缩
complexity, time complexity, big O, 复杂度, 时间复杂度
resource usage, resource consumption, 资源占用, 资源消耗
wasteful, inefficient, 浪费, 低效
hot path, critical path, 热路径, 关键路径
peak, peak hours, peak traffic, rush hour, 高峰, 高峰期, 峰值, 流量高峰
capacity, maximum load, 容量, 承载能力

# Observability
observability, telemetry, 可观测性, 遥测
monitoring, 监控, 监测 > prometheus, zabbix, datadog
metric, indicator, measurement, 指标, 度量
log, log file, 日志, 打日志, 日志文件
log level, verbosity, debug log, 日志级别, 日志等级, 详细日志
structured log, JSON log, 结构化日志
log rotation, rotate logs, 日志轮转, 日志切割
log collection, log aggregation, central logging, 日志采集, 日志收集, 日志聚合 > ELK, loki, fluentd, filebeat
trace, distributed tracing, 链路追踪, 调用链, 全链路, 追踪
trace id, correlation id, request id, 链路 ID, 请求 ID, 追踪号
span, trace segment, 跨度
alert, alarm, 告警, 报警, 警报
alert threshold, threshold, trigger level, 阈值, 告警阈值, 门限
false alarm, false positive, noisy alert, 误报
false negative, missed detection, 漏报
dashboard, monitoring panel, 仪表盘, 看板, 监控面板, 监控大盘 > grafana, kibana
chart, graph, diagram, plot, 图表, 曲线图, 示意图
report, statistics, 报表, 统计, 报告
SLO, SLA, service level, availability target, 服务等级, 服务水平, 可用性目标
error budget, 错误预算
error rate, failure rate, 错误率, 失败率
success rate, 成功率
uptime, availability, 可用性, 在线时间
event tracking, analytics, instrumentation, tracking event, 埋点, 打点, 数据分析
sampling, sample rate, 采样, 采样率
error tracking, error reporting, crash reporting, 错误上报, 异常上报, 崩溃上报 > sentry

# Testing and quality
test, 测试
unit test, 单元测试, 单测
integration test, 集成测试
end-to-end test, e2e, end to end, browser test, UI test, 端到端, 端到端测试
regression test, 回归测试
smoke test, sanity check, 冒烟测试, 冒烟
acceptance test, UAT, user acceptance, 验收测试, 验收
snapshot test, golden file, golden master, 快照测试
property-based test, property test, fuzzing, 属性测试, 模糊测试
contract test, API contract, 契约测试
manual test, QA, 手工测试, 人工测试
test case, test suite, spec, 测试用例, 用例, 测试集
test data, fixture, sample data, 测试数据, 样例数据
mock, stub, fake, test double, 模拟, 打桩, 假对象
assertion, expect, 断言
coverage, code coverage, test coverage, 覆盖率, 测试覆盖率
flaky test, unstable test, randomly failing test, 不稳定的测试, 偶发失败
failing test, broken test, test failure, 测试失败, 测试不过, 测试挂了
test-driven development, TDD, test first, 测试驱动, 测试驱动开发
static analysis, linter, lint, code check, 静态分析, 静态检查, 代码检查 > eslint, clippy, pylint, sonarqube, oxlint
formatter, code format, formatting, 格式化, 代码格式 > prettier, gofmt, rustfmt, clang-format
code style, style guide, coding convention, coding standard, 代码风格, 编码规范, 代码规范
type check, typecheck, 类型检查
quality gate, merge check, 质量门禁, 卡点
verify, verification, confirm, double check, 核实, 验证, 确认
dry run, simulate, trial run, preview changes, 试运行, 演练, 空跑
A/B test, experiment, split test, 实验, 对照实验, AB 测试
breakpoint, step through, 断点, 单步
test run in parallel, parallel tests, 并行测试

# Version control and collaboration
version control, git, source control, VCS, 版本控制, 版本管理
repository, repo, codebase, 仓库, 代码库, 代码仓库
monorepo, single repository, 单仓, 单体仓库, 大仓
submodule, git submodule, 子模块
branch, 分支
main branch, trunk, master branch, default branch, 主干, 主分支, 默认分支
feature branch, topic branch, 特性分支, 功能分支
release branch, 发布分支
branch name, 分支名, 分支命名
trunk-based development, 主干开发
commit message, commit log, commit description, 提交信息, 提交说明, 提交日志
commit history, git log, change history, 提交历史, 修改历史, 历史记录
merge, merge branches, integrate a branch, 合并, 合入, 合并分支
squash, squash commits, combine commits, 压缩提交, 合并提交
rebase, 变基, 衍合
cherry-pick, cherry pick, backport, 拣选, 挑选提交
merge conflict, conflict, conflicting changes, 冲突, 合并冲突, 代码冲突
revert, undo, take back, reset, 撤销, 还原, 回退
stash, shelve changes, 暂存, 贮藏
checkout, check out, switch branch, 检出, 切换分支
clone, clone a repository, 克隆, 拉取仓库
pull, fetch, git pull, 拉取, 拉代码
push, git push, upload commits, 推送, 推代码
force push, rewrite history, 强制推送, 强推
tag, git tag, 标签, 打标签
label, category, 标签, 分类, 类别
diff, difference, 差异, 对比, 区别
patch, 补丁
blame, last changed, 谁改的
pull request, PR, merge request, MR, change request, 合并请求, 拉取请求
code review, review, peer review, 代码评审, 代码审查, 评审, 审查
approve, sign off, sign-off, 批准, 审批, 同意
protected branch, branch protection, 保护分支, 分支保护
gitignore, ignored files, 忽略文件
large files, git LFS, LFS, 大文件
hook, git hook, pre-commit, commit hook, 钩子, 提交钩子
worktree, working tree, working copy, 工作树, 工作区
changelog, release notes, what changed, 更新日志, 变更日志, 变更记录, 发布说明
version, release number, version number, 版本, 版本号
semantic versioning, semver, version scheme, 语义化版本, 语义版本
breaking change, incompatible change, backward incompatible, 不兼容变更, 破坏性变更, 不兼容
backward compatible, compatibility, 向后兼容, 兼容, 兼容性
upgrade, update to a newer version, bump, migrate to a new version, 升级, 更新版本
downgrade, go back to an older version, 降级版本, 版本回退
freeze, code freeze, feature freeze, 封版, 代码冻结, 封网

# Build, packages and continuous integration
build, compile, 构建, 编译, 打包
build failure, build broken, does not compile, compile error, 构建失败, 编译失败, 编译错误, 编译不过
bundle, bundler, 打包, 打包工具 > webpack, vite, rollup, esbuild, rspack
continuous integration, CI, CI pipeline, build server, 持续集成, 流水线
continuous delivery, continuous deployment, CD, 持续交付, 持续部署
runner, build agent, CI runner, 构建机, 执行器
CI, continuous integration, 持续集成 > github actions, jenkins, gitlab ci, circleci, travis
artifact, build output, build product, 产物, 构建产物, 制品
dependency, library, third-party library, 依赖, 依赖库, 第三方库, 依赖包
package, library, 软件包, 程序库
module, 模块
package manager, 包管理, 包管理器 > npm, pnpm, yarn, bun, pip, cargo, maven, gradle, homebrew
lockfile, lock file, pinned versions, package-lock, 锁文件, 锁定版本, 依赖锁定
pin, pin a version, fixed version, exact version, 固定版本, 锁版本
install, set up, setup, 安装, 装上, 搭建
uninstall, remove a package, 卸载
registry, package registry, npm registry, 包仓库, 私服, 镜像源
mirror, package mirror, 镜像, 镜像站, 镜像源
circular dependency, import cycle, cyclic dependency, 循环依赖, 循环引用
dependency conflict, version conflict, incompatible versions, 依赖冲突, 版本冲突
transitive dependency, indirect dependency, 传递依赖, 间接依赖
build cache, incremental build, incremental compilation, 增量构建, 增量编译, 构建缓存
clean build, rebuild from scratch, full build, 全量构建, 重新构建
cross compile, cross-compilation, 交叉编译
compiler, toolchain, 编译器, 工具链
transpile, 转译 > babel, SWC
minify, uglify, minification, 混淆压缩, 代码压缩
source map, sourcemap, 源码映射
tree shaking, dead code elimination, remove unused code, 摇树, 死代码消除
dead code, unused code, unreachable code, 死代码, 无用代码, 废代码
makefile, make target, build script, build command, 构建脚本, 构建命令
script, shell script, bash, 脚本
command line, CLI, terminal, console, shell, 命令行, 终端, 控制台
flag, option, switch, command-line argument, 参数, 命令行参数, 选项
argument, parameter, param, 参数, 入参
exit code, return code, exit status, 退出码, 返回码
executable, binary, program, 可执行文件, 二进制
static linking, 静态链接
dynamic library, shared library, DLL, 动态库, 动态链接库
codegen, code generation, generated code, 代码生成, 生成代码
scaffold, boilerplate, template project, starter, 脚手架, 模板代码, 样板代码
plugin, extension, add-on, 插件, 扩展
SDK, client library, 开发包, 开发工具包
license, licence, open source license, 许可证, 开源协议, 授权协议
open source, OSS, 开源
runtime, interpreter, 运行时, 解释器
operating system, OS, platform, 操作系统, 平台
linux > ubuntu, debian, centos, alpine, redhat
macos, mac, osx, 苹果电脑
windows, win32, 微软系统
architecture of the processor, arm64, aarch64, x86, amd64, 处理器架构

# Languages and code
programming language, 编程语言, 开发语言, 语言
javascript, JS, ecmascript
typescript, TS
python, py
golang, go language, Go 语言, go lang
rust, rustlang, Rust 语言
regular expression, regex, regexp, pattern matching, 正则, 正则表达式
glob, wildcard, 通配符
string, text value, 字符串
integer, int, whole number, 整数, 整型
float, floating point, double, decimal number, 浮点, 浮点数, 小数
boolean, bool, true or false, 布尔, 布尔值
array, list, vector, 数组, 列表
dictionary, map, hash map, hash table, associative array, 字典, 哈希表, 映射
linked list, 链表
stack, LIFO
queue, FIFO, 队列, 先进先出
tree, binary tree, 树结构, 二叉树
pointer, reference, 指针, 引用
variable, 变量
constant, const, fixed value, 常量
function, method, procedure, routine, 函数, 方法
callback, callback function, 回调函数
closure, lambda, anonymous function, 闭包, 匿名函数
class, 类定义
object, instance of a class, 对象
interface, trait, abstract type, 接口, 抽象类型
inheritance, subclass, extends, 继承, 子类
polymorphism, 多态
generic, type parameter, template type, 泛型, 类型参数
type, data type, 类型, 数据类型
type inference, 类型推断, 类型推导
type conversion, type cast, cast, 类型转换, 强制转换
null safety, optional type, nullable, 可空, 空安全
decorator, annotation, 装饰器, 注解
macro, 宏定义
iterator, generator, 迭代器, 生成器
loop, iterate, for loop, 循环, 遍历, 迭代
recursion, 递归
if statement, condition, 条件判断, 条件
exception handling, error handling, try catch, handle errors, 异常处理, 错误处理, 捕获异常
return value, result, output, 返回值, 结果, 输出
input, 输入
parser, parse, 解析, 解析器
syntax, grammar, 语法
syntax error, parse error, 语法错误, 解析错误
AST, syntax tree, abstract syntax tree, 语法树, 抽象语法树
comment, code comment, 注释
documentation, docs, manual, guide, 文档, 手册, 说明文档
README, project description, 说明文件, 自述文件
naming, naming convention, naming rule, 命名, 命名规范, 命名规则
indentation, tabs or spaces, 缩进
line length, line width, 行宽, 行长
newline, line ending, line break, CRLF, 换行, 换行符, 行尾
whitespace, blank, 空白, 空格
refactor, restructure, clean up code, 重构, 整理代码
technical debt, tech debt, legacy code, 技术债, 技术债务, 遗留代码, 历史包袱
legacy, old system, legacy system, 遗留系统, 老系统, 旧系统
design pattern, 设计模式
singleton, 单例
factory, factory method, 工厂模式, 工厂方法
observer, listener pattern, 观察者, 观察者模式
dependency injection, DI, inversion of control, IoC, 依赖注入, 控制反转
middleware, interceptor, filter chain, 中间件, 拦截器
wrapper, adapter, facade, 适配器, 包装, 封装
encapsulation, information hiding, 封装
coupling, tightly coupled, 耦合
decouple, loosely coupled, 解耦, 松耦合
abstraction, 抽象
hard-coded, hard coded, magic number, 硬编码, 写死, 魔法数字
pure function, no side effects, 纯函数
immutable, cannot be changed, 不可变
mutable, 可变
serialize, marshal, 序列化
deserialize, unmarshal, 反序列化
thread-safe, thread safe, thread safety, 线程安全
leftover, residue, remains of, 残留, 遗留物
algorithm, 算法
framework, 框架
standard library, built-in function, 标准库, 内置函数
editor, IDE, 编辑器, 开发工具 > vscode, vim, neovim, emacs, intellij, webstorm
keyboard shortcut, hotkey, key binding, keybinding, 快捷键, 热键
autocomplete, code completion, intellisense, 自动补全, 代码补全
debugger, debug mode, 调试器, 调试模式
snippet, code sample, example code, 代码片段, 示例代码
example, sample, demo, 示例, 例子, 样例, 演示

# Architecture
architecture, system design, 架构, 系统设计, 系统架构
microservice, service-oriented, 微服务
monolith, single application, 单体, 单体应用, 单体架构
layer, tier, layered architecture, 分层, 层次
module boundary, separation of concerns, 模块边界, 职责分离, 关注点分离
domain-driven design, DDD, bounded context, 领域驱动, 领域驱动设计, 限界上下文
business logic, domain logic, business rule, 业务逻辑, 业务规则
architecture decision record, ADR, design decision, why was it chosen, 架构决策, 设计决策, 决策记录
tradeoff, pros and cons, compromise, 权衡, 取舍, 优缺点
alternative, other option, replacement, substitute, 替代, 替代方案, 备选
proof of concept, PoC, prototype, 原型, 概念验证, 验证方案
best practice, recommended approach, recommendation, 最佳实践, 推荐做法, 建议
anti-pattern, bad practice, code smell, 反模式, 坏味道
convention, rule, guideline, standard, 约定, 规范, 规则, 准则
entry point, main function, 入口, 入口函数
stateless, without state, 无状态
stateful, 有状态
single point of failure, SPOF, 单点, 单点故障
consensus, raft, paxos, 共识, 共识算法, 一致性协议
quorum, majority, 多数派, 法定人数
consistent hashing, hash ring, 一致性哈希
partition tolerance, split brain, network partition, 脑裂, 网络分区
message format, wire format, protocol, 协议, 报文格式
versioning of an API, API version, 接口版本
integration, connect to, hook up, 集成, 对接, 接入
third-party API, external service, 外部服务, 外部接口, 第三方接口

# Front end and user interface
front end, frontend, client side, client-side, 前端
user interface, UI, GUI, screen, 界面, 用户界面
user experience, UX, usability, 用户体验, 易用性, 交互体验
web page, page, 网页, 页面
website, site, web site, 网站, 站点
browser, 浏览器 > chrome, firefox, safari, edge
mobile, phone, smartphone, 移动端, 手机
app, mobile app, application, 应用, 应用程序
android, 安卓
iOS, iphone, 苹果手机
mini program, wechat mini program, 小程序
component, widget, UI component, 组件, 控件
design system, component library, UI kit, 设计系统, 组件库
layout, page layout, 布局, 排版
responsive, responsive design, adapts to the screen, 响应式, 自适应
style, stylesheet, CSS, 样式, 样式表
theme, color scheme, 主题, 配色, 皮肤
dark mode, dark theme, night mode, 深色模式, 暗黑模式, 夜间模式
color, colour, 颜色
font, typeface, 字体
icon, 图标
picture, image, photo, 图片, 图像, 照片
button, 按钮
click, press, tap, 点击, 按下
form, input form, 表单
input field, text field, text box, textbox, 输入框, 文本框
drop-down, select box, 下拉框, 下拉菜单
checkbox, tick box, 复选框, 勾选
dialog, modal, popup, 弹窗, 对话框, 弹框
tooltip, hover text, hint, 提示, 气泡提示
toast, snackbar, 轻提示
menu, navigation, nav bar, 菜单, 导航, 导航栏
sidebar, 侧边栏
tab, 标签页, 选项卡
scroll, 滚动
drag and drop, drag, 拖拽, 拖放
infinite scroll, load more, 无限滚动, 加载更多
spinner, loading indicator, loading state, 加载中, 加载动画
progress bar, progress, 进度条, 进度
animation, transition, 动画, 过渡效果
render, draw, paint, 渲染, 绘制
re-render, unnecessary rendering, 重新渲染, 重复渲染
server-side rendering, SSR, 服务端渲染
static site, static page, static site generation, SSG, 静态站点, 静态页面
single-page application, SPA, 单页应用
hydration, 水合
state management, 状态管理 > redux, zustand, pinia, mobx, vuex
DOM, document object model, 文档对象模型
event handler, event listener, 事件处理, 事件监听
routing, router, page navigation, 路由, 页面跳转
local storage, localstorage, browser storage, 本地存储, 浏览器存储
accessibility, a11y, screen reader, 无障碍, 可访问性
internationalization, i18n, localization, l10n, translation, multilingual, 国际化, 本地化, 多语言, 翻译
locale, language setting, 语言设置, 区域设置
SEO, search engine optimization, 搜索引擎优化
placeholder, 占位符, 占位
thumbnail, preview image, 缩略图
copy to clipboard, clipboard, 剪贴板, 复制粘贴
print, 打印
visible, shown, display, 显示, 展示, 可见
hidden, invisible, hide, 隐藏, 不可见
enable, turn on, switch on, activate, 启用, 打开, 开启, 激活
disable, turn off, switch off, deactivate, 禁用, 关闭, 停用
search box, search bar, 搜索框
search, 搜索, 查找, 检索

# Files and data formats
file, 文件
directory, folder, 目录, 文件夹
path, file path, location of the file, 路径, 文件路径, 存放位置
file name, filename, 文件名
file extension, suffix, 扩展名, 后缀, 后缀名
file permission, chmod, file mode, 文件权限
symbolic link, symlink, 软链接, 符号链接
temporary file, temp file, tmp, 临时文件, 临时目录
file lock, lock a file, 文件锁
file system, filesystem, 文件系统
read a file, open a file, load a file, 读取文件, 打开文件
write a file, save a file, 写入文件, 保存文件
save, store, keep, 保存, 存储, 储存, 存放
copy, duplicate, 复制, 拷贝
move, relocate, 移动, 搬迁, 挪到
rename, change the name, 重命名, 改名
import, load data, 导入
export, dump data, 导出
convert, conversion, transform, 转换, 转化
format, 格式
encoding, charset, character set, 编码, 字符集
UTF-8, unicode, 统一码
YAML, YML
spreadsheet, excel, 电子表格, 表格
CSV, comma-separated
markdown, MD
protobuf, protocol buffers, 协议缓冲
table of contents, contents, 目录结构
archive file, tarball, zip file, 压缩包
attachment, 附件
metadata, meta information, 元数据, 元信息
data structure, 数据结构
schema validation, JSON schema, 结构校验, 格式校验
raw data, original data, 原始数据
data cleaning, cleanse, cleanup of data, 数据清洗, 清洗
large file, big file, 大文件
size limit, maximum size, file size limit, 大小限制, 最大大小, 体积限制
stdin, standard input, 标准输入
stdout, standard output, 标准输出

# Models and agents
artificial intelligence, AI, 人工智能
machine learning, ML, 机器学习
deep learning, neural network, 深度学习, 神经网络
language model, LLM, large language model, 大模型, 语言模型, 大语言模型
prompt, instruction to the model, system prompt, 提示词, 系统提示词
context window, context length, context limit, 上下文窗口, 上下文长度
context, conversation history, 上下文, 对话历史
token count, token usage, token budget, 令牌数, 词元
agent, assistant, bot, 智能体, 助手, 机器人
chat, conversation, dialogue, 对话, 聊天
tool call, function calling, tool use, 工具调用, 函数调用
retrieval-augmented generation, RAG, 检索增强, 检索增强生成
fine-tuning, 微调
training, train a model, 训练
inference, prediction, 推理, 预测
hallucination, made-up answer, 幻觉, 编造
knowledge base, knowledge, wiki, 知识库, 知识
memory of the agent, remember, recall, 记忆, 记住, 回忆
summary, summarize, abstract, 摘要, 总结, 概括
recommendation system, recommender, 推荐系统

# People, teams and process
team, group, squad, 团队, 小组
developer, engineer, programmer, coder, 开发者, 工程师, 程序员, 开发人员
tester, QA engineer, 测试人员, 测试工程师
product manager, PM, product owner, 产品经理
project manager, 项目经理
designer, UI designer, 设计师
manager, boss, supervisor, team lead, 经理, 主管, 领导, 上级
colleague, coworker, teammate, 同事, 队友
customer, client company, buyer, 客户, 顾客
user, end user, 用户, 使用者
administrator, admin, superuser, root user, 管理员, 超级管理员
owner, person in charge, responsible, maintainer, in charge of, 负责人, 负责, 维护者, 归属
contact, contact person, reach out, 联系人, 联系方式, 联系
author, writer, creator, 作者, 创建者
new hire, newcomer, new employee, joiner, 新人, 新员工, 新同事
onboarding, getting started, orientation, 入职, 新人指南, 上手
offboarding, leave the company, resign, 离职, 交接
handover, hand over, hand off, transfer of work, 交接, 移交
training course, learn, tutorial, 培训, 学习, 教程
meeting, sync meeting, 会议, 开会, 例会
standup, daily meeting, 站会, 每日站会, 晨会
retrospective, retro, 回顾会, 回顾
sprint, iteration, 冲刺, 迭代
backlog, task list, 待办, 需求池, 待办列表
task, todo, work item, action item, 任务, 待办事项
requirement, demand, 需求
user story, story, 用户故事
specification, spec, requirements document, 规格, 规格说明, 需求文档
milestone, target date, 里程碑
schedule, timeline, roadmap, plan, 计划, 排期, 路线图, 规划, 日程
deadline, due date, cut-off date, 截止日期, 截止时间, 交付日期, 期限
estimate, story points, 估算, 评估, 工时
priority, urgency, importance, 优先级, 重要程度
urgent, critical, high priority, emergency, 紧急, 加急, 危急
severity, severity level, P0, 严重程度, 严重级别, 故障等级
escalate, 升级处理, 上报
agile, scrum, 敏捷, 敏捷开发
kanban, task board, 任务看板
workload, effort, 工作量
blocker, blocked, obstacle, 阻碍, 阻塞项, 卡点
decision, decide, agreed, conclusion, 决定, 决策, 结论
agreement, consensus, 共识, 一致意见
policy, company rule, 政策, 制度, 规定
process, procedure, workflow, 流程, 步骤, 规程
instructions, step by step, 操作步骤, 步骤, 操作说明
checklist, list of steps, 检查清单, 清单, 核对表
approval process, who approves, 审批流程, 审批
remote work, work from home, WFH, 远程办公, 居家办公, 在家办公
holiday, vacation, day off, leave, time off, 假期, 休假, 请假, 年假
office, workplace, 办公室, 办公地点, 工位
budget, funding, 预算, 经费
invoice, receipt, 发票, 收据
salary, wage, pay, 工资, 薪资, 薪水
payment, pay, checkout payment, 支付, 付款
refund, money back, reimburse, 退款, 退钱, 报销
order, purchase, 订单, 下单
price, fee, charge, 价格, 定价, 收费, 费用
discount, coupon, promotion, 折扣, 优惠券, 优惠
inventory, stock, 库存
currency, money, amount, 货币, 币种, 金额
tax, VAT, 税率, 税费, 税收, 增值税
reconciliation, reconcile, balance the books, 对账, 核对
settlement, clearing, 结算, 清算
wallet, 钱包
subscription, membership, 订阅, 套餐, 会员
contract, agreement document, 合同, 协议
feedback, opinion, 反馈, 意见
complaint, complain, 投诉, 抱怨
support, help desk, customer service, 客服, 技术支持, 支持
help, assistance, 帮助, 协助
announcement, broadcast, 公告, 通告, 宣布

# Preferences and facts about people
prefer, favorite, favourite, like best, likes, 喜欢, 偏好, 偏爱, 倾向, 最喜欢
dislike, hate, do not like, 不喜欢, 讨厌
habit, usually, normally, routine, 习惯, 通常, 平时, 一般
language of replies, reply in, answer in, 回复语言, 用中文回答
tone, writing style, 语气, 文风
concise, brief, short, terse, 简洁, 简短, 简明
detailed, verbose, thorough, in depth, 详细, 详尽, 深入
nickname, called, goes by, alias, 昵称, 别名, 叫做
full name, real name, 全名, 姓名, 真名
birthday, date of birth, born, 生日, 出生日期
age, years old, 年龄, 几岁
address, where someone lives, lives in, residence, home address, 住址, 地址, 住在
hometown, comes from, birthplace, 家乡, 老家, 来自
phone number, mobile number, telephone, 电话, 手机号, 电话号码
occupation, profession, works as, job title, 职业, 职位, 职务, 岗位
employer, company, works for, works at, 公司, 单位, 雇主, 任职
family, relatives, 家人, 家庭
spouse, partner, 配偶, 爱人 > wife, husband, 妻子, 丈夫
wife, 妻子, 太太, 老婆
husband, 丈夫, 先生, 老公
married, marriage, wedding, 结婚, 婚姻, 已婚
child, children, kid, 孩子, 子女, 小孩 > son, daughter, 儿子, 女儿
son, 儿子
daughter, 女儿
parents, 父母 > mother, father, 母亲, 父亲
pet, 宠物 > dog, cat, 小狗, 小猫
hobby, interest, pastime, 爱好, 兴趣
food, meal, dish, 食物, 吃饭, 饮食, 餐食
allergy, allergic, cannot eat, 过敏, 忌口
vegetarian, vegan, 素食
coffee, 咖啡 > espresso, latte, cappuccino, 拿铁, 美式
drink, beverage, 饮料, 饮品 > coffee, tea, 咖啡, 喝茶
travel, trip, journey, 旅行, 出差, 旅游
doctor, physician, 医生
health, medical, illness, 健康, 身体, 疾病
car, vehicle, 汽车, 车辆
laptop, computer, notebook, workstation, 笔记本, 电脑, 笔记本电脑
keyboard layout, keymap, 键盘布局
goal, aim, objective, purpose, target, 目标, 目的
skill, expertise, good at, proficient, 擅长, 技能, 精通
experience, background, worked with, 经验, 经历
education, degree, university, graduated, 学历, 毕业, 大学

apply for, request access, ask for permission, 申请
clean up, clear out, tidy, 清理, 打扫

# Dates, times and amounts
date, 日期, 哪天
time zone, timezone, UTC offset, local time, 时区, 当地时间
UTC, GMT, coordinated universal time, 世界协调时, 标准时间
timestamp, time stamp, epoch, unix time, 时间戳
duration, length of time, 时长, 持续时间, 多长时间
interval, period, frequency, every so often, 间隔, 周期, 频率
daily, every day, each day, 每天, 每日
weekly, every week, once a week, 每周
monthly, every month, 每月
yearly, annual, every year, 每年, 年度
hourly, every hour, 每小时
weekday, working day, business day, workday, 工作日
weekend, 周末 > saturday, sunday, 周六, 周日
saturday, 星期六, 周六
sunday, 星期日, 星期天, 周日
monday, 星期一, 周一
tuesday, 星期二, 周二
wednesday, 星期三, 周三
thursday, 星期四, 周四
friday, 星期五, 周五
january, 一月, 1月
february, 二月, 2月
march, 三月, 3月
april, 四月, 4月
june, 六月, 6月
july, 七月, 7月
august, 八月, 8月
september, 九月, 9月
october, 十月, 10月
november, 十一月, 11月
december, 十二月, 12月
quarter, 季度 > Q1, Q2, Q3, Q4
today, 今天, 今日
yesterday, 昨天
tomorrow, 明天
morning, 早上, 上午, 早晨
afternoon, 下午, 午后
evening, night, at night, overnight, 晚上, 夜间, 夜里, 凌晨
midnight, 午夜, 零点
noon, midday, 中午
recent, latest, newest, most recent, 最近, 最新
old, former, previous, earlier, 以前, 旧的, 原来
current, present, now, at the moment, 当前, 目前, 现在
original, initial, 最初, 初始, 原始
final, 最终, 最后
temporary, short-term, interim, for now, 临时, 暂时
permanent, forever, long-term, 永久, 永远, 长期
maximum, max, upper limit, upper bound, at most, cap, ceiling, no more than, 最大, 最大值, 上限, 最多, 不超过
minimum, min, lower limit, lower bound, at least, floor, 最小, 最小值, 下限, 至少, 最少
number, count, amount, quantity, total, 数量, 总数, 个数
average, mean, 平均, 平均值
sum, total amount, 总和, 合计
percent, percentage, ratio, proportion, 百分比, 比例, 占比
half, fifty percent, 50%, 一半
double, twice as much, two times, 两倍, 翻倍
increase, grow, raise, rise, 增加, 增长, 提高, 上升, 调大
decrease, reduce, lower, drop, 减少, 降低, 下降, 调小
hundred, 一百
thousand, 一千
million, 百万
billion, 十亿
minute, 分钟
second, 秒钟
hour, 小时, 钟头
week, 星期, 礼拜
month, 月份
year, 年份
size, dimension, 大小, 尺寸
length, 长度
width, 宽度
height, 高度
weight, 重量, 权重
range, interval of values, 范围, 区间
limit, cap, restriction, 限制, 上限
approximately, roughly, estimated, 大约, 大概, 左右
exact, precise, 精确, 准确, 恰好
sequence, order, 顺序, 次序

# Common verbs and properties
create, generate, set up, 创建, 新建, 生成
utilize, adopt, 使用, 采用
choose, select, pick, opt for, 选择, 选用, 选型, 挑选
replace, swap, substitute, switch to, 替换, 更换, 换成, 改用
move away from, migrate from, abandon, 弃用, 迁出
run, execute, perform, 运行, 执行
call, invoke, 调用
send, deliver, dispatch, transmit, 发送, 投递
receive, get delivered, 接收, 收到
open, 打开
close, 关闭
connect, attach, 连接, 接上
disconnect, detach, 断开
wait, await, 等待
block, prevent access, 拦截, 阻止, 封禁
allow, permit, 允许, 放行
reject, refuse, deny, decline, 拒绝, 驳回
mandatory, must, compulsory, required, 必须, 强制, 必填
optional, not required, 可选, 非必填
forbidden to use, must not, not allowed, prohibited, banned, 禁止, 不允许, 不得, 严禁
check, inspect, examine, 检查, 查看
measure, 测量, 度量
calculate, compute, 计算, 运算
compare, comparison, versus, 比较, 对比
combine, join together, concatenate, 组合, 拼接
split, divide, separate, break up, 拆分, 分割, 切分
group, classify, categorize, 分组, 归类
filter, exclude, 过滤, 筛选, 排除
include, contain, consist of, 包含, 包括
match, correspond, 匹配, 对应
assign, allocate, 分配, 指派
share, 共享, 分享, 共用
publish package, release a package, npm publish, 发包, 发布包
subscribe to updates, follow, watch, 关注
watch files, file watcher, detect changes, 文件监听, 监听文件, 监视文件
detect, discover, recognize, identify, 检测, 发现, 识别
handle, deal with, process, 处理, 应对
manage, administer, 管理
maintain, maintenance, upkeep, 维护, 保养
support a feature, supported, 支持
automatic, automate, 自动, 自动化
manual, by hand, 手动, 手工, 人工
required version, minimum version, supported version, 最低版本, 版本要求
local, on my machine, 本地, 本机
global, 全局
remote, 远程, 远端
public, 公开, 公共
private, internal, 私有, 内部
secure, safe, safety, 安全
reliable, stable, stability, robust, 可靠, 稳定, 稳定性, 可靠性, 健壮
available, ready, usable, 可用, 就绪
empty, blank, nothing in it, 空的, 为空
invalid, illegal value, not valid, malformed, 无效, 非法, 不合法
valid, legal, 有效, 合法
correct, right, accurate, 正确
wrong, incorrect, mistaken, inaccurate, 错误, 不对, 不正确
identical, equal, 相同, 一样, 相等
different, distinct, 不同, 不一样
simple, easy, straightforward, 简单, 容易
difficult, complicated, complex, 困难, 复杂
important, essential, key point, 重要, 关键
main, primary, principal, 主要, 首要
additional, extra, 额外, 附加
unused, not used, idle, 未使用, 闲置, 空闲
unknown, undefined, unclear, 未知, 未定义, 不明
missing, lacking, absent, 缺少, 缺失
reason, cause, because of, 原因, 理由, 起因
effect, impact, consequence, 影响, 后果
purpose, intended use, 用途, 作用
advantage, benefit, strength, 优点, 好处, 优势
disadvantage, drawback, downside, weakness, 缺点, 坏处, 劣势
problem, trouble, difficulty, 问题, 麻烦
solution, remedy, approach, 解决方案, 办法, 方案
method, technique, 方法, 方式, 手段
rule of thumb, heuristic, 经验法则, 启发式
location, place, position, 位置, 地点
name, called, title, 名称, 名字, 标题
description, explanation, 描述, 说明, 解释
definition, meaning, 定义, 含义, 意思
condition, requirement, prerequisite, precondition, 条件, 前提, 前置条件
source, origin, comes from, 来源, 源头
destination, target, 目的地, 目标地址
current state, status, state, 状态, 现状
history, past, 历史
next step, follow-up, 下一步, 后续
progress, 进展, 进度
`;
