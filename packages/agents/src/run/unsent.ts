import type { ModelAnswer } from './model-request.ts';

/** What arrived of an answer that failed before it was passed on. */
export class Unsent {
  #text = '';

  set text(text: string) {
    this.#text = text;
  }

  /** Adds the text to an answer that failed without one. */
  addTo(answer: ModelAnswer): ModelAnswer {
    const text = this.#text;
    this.#text = '';
    const isCut = answer.finishReason === 'error' || answer.finishReason === 'aborted';
    if (text === '' || answer.text !== '' || !isCut) return answer;
    return { ...answer, text, message: { role: 'assistant', content: [{ type: 'text', text }] } };
  }
}
