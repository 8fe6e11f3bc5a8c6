// How fast is the matrix product, beside OpenBLAS and beside what the machine can do?
//
// Each shape (rows, columns, depth) is timed in turns with cblas_sgemm, best of many. The bound of a shape is
// the larger of its arithmetic at the measured rate of fused multiply-adds and its weights at the measured
// bandwidth of reading a buffer of their size; `bound` in the output is the share of it that was reached.

#include "measure.hpp"
#include <algorithm>
#include <cblas.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fovea/backends/simd/isa/dispatch.hpp>
#include <string>
#include <vector>

namespace {

using namespace fovea::bench;
using fovea::thread_pool;

struct shape {
  size_t rows, columns, depth;
};

constexpr shape shapes[] = {{1, 768, 768},    {1, 3072, 768},   {8, 768, 768},     {16, 384, 384},
                            {16, 1536, 384},  {16, 384, 1536},  {32, 384, 384},    {128, 384, 384},
                            {128, 1536, 384}, {128, 384, 1536}, {128, 768, 768},   {128, 3072, 768},
                            {128, 768, 3072}, {512, 512, 512},  {1024, 1024, 1024}};

struct row {
  std::string name;
  double ours_us, peer_us, bound;
};

row measure(const shape& s, thread_pool& pool, double peak) {
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
  row r{std::to_string(rows) + "x" + std::to_string(columns) + "x" + std::to_string(depth), 1e30, 1e30, 0};
  for (int i = 0; i < turns; i += 10) {
    r.ours_us = std::min(r.ours_us, best_us(10, ours));
    r.peer_us = std::min(r.peer_us, best_us(10, peer));
  }
  const double bytes = static_cast<double>(columns * depth * sizeof(float));
  r.bound = std::max(flops / peak, bytes / read_rate(pool, panels.get(), columns * depth)) / r.ours_us;
  return r;
}

int usage() {
  std::fprintf(stderr, "usage: product [--threads N] [--json FILE]\n");
  return 2;
}

} // namespace

int main(int argc, char** argv) try {
  size_t threads = 1;
  const char* json = nullptr;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return usage();
    if (!std::strcmp(argv[i], "--threads"))
      threads = static_cast<size_t>(std::max(1, std::atoi(argv[i + 1])));
    else if (!std::strcmp(argv[i], "--json"))
      json = argv[i + 1];
    else
      return usage();
  }
  thread_pool pool(threads);
  openblas_set_num_threads(static_cast<int>(threads));
  const std::string configuration = openblas_get_config();
  const std::string version = configuration.substr(9, configuration.find(' ', 9) - 9);
  const double peak = peak_rate(pool, fovea::simd::kernels().vector);
  std::printf("%s, %zu threads: %.1f GFLOP/s at peak; OpenBLAS %s (%s)\n", fovea::instruction_set(), threads,
              2e-3 * peak, version.c_str(), openblas_get_corename());
  std::printf("%-16s %10s %10s %7s %7s\n", "shape", "ours us", "peer us", "ratio", "bound");
  std::vector<row> rows;
  for (const auto& s : shapes) {
    rows.push_back(measure(s, pool, peak));
    const row& r = rows.back();
    std::printf("%-16s %10.1f %10.1f %7.2f %7.2f\n", r.name.c_str(), r.ours_us, r.peer_us,
                r.peer_us / r.ours_us, r.bound);
    std::fflush(stdout);
  }
  if (!json) return 0;
  std::FILE* file = std::fopen(json, "w");
  if (!file) {
    std::fprintf(stderr, "product: cannot write '%s': %s\n", json, std::strerror(errno));
    return 1;
  }
  std::fprintf(file, "[");
  for (size_t i = 0; i < rows.size(); ++i)
    std::fprintf(
        file,
        "%s\n  {\"name\": \"product/%s\", \"isa\": \"%s\", \"threads\": %zu, \"ours_us\": %.3f, \"peer\": "
        "\"openblas\", \"peer_version\": \"%s\", \"peer_us\": %.3f, \"ratio\": %.4f, \"bound\": %.4f}",
        i ? "," : "", rows[i].name.c_str(), fovea::instruction_set(), threads, rows[i].ours_us,
        version.c_str(), rows[i].peer_us, rows[i].peer_us / rows[i].ours_us, rows[i].bound);
  std::fprintf(file, "\n]\n");
  std::fclose(file);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "product: %s\n", e.what());
  return 2;
}
