// The models, off the thread that draws. Each message { id, call, given } is answered by { id, result } or { id, problem }.

import { load as load_detector } from "./detector.mjs";
import { load as load_embedder } from "./embedder.mjs";

const MOST_TOKENS = 256;
const threads = navigator.hardwareConcurrency; // of which a page that is not isolated gets one
const given_files = new Map();

/** The bytes of a file beside the page, or one that the visitor has chosen. Throws { missing } where it is neither. */
async function file(name) {
  if (!given_files.has(name)) {
    const response = await fetch(name);
    if (!response.ok) throw { missing: name };
    given_files.set(name, await response.arrayBuffer());
  }
  return given_files.get(name);
}

/** Makes something once; a failure is tried again. */
function once(make) {
  let made;
  return async () => {
    made ??= make();
    try {
      return await made;
    } catch (problem) {
      made = undefined;
      throw problem;
    }
  };
}

const embedder = once(async () => {
  const [tokenizer, weights, module] = [await file("tokenizer.json"), await file("model.safetensors"), await load_embedder(undefined, { threads })];
  const made = { words: module.tokenizer(tokenizer), model: module.open(weights), threads: module.threads };
  given_files.delete("model.safetensors"); // the module has them
  return made;
});

const detector = once(async () => {
  const [weights, module] = [await file("silero_vad_16k.safetensors"), await load_detector()];
  return module.stream(weights);
});

/** A vector of length 1 that texts of like meaning share nearly. */
function embed({ words, model }, text) {
  const tokens = words.encode(text, { most: MOST_TOKENS });
  const { sentence } = model.run({
    tokens: { data: tokens, shape: [1, tokens.length] },
    types: { data: new Int32Array(tokens.length), shape: [1, tokens.length] },
    lengths: { data: Int32Array.of(tokens.length), shape: [1] },
  });
  return { vector: sentence.data, tokens: tokens.length };
}

const calls = {
  have: async ({ name, bytes }) => void given_files.set(name, bytes),

  /** The texts, likest first, each with its cosine to the question. */
  async rank({ question, texts }) {
    const by = await embedder();
    const start = performance.now();
    const wanted = embed(by, question);
    let tokens = wanted.tokens;
    const ranked = texts.map((text) => {
      const found = embed(by, text);
      tokens += found.tokens;
      return { text, likeness: found.vector.reduce((sum, x, i) => sum + x * wanted.vector[i], 0) };
    });
    ranked.sort((a, b) => b.likeness - a.likeness);
    return { ranked, tokens, milliseconds: performance.now() - start, threads: by.threads };
  },

  async begin() {
    const stream = await detector();
    stream.reset(0);
  },

  /** How probable it is that somebody speaks, of each 512 samples of 16 kHz. */
  async hear({ samples }) {
    const stream = await detector();
    const probabilities = [];
    const start = performance.now();
    for (let at = 0; at < samples.length; at += 512) {
      const chunk = new Float32Array(512); // behind the end is silence
      chunk.set(samples.subarray(at, at + 512));
      const { probability } = stream.step({ samples: { data: chunk, shape: [1, 1, 512] } });
      probabilities.push(probability.data[0]);
    }
    return { probabilities, milliseconds: performance.now() - start };
  },
};

// One after another: a stream has one place.
let last = Promise.resolve();
self.onmessage = ({ data: { id, call, given } }) => {
  last = last.then(async () => {
    try {
      self.postMessage({ id, result: await calls[call](given) });
    } catch (problem) {
      self.postMessage({ id, problem: problem.missing ? { missing: problem.missing } : { message: String(problem.message ?? problem) } });
    }
  });
};
