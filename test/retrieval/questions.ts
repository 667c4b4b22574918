/**
 * Questions about the facts, in other words than theirs. Those for tuning decided the thresholds of `evidence.ts`. Those that
 * are held out were written before that tuning, and only report its result.
 */

export interface Question {
  readonly language: 'en' | 'zh';
  readonly query: string;
  /** The facts that answer the question. Empty: no fact does. */
  readonly wanted: readonly string[];
  /** Whether the question is only reported and no rule was chosen by its result. */
  readonly isHeldOut: boolean;
}

type Row = readonly [query: string, ...wanted: string[]];

const tunedEnglish: readonly Row[] = [
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

const tunedChinese: readonly Row[] = [
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
const tunedEnglishWithoutAnswer: readonly string[] = [
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
  "what is the name of the user's dog",
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

const tunedChineseWithoutAnswer: readonly string[] = [
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

const heldOutEnglish: readonly Row[] = [
  ['which image service scales pictures', 'e21'],
  ['when will the old PHP shop be turned off', 'e22'],
  ['how do I start the shop locally', 'e23'],
  ['may unit tests talk to Stripe', 'e24'],
  ['where do the colours of the design system come from', 'e27'],
  ['in which time zone do we save dates', 'e28'],
  ['last time a backup was restored as a drill', 'e30'],
  ['which service is not written in TypeScript', 'e32'],
  ['can I run terraform apply from my laptop', 'e33'],
  ['how fast can we send emails', 'e34'],
  ['who checks the translated product texts', 'e35'],
  ['why was Elasticsearch dropped', 'e38'],
  ['until when can an order be cancelled', 'e39'],
  ['how long does a session live', 'e41'],
  ['is console.log allowed', 'e44'],
  ['where is the build cache of the monorepo', 'e45'],
  ['how are kubernetes namespaces named', 'e46'],
  ['why should workers not be restarted on the first day of a month', 'e48'],
  ['how is VAT rounded', 'e49'],
  ['who sets the priorities', 'e50'],
  ['do big refunds need a second signature', 'e51'],
  ['how can I reach the admin interface', 'e53'],
  ['which tool do we use for browser tests', 'e56'],
  ['how often is the recommender retrained', 'e58'],
  ['login for sales demos', 'e62'],
  ['how many frontend errors reach Sentry', 'e63'],
  ['how long must financial reports be archived', 'e65'],
  ['British or American spelling of identifiers', 'e67'],
  ['when does the Rotterdam stock file arrive', 'e70'],
  ['how do I fill the database with test products', 'e73'],
];

const heldOutChinese: readonly Row[] = [
  ['缓存是怎么做的', 'z08'],
  ['后端返回的时间是什么格式', 'z09'],
  ['一个手机号一天能收多少条短信', 'z11'],
  ['优惠券可以一起用吗', 'z15'],
  ['产品经理是哪位', 'z16'],
  ['对账任务几点跑', 'z18'],
  ['用户怎么登录系统', 'z21'],
  ['小程序要提前多久提交审核', 'z22'],
  ['分支该怎么命名', 'z23'],
  ['库存是在哪里扣减的', 'z24'],
  ['中文分词用的什么', 'z27'],
  ['表名的命名规范', 'z28'],
  ['客服几点下班', 'z30'],
  ['PHP 老系统还要运行到什么时候', 'z31'],
  ['导出大报表会怎么处理', 'z34'],
  ['改了配置要不要重启服务', 'z35'],
  ['双十一前后能不能上线代码', 'z36'],
  ['会员有几个等级', 'z37'],
  ['谁在性能测试报告上签字', 'z41'],
  ['商品标题有字数限制吗', 'z42'],
  ['用户用的什么编辑器', 'z44'],
  ['提交信息用哪种语言写', 'z45'],
  ['最低支持安卓几', 'z46'],
  ['开发票用的是哪个平台', 'z48'],
  ['网关的路由配置存在什么地方', 'z49'],
  ['积分会清零吗', 'z54'],
  ['域名什么时候到期', 'z55'],
  ['财务哪天给供应商付款', 'z56'],
  ['弹幕断线之后多久重连', 'z60'],
  ['灰度发布一开始给多少流量', 'z70'],
];

const heldOutEnglishWithoutAnswer: readonly string[] = [
  'which insurance covers the warehouse',
  'who founded the team in Porto',
  'what does a DHL parcel to Norway cost',
  'how many customers do we have',
  'which keyboard layout does the user have',
  'where is the coffee machine',
  'what is the maximum length of a product title',
  'which machine learning framework trains the recommender',
  'does the shop accept bitcoin',
  'who translated the terms of service',
  'when is the next company party',
  'how do I get a parking permit',
  'what is the memory limit of the gateway container',
  'which font does the web shop use',
  'is there a student discount',
  'what is the salary of a senior engineer',
  'how is the loyalty program calculated',
  'which DNS provider do we use',
  'what was the revenue in 2025',
  'who signs the contract with Cloudflare',
];

const heldOutChineseWithoutAnswer: readonly string[] = [
  '食堂几点开门',
  '我们的竞争对手有哪些',
  '张伟的电话号码',
  '直播间最多容纳多少人',
  '商标注册了吗',
  '哪个部门管理办公用品',
  '电脑多久可以换新',
  '用户的生日是哪天',
  '海外仓库在哪个国家',
  '支付宝的手续费率',
  '怎么报销差旅费',
  '搜索结果按什么排序',
  '服务器一年花多少钱',
  '新版本的名字叫什么',
  '谁写了用户协议',
  '有没有夜间模式',
  '短信服务商是哪家',
  '实习生的工资标准',
  '停车位怎么申请',
  '邮件退订的链接在哪',
];

interface Group {
  readonly language: Question['language'];
  readonly isHeldOut: boolean;
  readonly answerable: readonly Row[];
  readonly unanswerable: readonly string[];
}

function questionsOf({ language, isHeldOut, answerable, unanswerable }: Group): Question[] {
  return [
    ...answerable.map(([query, ...wanted]) => ({ language, query, wanted, isHeldOut })),
    ...unanswerable.map((query) => ({ language, query, wanted: [], isHeldOut })),
  ];
}

const groups: readonly Group[] = [
  { language: 'en', isHeldOut: false, answerable: tunedEnglish, unanswerable: tunedEnglishWithoutAnswer },
  { language: 'zh', isHeldOut: false, answerable: tunedChinese, unanswerable: tunedChineseWithoutAnswer },
  { language: 'en', isHeldOut: true, answerable: heldOutEnglish, unanswerable: heldOutEnglishWithoutAnswer },
  { language: 'zh', isHeldOut: true, answerable: heldOutChinese, unanswerable: heldOutChineseWithoutAnswer },
];

/** 120 questions with an answer and 80 without, half of each held out. */
export const questions: readonly Question[] = groups.flatMap(questionsOf);
