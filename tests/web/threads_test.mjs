// Modules with several threads: the bits of one thread, what is refused, and how they end. Built for one thread, they have one.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { WASI } from "node:wasi";
import { instantiate_shared, start_threads } from "../../library/web/threads.mjs";

const modules = process.env.FOVEA_MODULES;
const pool = process.env.FOVEA_POOL; // where modules are built for threads
const has_threads = pool !== undefined;
const place = pathToFileURL(`${modules}/wide.mjs`).href;
const { load } = await import(place);
const loaded = (threads) => load("wide.wasm", { threads });
const as_built = (threads) => (has_threads ? threads : 1);

const [B, T, WIDTH] = [8, 16, 192];

/** Numbers between -1 and 1, the same in each run. */
function drawn(count, from) {
  return Float32Array.from({ length: count }, (_, i) => Math.sin(from + 12.9898 * i) * Math.cos(78.233 * i));
}

const weights = (() => {
  const parameters = {
    "rnn.weight_ih_l0": [3 * WIDTH, WIDTH],
    "rnn.weight_hh_l0": [3 * WIDTH, WIDTH],
    "rnn.bias_ih_l0": [3 * WIDTH],
    "rnn.bias_hh_l0": [3 * WIDTH],
    "up.weight": [4 * WIDTH, WIDTH],
    "up.bias": [4 * WIDTH],
    "down.weight": [WIDTH, 4 * WIDTH],
    "down.bias": [WIDTH],
  };
  const header = {};
  const parts = [];
  let end = 0;
  for (const [name, shape] of Object.entries(parameters)) {
    const values = drawn(shape.reduce((product, size) => product * size), parts.length).map((x) => x / 8);
    header[name] = { dtype: "F32", shape, data_offsets: [end, (end += values.byteLength)] };
    parts.push(Buffer.from(values.buffer));
  }
  const text = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([size, text, ...parts]);
})();

const sequence = (from = 0) => ({ x: { data: drawn(B * T * WIDTH, from), shape: [B, T, WIDTH] } });
const at = (t) => {
  const rows = Array.from({ length: B }, (_, b) => sequence().x.data.subarray((b * T + t) * WIDTH, (b * T + t + 1) * WIDTH));
  return { x: { data: Float32Array.from(rows.flatMap((row) => [...row])), shape: [B, 1, WIDTH] } };
};
const steps = Array.from({ length: T }, (_, t) => at(t));
const streamed = (stream) => {
  stream.begin();
  return steps.map((step) => stream.step(step).y.data);
};

/** What one thread gives. */
const expected = await (async () => {
  const one = await load();
  assert.equal(one.threads, 1);
  const [model, stream] = [one.open(weights), one.stream(weights)];
  return { whole: model.run(sequence()).y, other: model.run(sequence(5)).y, steps: streamed(stream) };
})();
assert.ok(expected.whole.data.every(Number.isFinite) && new Set(expected.whole.data).size > 1000);

for (const threads of [1, 2, 3])
  test(`${threads} threads give the bits of one, call after call`, async () => {
    const module = await loaded(threads);
    assert.equal(module.threads, as_built(threads));
    const model = module.open(weights);
    const [copy, stream] = [model.copy(), module.stream(weights)];
    for (let call = 0; call < 30; ++call) {
      assert.deepEqual(model.run(sequence()).y, expected.whole);
      assert.deepEqual(copy.run(sequence(5)).y, expected.other);
      for (let row = 0; row < B; ++row) stream.reset(row);
      assert.deepEqual(streamed(stream), expected.steps);
    }
    for (const open of [model, copy, stream]) open.close();
    for (let opened = 0; opened < 5; ++opened) {
      const again = module.open(weights);
      assert.deepEqual(again.run(sequence()).y, expected.whole);
      again.close();
    }
    module.close();
  });

test("a number of threads is a whole one, from 1 on", async () => {
  for (const threads of [-1, 1.5, NaN, Infinity, "2", null])
    await assert.rejects(loaded(threads), { message: `threads: expected a whole number below 4294967296; found ${threads}` });
  await assert.rejects(loaded(0), { message: "threads: expected at least 1; found 0" });
  await assert.rejects(load(undefined, { thread: 2 }), { message: "options: expected threads; found thread" });
});

test("a closed module is called no more, and what was open in it may be closed", async () => {
  const module = await loaded(2);
  const model = module.open(weights);
  assert.ok(module.memory > weights.length);
  module.close();
  module.close();
  assert.equal(module.memory, 0);
  for (const call of [() => model.run(sequence()), () => model.copy(), () => module.open(weights), () => module.stream(weights)])
    assert.throws(call, { message: "expected an open module; found a closed one" });
  model.close();
});

test("a page that may not share memory has one thread", async () => {
  globalThis.crossOriginIsolated = false;
  try {
    const module = await loaded(3);
    assert.equal(module.threads, 1);
    assert.deepEqual(module.open(weights).run(sequence()).y, expected.whole);
  } finally {
    delete globalThis.crossOriginIsolated;
  }
});

test("a system that has no place for 4 GB gives less", async () => {
  const { Memory } = WebAssembly;
  const refused = [];
  WebAssembly.Memory = function (limits) {
    if (limits.maximum > 16384) {
      refused.push(limits.maximum);
      throw new RangeError("could not allocate memory");
    }
    return new Memory(limits);
  };
  try {
    const module = await loaded(2);
    assert.deepEqual(refused, has_threads ? [65536, 32768] : []);
    assert.deepEqual(module.open(weights).run(sequence()).y, expected.whole);
    module.close();
  } finally {
    WebAssembly.Memory = Memory;
  }
});

test("threads keep no program alive, closed or not", () => {
  for (const end of ["", "module.close();"]) {
    const program = `
      import { load } from ${JSON.stringify(place)};
      const module = await load("wide.wasm", { threads: 3 });
      console.log(module.threads);
      ${end}`;
    const run = spawnSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8", timeout: 60_000 });
    assert.equal(run.stderr, "");
    assert.equal(run.status, 0);
    assert.equal(run.stdout, `${as_built(3)}\n`);
  }
});

test("the tests of the pool pass", { skip: !has_threads }, async () => {
  const wasi = new WASI({ version: "preview1" });
  const module = await WebAssembly.compile(readFileSync(pool));
  const instance = await instantiate_shared(module, { wasi_snapshot_preview1: wasi.wasiImport });
  wasi.initialize(instance);
  const workers = await start_threads(module, instance.exports, 7);
  assert.equal(instance.exports.run_tests(), 0);
  for (const worker of workers) worker.terminate();
});

test("threads that have no place are refused", { skip: !has_threads }, async () => {
  await assert.rejects(loaded(5000), { message: "out of memory" });
});
