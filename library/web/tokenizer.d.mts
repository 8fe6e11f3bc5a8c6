
/** A tokenizer, from the file that is published with a model. */
export interface Tokenizer {
  /** The tokens of a text, the special ones around it among them; at most so many. */
  encode(text: string, options?: { most?: number }): Int32Array;
  /** The text of tokens, without special ones. */
  decode(tokens: ArrayLike<number>): string;
  close(): void;
}
