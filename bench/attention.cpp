// How fast is attention, beside what the machine can do? bench/peers/attention.py times PyTorch on rows of
// the same names.
//
// The limits are the visible multiply-adds at the measured rate, and keys and values at the measured
// bandwidth of reading a buffer of their size. Those of rows `/rounded` are float32's, too.

#include "measure.hpp"
#include "program.hpp"
#include <fovea/backends/simd/isa/dispatch.hpp>
#include <fovea/runtime/options.hpp>
#include <string>
#include <vector>

namespace {

using namespace fovea::core::bench;

struct shape {
  size_t heads, kv_heads, width, queries, keys;
  bool causal;
  fovea::cache_format cache = {};
  bool rounded = false; // as in formats whose products round, where the set has a kernel for it
};

constexpr shape shapes[] = {
    {12, 12, 32, 16, 16, false},
    {12, 12, 32, 32, 32, false},
    {12, 12, 32, 128, 128, false},
    {12, 12, 64, 128, 128, false},
    {12, 12, 64, 512, 512, false},
    {12, 12, 64, 2048, 2048, false},
    {12, 12, 64, 128, 128, true},
    {12, 12, 64, 512, 512, true},
    {12, 12, 64, 2048, 2048, true},
    {12, 12, 128, 512, 512, true},
    {32, 8, 64, 512, 512, true},
    {12, 12, 64, 1, 512, false},
    {12, 12, 64, 1, 2048, false},
    {32, 8, 64, 1, 2048, false},
    {32, 8, 128, 1, 8192, false},
    {32, 8, 128, 1, 8192, false, fovea::f16{}},
    {32, 8, 128, 1, 8192, false, fovea::q8_0{}},
    {32, 8, 128, 1, 65536, false},
    {32, 8, 128, 1, 65536, false, fovea::f16{}},
    {32, 8, 128, 1, 65536, false, fovea::q8_0{}},
    {32, 8, 128, 512, 8192, true},
    {32, 8, 128, 512, 8192, true, fovea::f16{}},
    {32, 8, 128, 512, 8192, true, fovea::q8_0{}},
    {12, 12, 32, 128, 128, false, {}, true},
    {12, 12, 64, 128, 128, false, {}, true},
    {12, 12, 64, 512, 512, false, {}, true},
    {12, 12, 64, 2048, 2048, false, {}, true},
    {12, 12, 64, 128, 128, true, {}, true},
    {12, 12, 64, 512, 512, true, {}, true},
    {12, 12, 64, 2048, 2048, true, {}, true},
    {32, 8, 128, 512, 8192, true, {}, true},
};

std::string name_of(const shape& s) {
  return "attention/" + std::to_string(s.heads) +
         (s.kv_heads == s.heads ? "" : ":" + std::to_string(s.kv_heads)) + "x" + std::to_string(s.width) +
         "/" + std::to_string(s.queries) + "x" + std::to_string(s.keys) + (s.causal ? "/causal" : "") +
         (s.cache.format == fovea::core::weight_format::f32
              ? ""
              : std::string("/") + fovea::core::name_of(s.cache.format)) +
         (s.rounded ? "/rounded" : "");
}

/// Random keys or values as a stream keeps them.
buffer kept(const shape& s) {
  buffer x = floats(s.keys * s.kv_heads * s.width);
  if (s.cache.format == fovea::core::weight_format::f32) return x;
  const auto& keep = fovea::core::simd::kernel_in_use<fovea::core::simd::kernel_name::keep>();
  const size_t row = s.kv_heads * s.width;
  buffer out = floats(s.keys * fovea::core::kept_floats(s.cache.format, row));
  const fovea::core::simd::keep_args args{
      .x = x.get(), .rows = s.keys, .width = row, .out = out.get(), .format = s.cache.format};
  keep.run(args, 0, keep.tasks(args));
  return out;
}

void measure(const shape& s, report& rows) {
  using name = fovea::core::simd::kernel_name;
  fovea::core::thread_pool& pool = rows.pool();
  const auto& attention = fovea::core::simd::kernel_in_use<name::attention>();
  const auto& rounded = fovea::core::simd::kernel_in_use<name::rounded_attention>();
  if (s.rounded && rounded.run == nullptr) return;
  const buffer q = floats(s.queries * s.heads * s.width), out = floats(s.queries * s.heads * s.width);
  const buffer k = kept(s), v = kept(s);
  std::vector<std::int32_t> lower(s.queries, 0), upper(s.queries);
  for (size_t i = 0; i < s.queries; ++i) upper[i] = static_cast<std::int32_t>(s.keys - s.queries + i + 1);
  fovea::core::simd::attention_args a;
  a.q = q.get(), a.k = k.get(), a.v = v.get(), a.out = out.get();
  a.batch = 1, a.heads = s.heads, a.kv_heads = s.kv_heads, a.queries = s.queries, a.keys = s.keys;
  a.key_width = a.value_width = s.width;
  a.q_row = a.out_row = s.heads * s.width,
  a.k_row = a.v_row = fovea::core::kept_floats(s.cache.format, s.kv_heads * s.width);
  a.key_format = a.value_format = s.cache.format;
  a.scale = 0.125f, a.threads = pool.size();
  if (s.causal) a.lower = lower.data(), a.upper = upper.data();
  const size_t each = ((s.rounded ? rounded.scratch(a) : attention.scratch(a)) + 15) / 16 * 16;
  const buffer scratch = floats(each * pool.size()),
               shared = floats(s.rounded ? rounded.shared(a) : attention.shared(a));
  a.shared = shared.get();
  const auto run = [&](size_t tasks, auto kernel) {
    pool.run(tasks, [&](size_t first, size_t last, size_t thread) {
      kernel(a, first, last, scratch.get() + thread * each);
    });
  };
  const auto ours = [&] {
    if (s.rounded) {
      run(rounded.round_tasks(a), rounded.round);
      run(rounded.tasks(a), rounded.run);
    } else {
      run(attention.tasks(a), attention.run);
      attention.join(a);
    }
  };
  size_t visible = 0;
  for (size_t i = 0; i < s.queries; ++i) visible += s.causal ? static_cast<size_t>(upper[i]) : s.keys;
  const double multiply_adds = static_cast<double>(2 * visible * s.heads * s.width);
  ours();
  const double bytes = static_cast<double>(2 * s.keys * a.k_row * sizeof(float));
  rows.add(name_of(s), times_us(std::clamp(static_cast<int>(1e10 / multiply_adds), 20, 2000), ours),
           demand{multiply_adds, bytes});
}

} // namespace

int main(int argc, char** argv) {
  return run("Times attention.", argc, argv, [](report& rows) {
    for (const auto& s : shapes) measure(s, rows);
  });
}
