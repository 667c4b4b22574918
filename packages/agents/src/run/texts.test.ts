import { expect, test } from 'vitest';
import { runTexts } from './texts.ts';

test('the texts of a run', () => {
  const linesOf = (texts: (typeof runTexts)['en']): string[] => [
    texts.lastStep(50),
    texts.aborted(undefined),
    texts.aborted('stop'),
    texts.timeout(600),
    texts.steps(50),
    texts.tokens(1000),
    texts.length,
    texts.filter,
    texts.noText,
    texts.error('it is busy'),
    texts.notRun('it ended'),
    texts.stopped('it ended'),
    texts.unknownOutcome('it ended'),
    texts.notBegun,
    texts.summaryPending,
    texts.invalidJson('read', 'bad'),
    texts.invalidInput('read', 'bad'),
    texts.threw('read', 'bad'),
    texts.tooLarge('read', '20 MB', '16 MB'),
  ];
  expect(linesOf(runTexts.en)).toMatchInlineSnapshot(`
    [
      "This is the last of 50 steps: no more tools can be called. Answer now. State what is done and what is left.",
      "the run was aborted",
      "the run was aborted (stop)",
      "the run reached its time limit of 600 s",
      "the run reached its limit of 50 steps",
      "the run reached its limit of 1000 tokens",
      "the answer reached the largest size that the model can write",
      "a filter of the provider cut the answer",
      "the model ended its last answer without a text",
      "the model failed: it is busy",
      "Not called: it ended. Nothing was done.",
      "Stopped: it ended. Check what the call changed before you repeat it.",
      "Outcome unknown: it ended before the call ended. Check what it changed before you repeat it.",
      "The run ended before it could begin: the store or the tools did not answer. Nothing was sent or stored.",
      "The run will let the model summarize the main conversation again; sentences of it are shown here instead.",
      "read: the arguments are not valid JSON (bad). Nothing was done. Call it again with a JSON object.",
      "read: invalid arguments: bad. Nothing was done. Call it again with other arguments.",
      "read failed unexpectedly: bad. Check what it changed before you repeat it.",
      "read was called, but its result of 20 MB is not shown: at most 16 MB fit into a message. Call it so that it returns less.",
    ]
  `);
  expect(linesOf(runTexts.zh)).toMatchInlineSnapshot(`
    [
      "这是 50 步中的最后一步：不能再调用工具。请现在作答，说明已完成的和未完成的部分。",
      "运行被中止",
      "运行被中止（stop）",
      "运行达到了 600 秒的时间上限",
      "运行达到了 50 步的上限",
      "运行达到了 1000 个 token 的上限",
      "回答达到了模型的输出上限",
      "服务商的过滤器截断了回答",
      "模型的最后一次回答没有文本",
      "模型失败：it is busy",
      "未调用：it ended。没有执行任何操作。",
      "已停止：it ended。重试之前，请先检查这次调用改变了什么。",
      "结果未知：调用结束之前，it ended。重试之前，请先检查它改变了什么。",
      "运行在开始之前就结束了：存储或工具没有响应。没有发送或保存任何内容。",
      "运行时模型会重新总结主会话；这里改为显示其中的句子。",
      "read：参数不是有效的 JSON（bad）。没有执行任何操作。请用 JSON 对象重新调用。",
      "read：参数无效：bad。没有执行任何操作。请换用其他参数重新调用。",
      "read 意外失败：bad。重试之前，请先检查它改变了什么。",
      "read 已被调用，但其 20 MB 的结果没有显示：一条消息最多容纳 16 MB。请换一种调用方式以返回较少的内容。",
    ]
  `);
});
