import type { Language } from '@cairn/tool/kernel';

const en = {
  noResult: 'No result: the call had not ended when this conversation was read.',
  noBeginning: '(The beginning of this conversation is missing.)',
  /** Before the result that a run of an agent handed to main. */
  handedBack: (agent: string): string => `(The agent ${agent} ran outside this conversation. Its result:)`,
  empty: '(empty message)',
  ended: (reason: string): string => `(This turn ended early: ${reason})`,
  /** In a result, in place of its image, which is in the message after it. */
  imageBelow: (number: number): string => `[image ${number}: in the next message]`,
  image: (number: number): string => `[image ${number} of the results above]`,
  oldImage: (what: string): string => `[An earlier image (${what}) is no longer shown: only newer ones are.]`,
  file: (mediaType: string, size: string): string => `[${mediaType}, ${size}: not shown]`,
  /** Without a size, something has a form that messages cannot have. */
  cut: (size: string | undefined, most: string): string =>
    size === undefined
      ? '[Not kept whole: it has a form that this conversation cannot keep.]'
      : `[Not kept whole: it had ${size}, and a message of this conversation has at most ${most}.]`,
  call: (agent: string, tool: string): string => `[${agent}, call of ${tool}]`,
  result: (agent: string, tool: string): string => `[${agent}, result of ${tool}]`,
};

const zh: typeof en = {
  noResult: '无结果：读取此对话时，该调用尚未结束。',
  noBeginning: '（此对话的开头缺失。）',
  handedBack: (agent) => `（agent ${agent} 在此对话之外运行，其结果如下：）`,
  empty: '（空消息）',
  ended: (reason) => `（本轮提前结束：${reason}）`,
  imageBelow: (number) => `[图片 ${number}：见下一条消息]`,
  image: (number) => `[以上结果中的图片 ${number}]`,
  oldImage: (what) => `[较早的图片（${what}）不再显示：只显示较新的图片。]`,
  file: (mediaType, size) => `[${mediaType}，${size}：未显示]`,
  cut: (size, most) =>
    size === undefined
      ? '[未完整保存：其形式无法保存在此对话中。]'
      : `[未完整保存：大小为 ${size}，而此对话的每条消息最多 ${most}。]`,
  call: (agent, tool) => `[${agent}，调用 ${tool}]`,
  result: (agent, tool) => `[${agent}，${tool} 的结果]`,
};

/** What a view writes into a conversation in place of what is not there. */
export const messageTexts: Readonly<Record<Language, typeof en>> = { en, zh };
