// Products by weights that round what they multiply too, against the same written plainly.

#include "../../exact_fma.hpp"
#include "../../gguf_blocks.hpp"
#include "kernel_sets.hpp"
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <concepts>
#include <cstring>
#include <fovea/backends/buffer.hpp>
#include <fovea/backends/simd/format_code.hpp>
#include <fovea/base/error.hpp>
#include <fovea/base/half.hpp>
#include <fovea/base/threads.hpp>
#include <fovea/weights/blocks.hpp>
#include <fovea/weights/from_floats.hpp>
#include <fovea/weights/panel_layout.hpp>
#include <fovea/weights/to_floats.hpp>
#include <fovea/weights/weight_format.hpp>
#include <limits>
#include <string>

using namespace fovea::core::simd;
namespace gguf_blocks = fovea::core::gguf_blocks;
using fovea::core::in_format_panels;
using fovea::core::thread_pool;
using fovea::core::weight_format;

namespace {

constexpr std::size_t group = fovea::core::weight_group;
constexpr weight_format bfloats = fovea::core::format_named<fovea::bf16_products>;

/// Those whose products are sums of integers.
std::vector<weight_format> formats() {
  std::vector<weight_format> made;
  fovea::core::all_formats::each([&]<class format>(format) {
    if (fovea::core::traits_of<format>.sums_integers()) made.push_back(fovea::core::format_named<format>);
  });
  return made;
}

bool scales_rows(weight_format format) { return !fovea::core::traits(format).in_files(); }

/// The kernels of a set that multiply rounded rows, in passes or without.
struct rounding_kernels {
  const kernel_table& table;
  rounding_kernel integer_product, bf16_product, integer_k_product;

  const rounding_passes* passes() const { return integer_product.passes; }
  const rounding_kernel& of(weight_format format) const {
    return fovea::core::is_k(format)            ? integer_k_product
           : fovea::core::sums_integers(format) ? integer_product
                                                : bf16_product;
  }
};

/// Those that have passes multiply in them, and are there without them too.
std::vector<rounding_kernels> all_rounding_kernels() {
  std::vector<rounding_kernels> all;
  for (const auto* table : kernel_sets()) {
    all.push_back({*table, *table->integer_product, *table->bf16_product, *table->integer_k_product});
    if (!all.back().passes()) continue;
    all.push_back(all.back());
    for (auto* kernel :
         {&all.back().integer_product, &all.back().bf16_product, &all.back().integer_k_product})
      kernel->passes = nullptr;
  }
  return all;
}

/// Values as whole numbers of one scale, zeros behind them in a group.
struct whole_numbers {
  std::vector<int> number;
  float scale = 0;

  explicit whole_numbers(std::size_t count) : number(std::max(count, group)) {}

  static whole_numbers of_row(const float* x, std::size_t count, bool fused) {
    whole_numbers made(count);
    float most = 0;
    for (std::size_t k = 0; k < count; ++k) most = std::max(most, std::abs(x[k]));
    constexpr float whole = 0x1.8p23f; // a float of this size has no fraction
    for (std::size_t k = 0; k < count && most > 0; ++k) {
      const float rounded =
          fused ? fovea::core::test::exact_fma(x[k], 127 / most, whole) : x[k] * (127 / most) + whole;
      made.number[k] = static_cast<int>(rounded - whole);
    }
    made.scale = most / 127;
    return made;
  }
  static whole_numbers of_weights(weight_format format, const float* w, std::size_t count) {
    whole_numbers made(count);
    if (scales_rows(format)) {
      made.scale = fovea::core::int8_scale({w, count});
      std::transform(w, w + count, made.number.begin(),
                     [&](float x) { return fovea::core::to_int8(x, made.scale); });
      return made;
    }
    std::byte stored[2 + group];
    fovea::core::from_floats(fovea::core::traits(format).stored, {w, count}, stored);
    std::uint16_t half;
    std::memcpy(&half, stored, sizeof half);
    made.scale = fovea::core::from_half(half);
    float values[group];
    const fovea::core::element_type type = fovea::core::traits(format).stored;
    fovea::core::to_floats(type, std::span(stored).first(fovea::core::block_bytes(type)), values);
    for (std::size_t k = 0; k < group && made.scale != 0; ++k)
      made.number[k] = static_cast<int>(std::lround(values[k] / made.scale));
    return made;
  }
};

/// The same of K blocks: a row's numbers share a scale by 32, weights have several.
float plainly_in_k(weight_format format, const float* x, const std::byte* blocks, std::size_t depth,
                   float bias, bool fused) {
  float sum = bias;
  const auto add = [&](float number, float scale) {
    sum = fused ? fovea::core::test::exact_fma(number, scale, sum) : number * scale + sum;
  };
  const auto add_block = [&]<class block>(const block& of, std::size_t k) {
    for (std::size_t line = 0; line < 8 && k < depth; ++line, k += group) {
      const auto a = whole_numbers::of_row(x + k, std::min(group, depth - k), fused);
      if constexpr (std::same_as<block, gguf_blocks::q4_k>) {
        int dot = 0, below = 0;
        for (std::size_t i = 0; i < group; ++i)
          dot += a.number[i] * gguf_blocks::four_bits(of.numbers, line, i), below -= a.number[i];
        const float scale = fovea::core::from_half(of.scale) * static_cast<float>(of.lines.scale(line)),
                    minimum = fovea::core::from_half(of.minimum) * static_cast<float>(of.lines.minimum(line));
        add(static_cast<float>(dot), scale * a.scale);
        add(minimum, a.scale * static_cast<float>(below));
      } else {
        for (std::size_t half = 0; half < 2; ++half) {
          int dot = 0;
          for (std::size_t i = half * 16; i < half * 16 + 16; ++i)
            dot += a.number[i] * ((of.low_bits(line, i) | gguf_blocks::two_bits(of.high, line, i) << 4) - 32);
          const float scale =
              fovea::core::from_half(of.scale) * static_cast<float>(of.groups[line * 2 + half]);
          add(static_cast<float>(dot), scale * a.scale);
        }
      }
    }
  };
  gguf_blocks::all::find(fovea::core::traits(format).stored, [&]<class block>(block of) {
    if constexpr (std::same_as<block, gguf_blocks::q4_k> || std::same_as<block, gguf_blocks::q6_k>)
      for (std::size_t k = 0; k < depth; k += block::length, blocks += sizeof of) {
        std::memcpy(&of, blocks, sizeof of);
        add_block(of, k);
      }
  });
  return sum;
}

float plainly(weight_format format, const float* x, const float* w, std::size_t depth, float bias,
              bool fused) {
  if (fovea::core::is_k(format)) {
    const fovea::core::element_type type = fovea::core::traits(format).stored;
    std::vector<std::byte> blocks((depth + 255) / 256 * fovea::core::block_bytes(type));
    fovea::core::from_floats(type, {w, depth}, blocks.data());
    return plainly_in_k(format, x, blocks.data(), depth, bias, fused);
  }
  const std::size_t together = scales_rows(format) ? depth : group;
  float sum = bias;
  for (std::size_t k = 0; k < depth; k += together) {
    const std::size_t count = std::min(together, depth - k);
    const auto a = whole_numbers::of_row(x + k, count, fused),
               b = whole_numbers::of_weights(format, w + k, count);
    int dot = 0;
    for (std::size_t i = 0; i < count; ++i) dot += a.number[i] * b.number[i];
    const float scale = b.scale * a.scale, number = static_cast<float>(dot);
    sum = fused ? fovea::core::test::exact_fma(number, scale, sum) : number * scale + sum;
  }
  return sum;
}

void multiply(const rounding_kernel& kernel, product_args args, std::size_t threads) {
  thread_pool pool(threads);
  const auto run = [&](std::size_t tasks, auto tasks_of_kernel, auto... rounded) {
    pool.run(tasks, std::numeric_limits<std::int64_t>::max(),
             [&](std::size_t first, std::size_t last, std::size_t) {
               tasks_of_kernel(args, first, last, rounded...);
             },
             {.backward = args.backward});
  };
  if (const rounding_passes* passes = kernel.passes) {
    args.threads = 2; // one needs no passes
    fovea::core::buffer memory = fovea::core::buffer::from_shape({passes->scratch(args)});
    run(passes->round_tasks(args), passes->round, memory.data());
    run(passes->product_tasks(args), passes->product, memory.data());
  } else {
    run(kernel.tasks(args), kernel.run);
  }
}

std::vector<float> multiplied(const rounding_kernels& kernels, product_args args, product_part part,
                              std::size_t threads) {
  std::vector<float> out(args.rows * part.columns, 9.f);
  part.out = out.data(), part.out_stride = part.columns;
  args.parts = &part, args.part_count = 1;
  multiply(kernels.of(part.format), args, threads);
  return out;
}

/// A product of random matrices, whose rows are taken from the last to the first, with all that may follow. One value of
/// each row is up to nine times as large as the others, so that their numbers are smaller in some rows than in others.
struct random_product {
  std::size_t rows, columns, depth;
  std::mt19937 random;
  std::vector<float> x, w, bias, other;
  std::vector<std::int32_t> ids;

  random_product(std::size_t m, std::size_t n, std::size_t k)
      : rows(m), columns(n), depth(k), random(static_cast<unsigned>(m + 31 * n + 1009 * k)),
        x(random_floats(m * k, random)), w(random_floats(n * k, random)), bias(random_floats(n, random)),
        other(random_floats(m * n, random)) {
    for (std::size_t r = 0; r < m; ++r) {
      ids.push_back(static_cast<std::int32_t>(m - 1 - r));
      x[r * k + r % k] *= static_cast<float>(1 + r % 9);
    }
  }
  const float* row(std::size_t r) const { return x.data() + (rows - 1 - r) * depth; }

  std::vector<float> found(const rounding_kernels& kernels, weight_format format, std::size_t threads,
                           bool backward = false) const {
    thread_pool pool(2);
    const auto panels =
        in_format_panels(format, {w.data(), w.size()}, columns, depth, kernels.table.set.panel, pool, "w");
    const product_part part{.panels = panels.data(),
                            .columns = columns,
                            .bias = bias.data(),
                            .other = other.data(),
                            .other_stride = columns,
                            .act = fovea::core::op::relu,
                            .join = fovea::core::op::add,
                            .format = format};
    const product_args args{.a = x.data(),
                            .rows = rows,
                            .depth = depth,
                            .a_stride = depth,
                            .ids = ids.data(),
                            .backward = backward};
    return multiplied(kernels, args, part, threads);
  }
};

/// Whether a set has a fused multiply-add: `portable` has it where all processors of this kind have.
bool fuses(const std::string& set) {
#ifdef FP_FAST_FMAF
  if (set == "portable") return true;
#endif
  return set == "avx2" || set == "avx512" || set == "neon64";
}

void check_integers(const rounding_kernels& kernels, std::size_t rows, std::size_t columns,
                    std::size_t depth) {
  const random_product p(rows, columns, depth);
  const std::string set = kernels.table.set.name;
  const bool fused = fuses(set); // x * scale + whole is one step
  for (const weight_format format : formats()) {
    CAPTURE(kernels.table.set.name, kernels.passes(), fovea::core::name_of(format), rows, columns, depth);
    std::vector<float> expected;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t j = 0; j < columns; ++j) {
        const float sum = plainly(format, p.row(r), p.w.data() + j * depth, depth, p.bias[j], fused);
        expected.push_back(std::max(sum, 0.f) + p.other[r * columns + j]);
      }
    for (const std::size_t threads : {1u, 3u})
      for (const bool backward : {false, true})
        CHECK(p.found(kernels, format, threads, backward) == expected);
  }
}

double as_bfloat(float x) { return static_cast<double>(fovea::core::from_bfloat(fovea::core::to_bfloat(x))); }

/// Sums of float32 are in whatever order: off by a few of the last digits of their largest parts.
void check_bfloats(const rounding_kernels& kernels, std::size_t rows, std::size_t columns,
                   std::size_t depth) {
  const random_product p(rows, columns, depth);
  CAPTURE(kernels.table.set.name, kernels.passes(), rows, columns, depth);
  const std::vector<float> found = p.found(kernels, bfloats, 1);
  CHECK(p.found(kernels, bfloats, 3) == found);
  CHECK(p.found(kernels, bfloats, 2, true) == found);
  double apart = 0;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = 0; j < columns; ++j) {
      double sum = static_cast<double>(p.bias[j]), size = std::abs(sum);
      for (std::size_t k = 0; k < depth; ++k) {
        const double product = as_bfloat(p.row(r)[k]) * as_bfloat(p.w[j * depth + k]);
        sum += product, size += std::abs(product);
      }
      const double other = static_cast<double>(p.other[r * columns + j]),
                   expected = std::max(sum, 0.0) + other;
      apart = std::max(apart, std::abs(static_cast<double>(found[r * columns + j]) - expected) /
                                  (size + std::abs(other)));
    }
  CHECK(apart < 8 * 0x1p-24);
}

template <class F>
void for_sizes(std::size_t panel, const F& f) {
  for (std::size_t rows = 1; rows <= 34; ++rows) f(rows, 2 * panel + 3, 70);
  for (std::size_t depth = 1; depth <= 67; ++depth) f(1 + depth % 4, panel, depth);
  for (std::size_t columns = 1; columns <= 4 * panel + 1; ++columns) f(1 + columns % 3, columns, 37);
  f(131, 101, 257);
  for (const std::size_t depth : {256u, 300u, 512u, 600u}) f(1 + depth % 5, panel + 3, depth);
  f(9, 5, 16 * 1024 + 1); // fewer rows at once than a register block has
}

} // namespace

TEST_CASE("a product of integers is that of the rounded numbers") {
  for (const rounding_kernels& kernels : all_rounding_kernels()) {
    for_sizes(kernels.table.set.panel, [&](std::size_t rows, std::size_t columns, std::size_t depth) {
      check_integers(kernels, rows, columns, depth);
    });
    check_integers(kernels, 5, 3, 40 * 1024); // no room behind the rows
  }
}

TEST_CASE("a product of bfloat16 is near that of the rounded values") {
  for (const rounding_kernels& kernels : all_rounding_kernels())
    for_sizes(kernels.table.set.panel, [&](std::size_t rows, std::size_t columns, std::size_t depth) {
      check_bfloats(kernels, rows, columns, depth);
    });
}

TEST_CASE("a product of integers takes the largest numbers") {
  // Weights of -128, which only files of other programs hold, and numbers of 127 either way.
  for (const rounding_kernels& kernels : all_rounding_kernels())
    for (const weight_format format : formats())
      for (const float sign : {1.f, -1.f}) {
        if (fovea::core::is_k(format)) continue;
        CAPTURE(kernels.table.set.name, kernels.passes(), fovea::core::name_of(format), sign);
        const auto numbers = static_cast<float>(1 << (fovea::core::traits(format).bits - 1)),
                   lowest = scales_rows(format) ? 1 - numbers : -numbers;
        std::vector<float> w(group, lowest), x(group, 127 * sign);
        w[3] = std::trunc(lowest / 2), x[7] = -x[7];
        thread_pool pool(1);
        const auto panels =
            in_format_panels(format, {w.data(), w.size()}, 1, group, kernels.table.set.panel, pool, "w");
        const product_part part{.panels = panels.data(), .columns = 1, .format = format};
        const product_args args{.a = x.data(), .rows = 1, .depth = group, .a_stride = group};
        CHECK(multiplied(kernels, args, part, 1).at(0) == 127 * sign * (lowest * (group - 3) + w[3]));
      }
}

TEST_CASE("a product of integers takes K blocks as a file has them, of several types at once") {
  constexpr std::size_t depth = 512, columns = 37, rows = 11;
  std::mt19937 random(5);
  std::vector<std::vector<std::byte>> stored;
  std::vector<weight_format> all;
  for (const weight_format format : formats()) {
    if (!fovea::core::is_k(format)) continue;
    const fovea::core::element_type type = fovea::core::traits(format).stored;
    const auto of =
        std::ranges::find(fovea::core::test::blocks_of_others, type, &fovea::core::test::block_type::type);
    const std::string bytes = fovea::core::test::random_blocks(*of, columns * depth / 256, random);
    const auto all_bytes = std::as_bytes(std::span(bytes));
    stored.emplace_back(all_bytes.begin(), all_bytes.end());
    std::fill_n(stored.back().begin() + 16, 64, std::byte{255}); // the greatest numbers
    all.push_back(format);
  }
  for (const rounding_kernels& kernels : all_rounding_kernels())
    for (const bool ends : {false, true}) {
      std::vector<float> x = random_floats(rows * depth, random);
      if (ends)
        for (float& value : x) value = value < 0 ? -127.f : 127.f;
      CAPTURE(kernels.table.set.name, kernels.passes(), ends);
      const bool fused = fuses(kernels.table.set.name);
      thread_pool pool(1);
      std::vector<fovea::core::packed> panels;
      std::vector<product_part> parts;
      std::vector<std::vector<float>> out(all.size(), std::vector<float>(rows * columns));
      for (std::size_t p = 0; p < all.size(); ++p) {
        const fovea::core::weight_view view{nullptr, columns * depth, stored[p]};
        panels.push_back(in_format_panels(all[p], view, columns, depth, kernels.table.set.panel, pool, "w"));
        parts.push_back({.panels = panels.back().data(),
                         .columns = columns,
                         .out = out[p].data(),
                         .out_stride = columns,
                         .format = all[p]});
      }
      const product_args args{.a = x.data(),
                              .rows = rows,
                              .depth = depth,
                              .a_stride = depth,
                              .parts = parts.data(),
                              .part_count = parts.size()};
      multiply(kernels.integer_k_product, args, 2);
      for (std::size_t p = 0; p < all.size(); ++p)
        for (std::size_t i = 0; i < rows * columns; ++i) {
          const std::size_t of_column = stored[p].size() / columns;
          CAPTURE(fovea::core::name_of(all[p]), i);
          CHECK(out[p][i] == plainly_in_k(all[p], x.data() + i / columns * depth,
                                          stored[p].data() + i % columns * of_column, depth, 0, fused));
        }
    }
}

TEST_CASE("a product of rounded rows says where a value is not finite, and takes zeros") {
  for (const rounding_kernels& kernels : all_rounding_kernels())
    for (const weight_format format : [] {
           std::vector<weight_format> all = formats();
           all.push_back(bfloats);
           return all;
         }())
      for (const float bad :
           {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
        constexpr std::size_t depth = 40, columns = 5;
        std::mt19937 random(3);
        const auto w = random_floats(columns * depth, random);
        std::vector<float> x(3 * depth, 0.f);
        x[depth + 34] = bad;
        std::fill_n(x.begin() + 2 * depth, depth, 1e-39f); // smaller than a scale can say
        thread_pool pool(1);
        const auto panels = in_format_panels(format, {w.data(), w.size()}, columns, depth,
                                             kernels.table.set.panel, pool, "w");
        const product_part part{.panels = panels.data(), .columns = columns, .format = format};
        const product_args args{.a = x.data(), .rows = 3, .depth = depth, .a_stride = depth};
        const std::vector<float> out = multiplied(kernels, args, part, 1);
        for (std::size_t j = 0; j < columns; ++j) {
          CAPTURE(kernels.table.set.name, kernels.passes(), fovea::core::name_of(format), j);
          CHECK(out[j] == 0);
          CHECK(!std::isfinite(out[columns + j]));
          CHECK(std::abs(out[2 * columns + j]) < 1e-36f);
        }
      }
}

TEST_CASE("rows too long to be rounded are refused") {
  const std::vector<float> w(fovea::core::most_rounded_depth + 1, 0.f);
  thread_pool pool(1);
  CHECK_THROWS_WITH(
      in_format_panels(bfloats, {w.data(), w.size()}, 1, w.size(), ::kernels().set.panel, pool, "map.weight"),
      "parameter map.weight: expected at most 32768 inputs for bf16_products, found 65537");
  CHECK_THROWS_WITH(
      in_format_panels(fovea::core::format_named<fovea::integer_products<fovea::q4_0>>, {w.data(), w.size()},
                       1, w.size(), ::kernels().set.panel, pool, "map.weight"),
      "parameter map.weight: expected at most 65536 inputs for integer_products<q4_0>, found 65537");
}
