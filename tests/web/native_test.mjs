// fovea_add_library(... WASM) in a project for this machine: FOVEA_NATIVE is its folder, FOVEA_CROSS_PACKAGES what compiles for WebAssembly.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const cmake = (...options) => execFileSync("cmake", options, { stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" });

test("a project for this machine has modules beside its libraries", async () => {
  const build = mkdtempSync(join(tmpdir(), "fovea-native-"));
  try {
    cmake("-S", process.env.FOVEA_NATIVE, "-B", build, "-D", `FOVEA_CROSS_PACKAGES=${process.env.FOVEA_CROSS_PACKAGES}`);
    cmake("--build", build, "--target", "tiny_gru_wasm", "--target", "tiny_whole_wasm");
    const gru = await (await import(join(build, "tiny_gru.mjs"))).load();
    assert.deepEqual(gru.inputs.map(({ name }) => name), ["x", "h_0"]);
    const whole = await (await import(join(build, "page", "tiny_whole.mjs"))).load();
    assert.deepEqual(whole.open().run({ tokens: { data: Int32Array.of(1, 2), shape: [1, 2] } }).logits.shape, [1, 2]);
    assert.ok(statSync(join(build, "page", "tiny_whole.d.mts")).size > 0);

    // Configured again, it is built again for what changed alone.
    const made = () => statSync(join(build, "tiny_gru.wasm")).mtimeMs;
    const before = made();
    cmake(build);
    cmake("--build", build, "--target", "tiny_gru_wasm");
    assert.equal(made(), before);
  } finally {
    rmSync(build, { recursive: true });
  }
});
