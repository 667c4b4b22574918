/** The beginning and the end of a text of any length, in bounded memory. */

const HEAD_LENGTH = 256 * 1024;
const TAIL_LENGTH = 1024 * 1024;

/**
 * @typedef {object} KeptOutput
 * @property {(text: string) => void} add
 * @property {() => string} text Everything, or the beginning and the end with the length of the part between them.
 */

/**
 * @param {{ headLength?: number, tailLength?: number }} [options] in UTF-16 code units
 * @returns {KeptOutput}
 */
export const keepOutput = ({ headLength = HEAD_LENGTH, tailLength = TAIL_LENGTH } = {}) => {
  let head = '';
  let tail = '';
  let length = 0;
  return {
    add: (text) => {
      length += text.length;
      const room = headLength - head.length;
      if (room > 0) head += text.slice(0, room);
      tail += text.slice(Math.max(0, room));
      // Cut at twice the length, so that the cost of a cut is shared by many additions.
      if (tail.length > 2 * tailLength) tail = tail.slice(-tailLength);
    },
    text: () => {
      const end = tail.slice(-tailLength);
      const left = length - head.length - end.length;
      return left === 0 ? head + end : `${head}\n[... ${left} characters left out ...]\n${end}`;
    },
  };
};
