// node run.mjs PROGRAM.wasm ARGUMENTS...: runs a program for WebAssembly's system interface (WASI), with the files of this machine by their whole paths.
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

process.removeAllListeners("warning"); // that node's WASI is an experiment
const wasi = new WASI({
  version: "preview1",
  args: process.argv.slice(2),
  env: process.env,
  preopens: { "/": "/" },
});
const module = await WebAssembly.compile(readFileSync(process.argv[2]));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport }));
