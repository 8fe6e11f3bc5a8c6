
// Threads: workers that run this file again, each an instance of the module over the same memory, with a stack of its own.

const is_node = globalThis.process?.versions?.node !== undefined;
const THREAD = "a thread of this module"; // what such a worker is called
const AS_THREAD = { type: "module", name: THREAD, workerData: THREAD, execArgv: [] };

/** Memory that threads share, whose most is taken at once: half as much where a system refuses it. */
function shared_memory() {
  for (let maximum = 65536; ; maximum /= 2) {
    try {
      return new WebAssembly.Memory({ initial: 32, maximum, shared: true });
    } catch (problem) {
      if (maximum <= 4096) throw problem;
    }
  }
}

/** The module over shared memory. How much it needs to begin, it says by refusing what is less. */
export async function instantiate_shared(module, imports) {
  const memory = shared_memory();
  for (;;) {
    try {
      return await WebAssembly.instantiate(module, { ...imports, env: { memory } });
    } catch (problem) {
      if (!(problem instanceof WebAssembly.LinkError)) throw problem;
      memory.grow(memory.buffer.byteLength / 65536);
    }
  }
}

/** Starts so many threads beside the caller's; none where a page may not share memory. */
export async function start_threads(module, exports, count) {
  if (count === 0 || globalThis.crossOriginIsolated === false) return [];
  const threads = Array.from({ length: count }, () => exports.fovea_thread_make());
  if (threads.includes(0)) throw new Error("out of memory");
  const { Worker } = is_node ? await import("node:worker_threads") : globalThis;
  const workers = [];
  const begun = (worker) =>
    new Promise((resolve, reject) => {
      const listen = (event, hear) => (is_node ? worker.on(event, hear) : worker.addEventListener(event, hear));
      listen("message", resolve);
      listen("error", (problem) => reject(new Error(`a thread of the module does not start: ${problem.message}`)));
    });
  try {
    for (const thread of threads) {
      const worker = new Worker(new URL(import.meta.url), AS_THREAD);
      workers.push(worker);
      worker.postMessage({ module, memory: exports.memory, thread, stack: exports.fovea_thread_stack(thread) });
    }
    await Promise.all(workers.map(begun));
  } catch (problem) {
    for (const worker of workers) worker.terminate();
    throw problem;
  }
  for (const worker of workers) worker.unref?.(); // Node ends without them
  return workers;
}

/** As a worker: a thread, which asks a system for the time alone. */
function become_thread(port) {
  port.onmessage = ({ data: { module, memory, thread, stack } }) => {
    const clock_time_get = (clock, precision, to) => {
      new DataView(memory.buffer).setBigUint64(to, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    };
    const refused = () => 52; // no such call
    const system = new Proxy({}, { get: (of, name) => (name === "clock_time_get" ? clock_time_get : refused) });
    const { exports } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: system, env: { memory } });
    exports.__stack_pointer.value = stack;
    port.postMessage("begun");
    exports.fovea_thread_begin(thread);
  };
}
if (is_node)
  import("node:worker_threads").then(({ parentPort, workerData }) => workerData === THREAD && become_thread(parentPort));
else if (globalThis.name === THREAD) become_thread(globalThis);
