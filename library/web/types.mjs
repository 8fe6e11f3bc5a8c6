// node types.mjs MODULE.mjs TYPES OUTPUT: writes the types of a module, TYPES, with the inputs and outputs of its model by their names.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [place, types, output] = process.argv.slice(2);
const { load } = await import(pathToFileURL(place));
const module = await load();
const given = { float32: "Float32Array | Float64Array", int32: "Int32Array | BigInt64Array" };
const made = { float32: "Float32Array", int32: "Int32Array" };
const named = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));
const members = (ports, arrays) =>
  ports.map(({ name, type, shape }) => `\n  /** [${shape.join(", ")}] */\n  ${named(name)}: Tensor<${arrays[type]}>;`).join("");
const written = readFileSync(types, "utf8")
  .replace("/* inputs */", () => members(module.inputs, given))
  .replace("/* outputs */", () => members(module.outputs, made));
writeFileSync(output, written);
