// node web.mjs PAGE LENGTH...: what a text of so many tokens takes MiniLM in the folder of `make web`, in milliseconds, best of many.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [page, ...lengths] = process.argv.slice(2);
const { load } = await import(pathToFileURL(`${page}/embedder.mjs`));
const model = (await load()).open(readFileSync(`${page}/model.safetensors`));
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
