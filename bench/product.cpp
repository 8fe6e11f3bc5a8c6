// How fast is the matrix product, beside OpenBLAS, oneDNN and what the machine can do? bench/peers/product.py
// times PyTorch and ONNX Runtime on rows of the same names.
//
// Each shape (rows, columns, depth) is timed in turns with the two. The limits are its arithmetic at the
// measured rate of fused multiply-adds, and its weights at the measured bandwidth of reading a buffer of
// their size.

#include "measure.hpp"
#include "onednn_product.hpp"
#include "program.hpp"
#include <algorithm>
#include <cblas.h>
#include <chrono>
#include <fovea/backends/simd/isa/dispatch.hpp>
#include <string>
#include <thread>

namespace {

using namespace fovea::core::bench;

struct shape {
  size_t rows, columns, depth;
};

constexpr shape shapes[] = {{1, 64, 64},        {16, 64, 64},     {1, 768, 768},    {1, 3072, 768},
                            {8, 768, 768},      {16, 384, 384},   {16, 1536, 384},  {16, 384, 1536},
                            {32, 384, 384},     {128, 384, 384},  {128, 1536, 384}, {128, 384, 1536},
                            {128, 768, 768},    {128, 3072, 768}, {128, 768, 3072}, {512, 512, 512},
                            {1024, 1024, 1024}, {700, 300, 10000}};

std::string openblas_version() {
  const std::string configuration = openblas_get_config();
  return configuration.substr(9, configuration.find(' ', 9) - 9);
}

void measure(const shape& s, report& measured) {
  using fovea::core::simd::kernel_name;
  const auto& pack = fovea::core::simd::kernel_in_use<kernel_name::pack>();
  const auto& product = fovea::core::simd::kernel_in_use<kernel_name::product>();
  const size_t panel = fovea::core::simd::set_named(fovea::core::instruction_set())->panel;
  const auto [rows, columns, depth] = s;
  const buffer a = floats(rows * depth), weights = floats(columns * depth), out = floats(rows * columns);
  const buffer panels = floats(fovea::core::simd::panel_floats(panel, columns, depth));
  const fovea::core::simd::pack_args packing{weights.get(), columns, depth, depth, 1, panels.get()};
  pack.run(packing, 0, pack.tasks(packing));
  fovea::core::simd::product_part part;
  part.panels = panels.get();
  part.columns = columns;
  part.out = out.get();
  part.out_stride = columns;
  const fovea::core::simd::product_args args{a.get(), rows, depth, depth, nullptr, &part, 1};

  const auto ours = [&] {
    measured.pool().run(product.tasks(args),
                        [&](size_t first, size_t last, size_t) { product.run(args, first, last); });
  };
  const auto openblas = [&] {
    const auto m = static_cast<blasint>(rows), n = static_cast<blasint>(columns),
               k = static_cast<blasint>(depth);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1.f, a.get(), k, weights.get(), k, 0.f,
                out.get(), n);
  };
  onednn_product onednn(rows, columns, depth, a.get(), weights.get(), out.get());
  ours(), openblas(), onednn();
  const double multiply_adds = static_cast<double>(rows * columns * depth);
  const int repeats = std::clamp(static_cast<int>(2e9 / multiply_adds), 4, 200);
  timings us, openblas_us, onednn_us;
  for (int turn = 0; turn < 5; ++turn) {
    // The threads of the other libraries wait for more to do, and busily, for longer than a product takes.
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    us.take(repeats, ours);
    openblas_us.take(repeats, openblas);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    onednn_us.take(repeats, onednn);
  }
  const std::string name =
      "product/" + std::to_string(rows) + "x" + std::to_string(columns) + "x" + std::to_string(depth);
  measured.add(name, us, demand{multiply_adds, static_cast<double>(columns * depth * sizeof(float))});
  measured.add_peer(name, "openblas", openblas_version(), openblas_us);
  measured.add_peer(name, "onednn", onednn_product::version(), onednn_us);
}

} // namespace

int main(int argc, char** argv) {
  return run("Times matrix products, OpenBLAS's and oneDNN's in turns.", argc, argv, [](report& rows) {
    openblas_set_num_threads(rows.threads);
    onednn_product::use_threads(rows.threads);
    for (const auto& s : shapes) measure(s, rows);
  });
}
