import type { Language } from '@cairn/tool/kernel';

/** What a model reads when an action cannot be called, in both languages. Each states what to write instead. */

const MAX_LISTED = 20;

function listed(names: readonly string[], more: (count: number) => string): string {
  const shown = names.slice(0, MAX_LISTED).join(', ');
  return names.length > MAX_LISTED ? `${shown}${more(names.length - MAX_LISTED)}` : shown;
}

const en = {
  unknown: (name: string, near: readonly string[], all: readonly string[]): string => {
    if (near.length > 0) return `Unknown function "${name}"; did you mean ${near.join(' or ')}?`;
    if (all.length === 0) return `Unknown function "${name}"; there are no functions.`;
    return `Unknown function "${name}"; use ${listed(all, (count) => ` or one of ${count} more`)}.`;
  },
  ambiguous: (name: string, names: readonly string[]): string =>
    `Ambiguous function "${name}"; use one of ${names.join(', ')}.`,
  noArguments: (name: string): string => `${name} has no parameters; write [${name}] without arguments.`,
  manyArguments: (name: string, count: number, parameters: string): string =>
    `${name} got ${count} arguments for its parameters (${parameters}); put an argument that has ":" in double quotes, or write one JSON object: [${name}:{…}].`,
  unnamed: (name: string): string =>
    `${name} does not state its parameters; write one JSON object with their names: [${name}:{…}].`,
  repeated: (name: string, parameter: string): string =>
    `${name}: the argument ${parameter} is there twice; write it once.`,
  invalidJson: (name: string, parameter: string): string =>
    `${name}: the argument ${parameter} is not valid JSON; write valid JSON.`,
  invalidType: (name: string, parameter: string, type: string): string =>
    `${name}: the argument ${parameter} is not of the type ${type}; write a ${type}.`,
  invalid: (name: string, what: string): string => `${name}: ${what}; call it again with these parameters.`,
  unknownNames: (name: string, names: string, parameters: string): string =>
    `${name}: unknown parameter ${names}; use its parameters (${parameters}).`,
  notAnObject: (name: string, parameters: string): string =>
    `${name}: the arguments are not an object; write one JSON object (${parameters}).`,
};

const zh: typeof en = {
  unknown: (name, near, all) => {
    if (near.length > 0) return `未知功能“${name}”；是否指${near.join('或')}？`;
    if (all.length === 0) return `未知功能“${name}”；没有可用功能。`;
    return `未知功能“${name}”；请使用${listed(all, (count) => `，或其余${count}个功能之一`)}。`;
  },
  ambiguous: (name, names) => `功能“${name}”有歧义；请使用${names.join('、')}之一。`,
  noArguments: (name) => `${name}没有参数；请写[${name}]，不带参数。`,
  manyArguments: (name, count, parameters) =>
    `${name}收到${count}个参数，但它的参数是（${parameters}）；含有":"的参数请写在双引号里，或者写成一个JSON对象：[${name}:{…}]。`,
  unnamed: (name) => `${name}没有列出参数；请用一个JSON对象写出参数名：[${name}:{…}]。`,
  repeated: (name, parameter) => `${name}：参数${parameter}出现了两次；只写一次。`,
  invalidJson: (name, parameter) => `${name}：参数${parameter}不是有效的JSON；请写有效的JSON。`,
  invalidType: (name, parameter, type) => `${name}：参数${parameter}的类型不是${type}；请改为${type}。`,
  invalid: (name, what) => `${name}：${what}；请用这些参数重新调用。`,
  unknownNames: (name, names, parameters) => `${name}：未知参数${names}；请使用它的参数（${parameters}）。`,
  notAnObject: (name, parameters) => `${name}：参数不是对象；请写成一个JSON对象（${parameters}）。`,
};

export const problems: Readonly<Record<Language, typeof en>> = { en, zh };
