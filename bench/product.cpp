// How fast is the matrix product, beside OpenBLAS and beside what the machine can do?
//
// Each shape (rows, columns, depth) is timed in turns with cblas_sgemm, best of many. The bound of a shape is
// the larger of its arithmetic at the measured rate of fused multiply-adds and its weights at the measured
// bandwidth of reading a buffer of their size; `bound` in the output is the share of it that was reached.

#include "measure.hpp"
#include "program.hpp"
#include <algorithm>
#include <cblas.h>
#include <fovea/backends/simd/isa/dispatch.hpp>
#include <string>

namespace {

using namespace fovea::bench;
using fovea::thread_pool;

struct shape {
  size_t rows, columns, depth;
};

constexpr shape shapes[] = {{1, 768, 768},    {1, 3072, 768},   {8, 768, 768},      {16, 384, 384},
                            {16, 1536, 384},  {16, 384, 1536},  {32, 384, 384},     {128, 384, 384},
                            {128, 1536, 384}, {128, 384, 1536}, {128, 768, 768},    {128, 3072, 768},
                            {128, 768, 3072}, {512, 512, 512},  {1024, 1024, 1024}, {700, 300, 10000}};

std::string peer_version() {
  const std::string configuration = openblas_get_config();
  return configuration.substr(9, configuration.find(' ', 9) - 9);
}

void measure(const shape& s, thread_pool& pool, double peak, report& measured) {
  const auto& kernels = fovea::simd::kernels();
  const auto [rows, columns, depth] = s;
  const buffer a = floats(rows * depth), weights = floats(columns * depth), out = floats(rows * columns);
  const buffer panels = floats(fovea::simd::panel_floats(kernels.panel, columns, depth));
  const fovea::simd::pack_args packing{weights.get(), columns, depth, depth, 1, panels.get()};
  kernels.pack(packing, 0, kernels.pack_tasks(packing));
  fovea::simd::product_part part;
  part.panels = panels.get();
  part.columns = columns;
  part.out = out.get();
  part.out_stride = columns;
  const fovea::simd::product_args args{a.get(), rows, depth, depth, nullptr, &part, 1};

  const auto ours = [&] {
    pool.run(kernels.product_tasks(args),
             [&](size_t first, size_t last, size_t) { kernels.product(args, first, last); });
  };
  const auto peer = [&] {
    const auto m = static_cast<blasint>(rows), n = static_cast<blasint>(columns),
               k = static_cast<blasint>(depth);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1.f, a.get(), k, weights.get(), k, 0.f,
                out.get(), n);
  };
  ours(), peer();
  const double flops = static_cast<double>(rows * columns * depth);
  const int turns = std::clamp(static_cast<int>(3e10 / flops), 20, 1000);
  double ours_us = 1e30, peer_us = 1e30;
  for (int i = 0; i < turns; i += 10) {
    ours_us = std::min(ours_us, best_us(10, ours));
    peer_us = std::min(peer_us, best_us(10, peer));
  }
  const double bytes = static_cast<double>(columns * depth * sizeof(float));
  const double least_us = std::max(flops / peak, bytes / read_rate(pool, panels.get(), columns * depth));
  measured.add("product/" + std::to_string(rows) + "x" + std::to_string(columns) + "x" +
                   std::to_string(depth),
               ours_us, least_us / ours_us, "openblas", peer_version(), peer_us);
}

} // namespace

int main(int argc, char** argv) {
  return run("Times matrix products, OpenBLAS's in turns.", argc, argv, [](report& rows) {
    thread_pool pool(static_cast<size_t>(rows.threads));
    openblas_set_num_threads(rows.threads);
    const double peak = peak_rate(pool, fovea::simd::kernels().vector);
    std::printf("%s, %d threads: %.1f GFLOP/s at peak; OpenBLAS for %s\n", fovea::instruction_set(),
                rows.threads, 2e-3 * peak, openblas_get_corename());
    for (const auto& s : shapes) measure(s, pool, peak, rows);
  });
}
