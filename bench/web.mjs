// node web.mjs PAGE THREADS LENGTH...: what a text of so many tokens takes MiniLM in the folder of `make web`, in milliseconds, best of many.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [page, threads, ...lengths] = process.argv.slice(2);
const { load } = await import(pathToFileURL(`${page}/embedder.mjs`));
const module = await load("embedder.wasm", { threads: Number(threads) });
if (module.threads !== Number(threads)) throw new Error(`expected ${threads} threads; found ${module.threads}`);
const model = module.open(readFileSync(`${page}/model.safetensors`));
for (const length of lengths.map(Number)) {
  const text = {
    tokens: { data: Int32Array.from({ length }, (_, i) => 1000 + 37 * i), shape: [1, length] },
    types: { data: new Int32Array(length), shape: [1, length] },
    lengths: { data: Int32Array.of(length), shape: [1] },
  };
  let best = Infinity;
  const end = performance.now() + 1500;
  while (performance.now() < end) {
    const start = performance.now();
    model.run(text);
    best = Math.min(best, performance.now() - start);
  }
  console.log(best);
}
