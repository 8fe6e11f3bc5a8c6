// Modules of models, called as a page calls them: results against the golden cases, streams, tokenizers, what is refused.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const modules = process.env.FOVEA_MODULES;
const golden = process.env.FOVEA_GOLDEN;
const imported = (name) => import(pathToFileURL(`${modules}/${name}.mjs`));

/** The tensors of a golden case, and those called param.NAME as a file of weights of NAME. */
function golden_case(name, prefix = "") {
  const file = readFileSync(`${golden}/${name}.safetensors`);
  const length = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString("utf8", 8, 8 + length));
  const bytes_of = ({ data_offsets: [from, to] }) => file.subarray(8 + length + from, 8 + length + to);
  const tensor = (key) => {
    const bytes = Uint8Array.from(bytes_of(header[key]));
    const data = header[key].dtype === "F32" ? new Float32Array(bytes.buffer) : new BigInt64Array(bytes.buffer);
    return { data, shape: header[key].shape };
  };
  const parameters = Object.entries(header).filter(([key]) => key.startsWith("param."));
  const weights = parameters.map(([key, entry]) => [prefix + key.slice(6), entry.shape, bytes_of(entry)]);
  return { tensor, weights: file_of_weights(weights) };
}

/** Tensors of float32, each [name, shape, bytes], as a safetensors file. */
function file_of_weights(tensors) {
  const header = {};
  let end = 0;
  for (const [name, shape, bytes] of tensors) header[name] = { dtype: "F32", shape, data_offsets: [end, (end += bytes.length)] };
  const text = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([size, text, ...tensors.map(([, , bytes]) => bytes)]);
}

function assert_close(found, expected, shape = expected.shape) {
  assert.deepEqual(found.shape, shape);
  assert.ok(found.data instanceof Float32Array);
  found.data.forEach((x, i) => {
    const y = expected.data[i];
    assert.ok(Math.abs(x - y) <= 1e-5 + 1e-4 * Math.abs(y), `number ${i}: expected ${y}, found ${x}`);
  });
}

const bert = await (await imported("tiny_bert")).load();
const bert_case = golden_case("hf_bert");
const lengths = { data: Int32Array.of(10, 6, 3), shape: [3] };
const texts = {
  tokens: bert_case.tensor("input.ids"),
  types: bert_case.tensor("input.token_type_ids"),
  lengths,
};

test("a module says what it is", () => {
  assert.match(bert.version, /^tiny_bert: fovea::models::bert<web::tiny>, weights in f32, (simd128|portable), Fovea \d/);
  assert.deepEqual(bert.inputs, [
    { name: "tokens", type: "int32", shape: ["B", "T"] },
    { name: "types", type: "int32", shape: ["B", "T"] },
    { name: "lengths", type: "int32", shape: ["B"] },
  ]);
  assert.deepEqual(bert.outputs[0], { name: "hidden", type: "float32", shape: ["B", "T", 32] });
});

test("a model gives what its authors' code gives, on 64-bit tokens as on 32-bit ones", () => {
  const model = bert.open(bert_case.weights);
  const { hidden, pooled } = model.run(texts);
  assert_close(hidden, bert_case.tensor("output.last_hidden_state"));
  assert_close(pooled, bert_case.tensor("output.pooler_output"));
  const narrow = { ...texts, tokens: { data: Int32Array.from(texts.tokens.data, Number), shape: [3, 10] } };
  assert.deepEqual(model.run(narrow).hidden, hidden);
  model.close();
});

test("weights stay as long as a copy reads them, and memory is given back", () => {
  const model = bert.open(bert_case.weights);
  const expected = model.run(texts);
  const copy = model.copy();
  model.close();
  model.close();
  assert.throws(() => model.run(texts), /expected an open model or stream; found a closed one/);
  assert.deepEqual(copy.run(texts), expected);
  copy.close();
});

test("what does not fit is refused with one sentence, and nothing changes", () => {
  assert.throws(() => bert.open(), /weights: expected a file, since the library is built without; found NULL/);
  assert.throws(() => bert.open("weights"), /weights: expected bytes, as an ArrayBuffer or Uint8Array; found string/);
  assert.throws(() => bert.open(new Uint8Array(9)), /weights in memory: expected weights in a known format/);
  assert.throws(() => bert.open(bert_case.weights, { capacity: { Q: 1 } }), /Q/);
  const model = bert.open(bert_case.weights);
  const expected = model.run(texts);
  assert.throws(() => model.run({ tokens: texts.tokens }), /input "types"/);
  assert.throws(() => model.run({ ...texts, tokens: { data: [1, 2], shape: [1, 2] } }), /input "tokens": expected { data, shape }/);
  assert.throws(() => model.run({ ...texts, tokens: { data: new Int32Array(5), shape: [1, 4] } }), /shape \[1, 4\] is not that of 5 numbers/);
  assert.throws(
    () => model.run({ ...texts, tokens: { data: new Int32Array(5), shape: [2.5, 2] } }),
    /input "tokens": axis 0 of its shape: expected a whole number below 4294967296; found 2.5/,
  );
  assert.throws(() => model.run({ ...texts, tokens: { data: new Int32Array(30).fill(96), shape: [3, 10] } }), /96/);
  assert.deepEqual(model.run(texts), expected);
  model.close();
});

test("a stream gives what the whole sequence gives", async () => {
  const gru = await (await imported("tiny_gru")).load(readFileSync(`${modules}/tiny_gru.wasm`));
  const { tensor, weights } = golden_case("gru_1layer", "rnn.");
  const [x, h_0, y] = [tensor("input.x"), tensor("input.h_0"), tensor("output.y")];
  const whole = gru.open(weights);
  assert_close(whole.run({ x, h_0 }).y, y);
  const stream = gru.stream(weights);
  assert.equal(stream.stride, 1);
  assert.equal(stream.latency, 0);
  const at = (of, width, from, to) => {
    const rows = [0, 1].map((row) => of.data.slice((row * 6 + from) * width, (row * 6 + to) * width));
    return { data: Float32Array.of(...rows[0], ...rows[1]), shape: [2, to - from, width] };
  };
  assert.throws(() => stream.step({ x: at(x, 8, 0, 1) }), /begin/);
  stream.begin({ h_0 });
  assert_close(stream.step({ x: at(x, 8, 0, 2) }).y, at(y, 16, 0, 2));
  const other = stream.copy();
  for (const live of [stream, other])
    for (let t = 2; t < 6; ++t) assert_close(live.step({ x: at(x, 8, t, t + 1) }).y, at(y, 16, t, t + 1));
  assert.equal(stream.position(1), 6);
  assert.equal(stream.position(2), -1);
  assert.throws(() => stream.finish(1.5), /positions: expected a whole number below 4294967296; found 1.5/);
  for (const open of [whole, stream, other]) open.close();
});

test("a capacity beyond the memory is refused", async () => {
  const gru = await (await imported("tiny_gru")).load(readFileSync(`${modules}/tiny_gru.wasm`));
  const { tensor, weights } = golden_case("gru_1layer", "rnn.");
  const inputs = { x: tensor("input.x"), h_0: tensor("input.h_0") };
  const model = gru.open(weights);
  const expected = model.run(inputs);
  for (const T of [3e7, 5e7, 134217728, 268435456, 2e9, 2147483647])
    assert.throws(() => gru.open(weights, { capacity: { T } }), /there is not enough memory for the model and its capacity/, `T = ${T}`);
  assert.throws(() => gru.open(weights, { capacity: { T: 0.5 } }), /capacity of T: expected a whole number below 4294967296; found 0.5/);
  assert.throws(() => gru.open(weights, { capacities: { T: 5 } }), /options: expected capacity; found capacities/);
  assert.deepEqual(model.run(inputs), expected);
  model.close();
});

test("a tokenizer gives what its file's own library gives", () => {
  const words = bert.tokenizer(readFileSync(`${golden}/tokenizer_wordpiece.tokenizer.json`));
  const lines = readFileSync(`${golden}/tokenizer_wordpiece.jsonl`, "utf8").trim().split("\n").map((line) => JSON.parse(line));
  assert.ok(lines.length > 10);
  for (const { text, ids, ids_with_special, decoded } of lines) {
    assert.deepEqual([...words.encode(text)], ids_with_special);
    if (!decoded.includes("[")) assert.equal(words.decode(ids), decoded); // which has special ones in it
  }
  assert.equal(words.encode("a text of many words", { most: 4 }).length, 4);
  assert.throws(() => words.decode([1 << 30]), /1073741824/);
  words.close();
  assert.throws(() => words.encode("x"), /expected an open tokenizer; found a closed one/);
  assert.throws(() => bert.tokenizer(new Uint8Array([123])), /tokenizer in memory/);
});

test("a module has weights in it, packed as its set reads them", async () => {
  const whole = await (await imported("tiny_whole")).load();
  const inputs = Object.fromEntries(
    whole.inputs.map(({ name, shape }) => [
      name,
      name === "lengths" ? { data: Int32Array.of(5), shape: [1] } : { data: Int32Array.of(1, 3, 4, 7, 2), shape: [1, 5] },
    ]),
  );
  const built = whole.open();
  const opened = whole.open(readFileSync(process.env.FOVEA_WEIGHTS));
  const { logits } = built.run(inputs);
  assert.ok(logits.data.every(Number.isFinite) && logits.data.some((x) => x !== 0));
  assert.deepEqual(opened.run(inputs).logits, logits);
  for (const open of [built, opened]) open.close();
});

test("models that come and go leave the memory as it was", async () => {
  const other = await (await imported("tiny_bert")).load(readFileSync(`${modules}/tiny_bert.wasm`));
  let first = 0;
  for (let i = 0; i < 200; ++i) {
    const model = other.open(bert_case.weights);
    model.run(texts);
    const copy = model.copy();
    model.close();
    copy.close();
    if (i === 20) first = other.memory;
  }
  assert.equal(other.memory, first);
});

test("a program reads its standard input, and says what it refuses", () => {
  const folder = mkdtempSync(join(tmpdir(), "fovea-web-"));
  const weights = join(folder, "weights.safetensors");
  const values = Float32Array.from({ length: 32 }, (_, i) => Math.sin(i + 1));
  writeFileSync(weights, file_of_weights([["words.weight", [8, 4], Buffer.from(values.buffer)]]));
  const run = (file, input) =>
    spawnSync(process.execPath, [process.env.FOVEA_RUN, process.env.FOVEA_PROGRAM, "--weights", file], { input, encoding: "utf8" });
  try {
    const right = run(weights, "one two\nfive\n");
    assert.equal(right.stderr, "");
    assert.equal(right.status, 0);
    const lines = right.stdout.trim().split("\n");
    assert.deepEqual(lines.map((line) => line.split(" ").length), [4, 4]);
    assert.notEqual(lines[0], lines[1]);
    const wrong = run(join(folder, "nothing"), "one\n");
    assert.equal(wrong.status, 2);
    assert.match(wrong.stderr, /^tiny_embed: .*nothing: cannot open: No such file or directory\n$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
