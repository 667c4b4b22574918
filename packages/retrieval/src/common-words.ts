import { stem } from 'porter2';

const stems = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/u).map((word) => stem(word)));
const words = (list: string): readonly string[] => list.split(/\s+/u);

/**
 * Words that say nothing about the subject of a question: they ask, refer, count or connect. They are searched for, but they are not
 * evidence, and a document is not expected to have them.
 */
export const functionWords: ReadonlySet<string> = stems(
  `above across after again against ago all almost along already also although always among any anyone anything around away
  back because become before behind below beside besides between beyond both cannot come despite exactly down during each either else ever
  every everyone everything except exist few find first further get give go gone happen hardly hello help here herself hi
  himself however if instead itself kind know known least less let like likely long lot make many may maybe me might more most
  much must myself near nearly need neither never next nobody none nothing now often ok okay once one only onto other others
  ought ourselves per perhaps please possible possibly quite rather really same see several show since someone somebody
  something sometimes somewhere soon sort still sure take tell thanks themselves thing though through throughout thus together
  too toward towards unless unlike upon us use usually via want way whatever whenever wherever whether whichever within without
  yes yet yourself
  zero hour minute day week month year today yesterday tomorrow two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand half second third`,
);

/** Words that many questions have, whatever their subject. They are a little evidence. */
export const generalWords: ReadonlySet<string> = stems(
  `able accept actual add allow answer appear apply ask available avoid bad begin best better big bit bring call care case
  cause change check choose clear close come common compare complete consider correct cost couple create current deal
  decide detail differ difference different difficult do easy effect end enough ensure entire error exact example expect
  explain extra fact fast few fill fine fix follow form full general good great guide handle hard high hold idea important
  improve include information inside interest issue item keep keeping large last late later lead learn leave limit little look
  lose low main maintain manage matter maximum mean means meet method minimum mistake move must name necessary new
  newest normal number occur offer old open opinion option outside own part people person place plan point practice prefer
  present prevent problem process project provide purpose put question quick quickly reach ready real reason receive recommend
  reduce related relevant remain remove require responsible result right rule run safe save say seem select send separate set
  short should similar simple single situation small solution solve special specific standard start state stay step stop
  strange structure suddenly suggest support system talk task team think time top total try turn type understand up
  update usual value various very well whole wide word work world worse worst write wrong
  absolute accidental accompany afraid agree aim alive alone amazing amount angry approach arrive aspect assume attempt attention
  automatic aware awful badly believe belong bold brief bright broad bunch busy calm careful certain chance circumstance claim
  clever comfortable complain concern confident confuse consequence constant convenient convince crazy crucial curious daily
  danger dangerous dark deep degree delicate demand describe deserve dirty disadvantage discover discuss doubt dozen eager
  early earn efficient effort elegant enjoy enormous equal excellent experience extent extreme familiar famous fancy feel fell
  felt fight final fraction frequent fresh friendly fun funny gain gather gave gentle gone got gradual grow guess guy habit
  handful happy hate heard hear heavy honest huge hurt ideal imagine immediate inner intend introduce involve judge knew knock
  laugh lay lazy lie lift live loud love luck lucky mad made majority manner massive mature mere mess minor modern mood moment
  mysterious narrow natural neat nice notice observe obtain obvious odd opportunity ordinary otherwise outer overall owe pain
  painful perfect pick plain pleasant plenty polite poor popular portion potential powerful precise pretend pretty proper
  properly proud prove pure raise ran rare realize reasonable recent recognize refer regard regular rely remind rest rise rough
  rude rush sad sake satisfy saw scary seek seen sense serious severe shallow sharp side sight silly sit slight slow smart
  smooth sole solid speak spend spoke spread stand stick stood strict strong struggle stuff stupid succeed suffer suppose sure
  surprise survive suspect sweet teach tend terrible thick thin thought throw tidy tiny tire told took touch tough treat trick
  tricky trouble true typical ugly unable unexpected unfortunate unusual urgent useful useless vague vast visit wait warn weak
  wear weird went wild win wise wish wonder wonderful worry worth`,
);

/** The same in Chinese, the longest first. */
export const functionPhrases: readonly string[] = words(
  `为什么 為什麼 怎么样 怎麼樣 怎么办 怎麼辦 多长时间 多少时间 是不是 有没有 能不能 可不可以 会不会 要不要 应不应该 什么样 哪一个
  一个 一些 一下 一样 一直 一种 一般 一起 一次 一遍 什么 什麼 怎么 怎麼 怎样 怎樣 如何 多少 多久 多大 多长 多高 几个 几种 几天 几次 哪些 哪个
  哪里 哪裡 哪种 哪家 哪位 哪天 谁来 何时 为何 是否 可以 应该 應該 需要 必须 必須 能够 不能 不会 不要 不是 不到 没有 沒有 已经 已經 因为 因為 所以
  如果 但是 而且 或者 还是 還是 虽然 以及 关于 關於 对于 對於 根据 通过 除了 由于 之后 之前 以后 以前 以上 以下 以内 之间 之内 的话 时候 時候
  现在 現在 后来 然后 我们 我們 你们 他们 自己 大家 这个 這個 那个 这些 那些 这样 这里 那里 其他 其它 另外 比较 非常 很多 许多 所有 全部 每个
  每次 每天 只有 只能 还有 就是 都是 不同 知道 请问 請問 看看 看到 出来 起来 下来 进行 進行 发生 發生 出现 出現 使用 用到 用来 采用 叫做 属于
  来自 成为 得到 变成 觉得 认为 希望 想要 打算 告诉 帮我 帮忙 到底 究竟 真的 东西 東西 地方 个人 分别 相关 有关 其中 为了 几点 多高 多快 今天 明天 昨天 每周 每月 每年 小时 小時 分钟 分鐘`,
).toSorted((left, right) => right.length - left.length);

export const generalPhrases: readonly string[] = words(
  `问题 問題 情况 情況 处理 處理 方法 办法 步骤 步驟 流程 规定 规则 规范 要求 标准 内容 时间 時間 原因 结果 结论 介绍 说明 解决 解決 操作 设置
  选择 選擇 决定 支持 包括 包含 增加 减少 提高 降低 修改 改变 变化 变更 改成 改了 开始 開始 结束 完成 停止 继续 打开 关闭 负责 管理 维护 申请
  准备 检查 注意 区别 关系 作用 目的 好处 建议 计划 安排 最多 最少 最长 最短 最大 最小 最高 最低 最新 最近 第一 第二 主要 重要 具体 详细 简单
  新的 旧的 系统 系統 公司 团队 部门 人员 员工 项目 工作 业务 功能 服务 平台 方案 策略 格式 类型 名称 名字 数量 大小 位置 地址 方式 形式 范围
  证明 保证 确保 避免 防止 忘了 忘记 记得 想起 发现 看见 听说 说明 表示 认识 了解 理解 明白 相信 担心 害怕 小心 尽量 尽快 尽可能 努力 尝试
  试试 帮助 提供 给出 拿到 收到 得知 带来 造成 导致 引起 产生 形成 存在 保持 保留 留下 剩下 放在 放到 拿来 找到 找不到 做到 做好 做完 写好 写到 改好
  变得 变高 变低 变多 变少 变大 变小 太快 太慢 太多 太少 太大 太小 太长 太短 很快 很慢 很大 很小 不够 足够 左右 大概 大约 几乎 完全 一定 肯定 也许
  可能 似乎 好像 其实 本来 原来 总是 一般 通常 往往 常常 有时 偶然 马上 立刻 立即 逐渐 慢慢 渐渐 重新 再次 首先 最后 最终 终于 仍然 依然 仅仅 至少
  至多 最好 不同 相同 一致 类似 同样 正确 错误 合适 合理 适合 方便 容易 困难 难以 复杂 快速 缓慢 严重 危险 安心 可靠 有用 无用 多余 奇怪 特别 特殊 普通
  常见 少见 全新 完整 部分 大部分 少数 多数 一半 整个 任何 某个 某些 各个 各种 各自 互相 相互 共同 单独 独立 一口气
  下次 上次 经常 偶尔 突然 直接 同时 以为 出错 报错 失败 正常 怀疑 喜欢 喜歡 习惯`,
).toSorted((left, right) => right.length - left.length);
