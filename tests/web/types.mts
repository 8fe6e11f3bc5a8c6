// What TypeScript knows of a module's model: checked, and never run.

import { load, type Inputs } from "./tiny_bert.mjs";
import { load as load_gru } from "./tiny_gru.mjs";

const bert = await load("tiny_bert.wasm", { threads: 2 });
const threads: number = bert.threads;
const model = bert.open(new Uint8Array(threads), { capacity: { T: 4 } });
const texts: Inputs = {
  tokens: { data: BigInt64Array.of(1n, 2n), shape: [1, 2] },
  types: { data: new Int32Array(2), shape: [1, 2] },
  lengths: { data: Int32Array.of(2), shape: [1] },
};
const { hidden, pooled } = model.run(texts);
const numbers: Float32Array[] = [hidden.data, pooled.data];
// @ts-expect-error: an input is missing
model.run({ tokens: texts.tokens, types: texts.types });
// @ts-expect-error: no such input
model.run({ ...texts, tokns: texts.tokens });
// @ts-expect-error: tokens are integers
model.run({ ...texts, tokens: { data: numbers[0], shape: [1, 2] } });
// @ts-expect-error: no such output
model.run(texts).hiden;
// @ts-expect-error: the model has no stream
bert.stream;
bert.tokenizer(new ArrayBuffer(1)).encode("a text", { most: 4 });
bert.close();

const gru = await load_gru();
const stream = gru.stream();
stream.begin({ h_0: { data: new Float32Array(16), shape: [1, 1, 16] } });
const last: Float32Array = stream.step({ x: { data: new Float32Array(8), shape: [1, 1, 8] } }).y.data;
// @ts-expect-error: no such input
stream.step({ z: { data: last, shape: [1, 1, 8] } });
