/** Questions about the facts, in other words than theirs. They were written before anything was tuned with them. */

export interface Question {
  readonly language: 'en' | 'zh';
  readonly query: string;
  /** The facts that answer the question. Empty: no fact does. */
  readonly wanted: readonly string[];
  /** Whether the question is only reported and no rule was chosen by its result. */
  readonly isHeldOut: boolean;
}

type Row = readonly [query: string, ...wanted: string[]];

const english: readonly Row[] = [
  ['which port does the gateway use', 'e01'],
  ['what package manager should I install dependencies with', 'e02'],
  ['postgres version in production', 'e03'],
  ['on which days do we release', 'e04'],
  ['who is responsible for billing', 'e05'],
  ['how do we store money amounts', 'e06'],
  ['how long should my answers to the user be', 'e07'],
  ['can the ORM create database migrations', 'e08'],
  ['why did we pick kafka instead of rabbitmq', 'e13'],
  ['where can I look at the logs of a service', 'e12'],
  ['when do access tokens become invalid', 'e18'],
  ['is the staging environment up on saturday', 'e20'],
  ['how many requests per minute does the public API allow', 'e25'],
  ['supported node versions', 'e26'],
  ['how often is the database backed up', 'e29'],
  ['does the user have any food allergies', 'e31'],
  ['minimum test coverage in CI', 'e36'],
  ['can two discount codes be used together', 'e40'],
  ['when does the DHL agreement run out', 'e43'],
  ['how are uploads of big files handled', 'e42'],
  ['who gets paged for critical alerts', 'e47'],
  ['what happens when a webhook delivery fails', 'e52'],
  ['hashing algorithm for passwords', 'e54'],
  ['which editor does the user work with', 'e55'],
  ['how many approvals does a schema change need', 'e61'],
  ['clear the CDN cache', 'e60'],
  ['naming convention for git branches', 'e68'],
  ['which phones does the app run on', 'e75'],
  ['how do I delete the personal data of a customer', 'e80'],
  ['roll back a bad deployment', 'e69'],
];

const chinese: readonly Row[] = [
  ['支付服务是用什么语言写的', 'z01'],
  ['线上用的是哪种数据库', 'z02'],
  ['什么时候发版', 'z03'],
  ['订单模块由谁负责', 'z04'],
  ['金额怎么存储', 'z06'],
  ['怎么访问测试环境', 'z07'],
  ['Redis 的键要用什么前缀', 'z08'],
  ['前端用了哪个框架', 'z10'],
  ['验证码多久失效', 'z11'],
  ['日志存在哪里，存多久', 'z12'],
  ['合并代码要几个人审核', 'z13'],
  ['上传图片的大小限制', 'z14'],
  ['为什么选择 RocketMQ', 'z17'],
  ['用户有什么忌口', 'z19'],
  ['覆盖率低于多少会导致构建失败', 'z20'],
  ['机房在哪些城市', 'z25'],
  ['退款要谁批准', 'z26'],
  ['怎样在本地把项目跑起来', 'z29'],
  ['身份证号怎么展示', 'z32'],
  ['接口每秒能调用几次', 'z33'],
  ['订单多长时间不付款会被取消', 'z38'],
  ['合作的快递公司有哪些', 'z39'],
  ['告警规则放在哪个目录', 'z40'],
  ['备份会保存几天', 'z43'],
  ['对外接口的签名算法', 'z50'],
  ['上次故障是什么引起的', 'z59'],
  ['周会几点开，在哪开', 'z62'],
  ['输错密码会怎样', 'z64'],
  ['怎么申请服务器的权限', 'z71'],
  ['下单接口的性能如何', 'z76'],
];

/** No fact answers these, though most are about the same project. */
const englishWithoutAnswer: readonly string[] = [
  'what is the phone number of the support hotline',
  'who maintains the data warehouse',
  'which version of Ruby do we use',
  'how much does the Meilisearch license cost',
  'when was the company founded',
  'which port does the metrics exporter listen on',
  'how do customers change their shipping address',
  'where is the documentation of the loyalty program',
  'what did the penetration test find',
  'how many employees work in Berlin',
  'what is the name of the user\'s dog',
  'does the app work offline',
  'which bank handles our payouts',
  'how do I run the end to end tests in Safari only',
  'what is the budget for advertising next quarter',
  'is there a dark mode in the admin interface',
  'which license does our open source SDK have',
  'how do I become a member of the security team',
  'what is the wifi password of the office',
  'how large is the production database',
];

const chineseWithoutAnswer: readonly string[] = [
  '公司的总部地址在哪里',
  '去年的销售额是多少',
  '谁负责数据仓库',
  '年假有多少天',
  '会议室的投影仪怎么连接',
  '我们用哪家银行收款',
  '安全漏洞应该报告给谁',
  '客服电话是多少',
  '用户的孩子叫什么名字',
  '项目的开源许可证是什么',
  '小程序支持分享到朋友圈吗',
  '广告预算由哪个部门审批',
  '打印机坏了找谁修',
  '订单导出支持哪些语言',
  '数据库的磁盘还剩多少空间',
  '商品可以用外币结算吗',
  '深圳办公室有多少员工',
  '怎么重置管理员的手机令牌',
  '下一次团建去什么地方',
  '推荐算法用的是什么模型',
];

/** Every second question is held out. */
function questionsOf(language: Question['language'], rows: readonly Row[]): Question[] {
  return rows.map(([query, ...wanted], index) => ({ language, query, wanted, isHeldOut: index % 2 === 1 }));
}

export const questions: readonly Question[] = [
  ...questionsOf('en', english),
  ...questionsOf('zh', chinese),
  ...questionsOf(
    'en',
    englishWithoutAnswer.map((query): Row => [query]),
  ),
  ...questionsOf(
    'zh',
    chineseWithoutAnswer.map((query): Row => [query]),
  ),
];
