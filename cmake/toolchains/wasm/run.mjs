// node run.mjs PROGRAM.wasm ARGUMENTS...: runs a program for WebAssembly's system interface (WASI), with the files of this machine by their whole paths.
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

process.removeAllListeners("warning"); // that node's WASI is an experiment
const { instantiate_shared } = await import("../../../library/web/threads.mjs");
const wasi = new WASI({
  version: "preview1",
  args: process.argv.slice(2),
  env: process.env,
  preopens: { "/": "/" },
});
const module = await WebAssembly.compile(readFileSync(process.argv[2]));
const imports = { wasi_snapshot_preview1: wasi.wasiImport };
const shares_memory = WebAssembly.Module.imports(module).some(({ kind }) => kind === "memory");
process.exitCode = wasi.start(await (shares_memory ? instantiate_shared(module, imports) : WebAssembly.instantiate(module, imports)));
