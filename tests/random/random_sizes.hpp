#pragma once

// Models whose sizes, threads, weight formats and steps are drawn, on the kernels against the specification.
// A run prints its seed where something fails:
//
//   FOVEA_SEED=81 FOVEA_ROUNDS=1 FOVEA_ISA=avx2 build/tests/test_random "the test's name"
//
// is that round again; a seed that found something is given to the check of its model for good.

#include "../each_format.hpp"
#include "../streams/stream_rows_case.hpp"

#include <fovea/weights/rounded.hpp>

#include <cstdlib>
#include <initializer_list>
#include <numeric>
#include <random>

namespace fovea::core::test {

/// From the least to the most that each symbol's size may be.
using size_ranges = std::map<std::string, std::pair<std::size_t, std::size_t>>;
using drawn_sizes = std::map<std::string, std::size_t>;

/// What follows from one seed.
class draws {
public:
  explicit draws(std::uint64_t seed) : random_(seed) {}

  /// One of them, the ends more often than others.
  std::size_t number(std::size_t least, std::size_t most) {
    const std::uint64_t bits = random_();
    if (bits % 8 == 0) return least;
    if (bits % 8 == 1) return most;
    return least + (bits >> 3) % (most - least + 1);
  }
  bool one_in(std::size_t n) { return random_() % n == 0; }
  drawn_sizes sizes(const size_ranges& ranges) {
    drawn_sizes made;
    for (const auto& [symbol, range] : ranges) made[symbol] = number(range.first, range.second);
    return made;
  }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[number(0, all.size() - 1)];
  }
  /// So many things in steps of at least one.
  std::vector<std::size_t> steps(std::size_t count) {
    std::vector<std::size_t> made;
    const std::size_t longest = number(1, count);
    for (std::size_t left = count; left > 0; left -= made.back())
      made.push_back(number(1, std::min(left, longest)));
    return made;
  }

private:
  std::mt19937_64 random_;
};

/// The seeds of a check: those that found something once, then FOVEA_ROUNDS more (8) from FOVEA_SEED on, or
/// from one that differs from run to run.
inline std::vector<std::uint64_t> seeds(std::initializer_list<std::uint64_t> found) {
  const auto number = [](const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
  };
  static const std::uint64_t first = number("FOVEA_SEED", std::random_device()());
  static const std::uint64_t rounds = number("FOVEA_ROUNDS", 8);
  std::vector<std::uint64_t> all(found);
  for (std::uint64_t i = 0; i < rounds; ++i) all.push_back(first + i);
  return all;
}

namespace detail {

/// Small weights, by which no value grows from layer to layer.
template <class M>
model_weights drawn_weights(const M& model, std::uint64_t seed) {
  std::map<std::string, weight_tensor> made = random_tensors(model, std::to_string(seed));
  for (auto& [name, tensor] : made) {
    if (name.ends_with("running_var")) continue;
    std::size_t inputs = 4;
    for (std::size_t axis = 1; axis < tensor.shape.size(); ++axis) inputs *= tensor.shape[axis];
    for (float& x : tensor.values) x *= 2 / std::sqrt(static_cast<float>(inputs));
  }
  return model_weights::from(std::move(made));
}

/// Capacity for these sizes, of the symbols that the model has.
template <class M>
compile_options drawn_options(draws& random, const drawn_sizes& capacity) {
  compile_options options;
  for (const auto& [symbol, size] : capacity)
    options.capacity.push_back({dim::symbol(symbol.c_str()), static_cast<std::int64_t>(size)});
  options.threads = static_cast<int>(random.number(1, 4));
  options.regime = random.one_of({regime::automatic, regime::small, regime::large});
  return options;
}

inline void check_near(const named_values& found, const named_values& expected) {
  for (const auto& [name, values] : found) {
    const golden_tensor& right = expected.at(name);
    INFO("output " << name << " " << shape_text(right.shape));
    REQUIRE(values.shape == right.shape);
    const distance d = distance_of(std::span<const double>(values.values), right, 3e-5, 3e-5);
    INFO("element " << d.worst << " is off by " << d.share << " of the tolerance");
    CHECK(d.share <= 1);
  }
}

/// f(weights as a drawn format rounds them, an empty value of the format).
template <class M, class F>
void with_drawn_format(draws& random, const M& model, const model_weights& from, const F& f) {
  constexpr std::size_t last = 9; // more than there are formats: f32 is drawn more often than others
  const std::size_t drawn = random.number(0, last);
  bool found = false;
  for_decoded_formats([&]<class format>(format of) {
    constexpr std::size_t its = static_cast<std::size_t>(format_named<format>) + 1;
    static_assert(its <= last);
    if (drawn != its) return;
    f(rounded_weights<format>(model, from), of);
    found = true;
  });
  if (!found) f(from, f32{});
}

} // namespace detail

/// Calls of one compiled model, whose sizes are drawn up to a capacity that is drawn too. `found`: the seeds
/// that found something; `least`: the least that the integers of an input are, where it is not 0.
template <class M>
void check_drawn_calls(const M& model, const size_ranges& ranges,
                       std::initializer_list<std::uint64_t> found = {},
                       const std::map<std::string, double>& least = {}) {
  for (const std::uint64_t seed : seeds(found)) {
    INFO(instruction_set() << ", calls of " << model.name << ", FOVEA_SEED=" << seed << " FOVEA_ROUNDS=1");
    draws random(seed);
    size_ranges within = ranges;
    const drawn_sizes capacity = random.sizes(ranges);
    for (auto& [symbol, range] : within) range.second = capacity.at(symbol);
    const compile_options options = detail::drawn_options<M>(random, capacity);
    const model_weights from = detail::drawn_weights(model, seed);
    detail::with_drawn_format(random, model, from, [&](const model_weights& rounded, auto format) {
      auto net = compile<decltype(format)>(model, from, options);
      auto specified = compile<reference>(model, rounded, options);
      for (int call = 0; call < 4; ++call) {
        const drawn_sizes sizes = random.sizes(within);
        std::string text;
        for (const auto& [symbol, size] : sizes)
          text += " " + symbol + " = " + std::to_string(size) + " of " + std::to_string(capacity.at(symbol));
        INFO("call " << call << " of" << text << ", " << options.threads << " threads");
        named_values inputs = random_inputs(model, sizes, std::to_string(seed) + " " + std::to_string(call));
        for (const auto& [name, number] : least)
          for (double& value : inputs.at(name).values) value = std::max(value, number);
        detail::check_near(call_model(model, net, inputs), call_model(model, specified, inputs));
      }
    });
  }
}

/// Calls in those formats that round what is multiplied too: they have the bits that they have in memory of
/// their own sizes, by one thread.
template <class M>
void check_drawn_rounding(const M& model, const size_ranges& ranges,
                          std::initializer_list<std::uint64_t> found = {}) {
  const auto check = [&]<class format>(draws& random, const model_weights& from, format) {
    size_ranges within = ranges;
    const drawn_sizes capacity = random.sizes(ranges);
    for (auto& [symbol, range] : within) range.second = capacity.at(symbol);
    auto net = compile<format>(model, from, detail::drawn_options<M>(random, capacity));
    for (int call = 0; call < 3; ++call) {
      const named_values inputs = random_inputs(model, random.sizes(within), std::to_string(call)),
                         alone = run_model<format>(model, from, inputs);
      for (const auto& [name, values] : call_model(model, net, inputs)) {
        INFO("output " << name << " " << shape_text(values.shape) << " of call " << call);
        CHECK(values.values == alone.at(name).values);
      }
    }
  };
  for (const std::uint64_t seed : seeds(found)) {
    INFO(instruction_set() << ", rounding of " << model.name << ", FOVEA_SEED=" << seed << " FOVEA_ROUNDS=1");
    draws random(seed);
    const model_weights from = detail::drawn_weights(model, seed);
    for_rounding_formats([&](auto format, auto) { check(random, from, format); });
  }
}

/// A stream whose steps are drawn, twice from its beginning: what they give is what the whole sequence gives.
template <dim time, class M>
void check_drawn_steps(const M& model, const size_ranges& ranges,
                       std::initializer_list<std::uint64_t> found = {}) {
  for (const std::uint64_t seed : seeds(found)) {
    INFO(instruction_set() << ", steps of " << model.name << ", FOVEA_SEED=" << seed << " FOVEA_ROUNDS=1");
    draws random(seed);
    drawn_sizes sizes = random.sizes(ranges);
    using stream_type = decltype(stream<time>(model, std::declval<const model_weights&>()));
    const std::size_t length = sizes.at(time.name());
    sizes.at(time.name()) *= static_cast<std::size_t>(stream_type::stride);
    const compile_options options = detail::drawn_options<M>(random, sizes);
    const model_weights from = detail::drawn_weights(model, seed);
    const named_values inputs = random_inputs(model, sizes, std::to_string(seed));
    detail::with_drawn_format(random, model, from, [&](const model_weights& rounded, auto format) {
      const named_values whole = run_model<reference>(model, rounded, inputs);
      auto live = stream<time, decltype(format)>(model, from, options);
      for (int run = 0; run < 2; ++run) {
        detail::begin<M, time>(live, inputs);
        check_steps<M, time>(live, inputs, whole, random.steps(length));
      }
    });
  }
}

/// Rows of a stream that go through sequences of their own: by steps of all or of some of their positions,
/// reset, copied and reordered as it is drawn.
template <dim time, class M>
void check_drawn_rows(const M& model, const size_ranges& ranges,
                      std::initializer_list<std::uint64_t> found = {}) {
  for (const std::uint64_t seed : seeds(found)) {
    INFO(instruction_set() << ", rows of " << model.name << ", FOVEA_SEED=" << seed << " FOVEA_ROUNDS=1");
    draws random(seed);
    drawn_sizes sizes = random.sizes(ranges);
    using driven = driven_rows<M, time>;
    const std::size_t length = sizes.at(time.name());
    sizes.at(time.name()) *= driven::stride;
    const named_values inputs = random_inputs(model, sizes, std::to_string(seed));
    driven rows(model, inputs, detail::drawn_weights(model, seed), detail::drawn_options<M>(random, sizes));
    const std::size_t last = rows.rows() - 1;
    for (int action = 0; action < 12; ++action) {
      INFO("action " << action);
      if (random.one_in(4)) rows.reset(random.number(0, last));
      if (random.one_in(4)) rows.copy(random.number(0, last), random.number(0, last));
      const auto [least, most] = std::minmax_element(rows.at.begin(), rows.at.end());
      if (*least == length) rows.reset(static_cast<std::size_t>(least - rows.at.begin()));
      if (*most < length && random.one_in(2)) {
        rows.step(random.number(1, length - *most));
        continue;
      }
      const std::size_t count = random.number(1, length - *std::min_element(rows.at.begin(), rows.at.end()));
      std::vector<std::size_t> lengths;
      for (const std::size_t at : rows.at) lengths.push_back(random.number(0, std::min(count, length - at)));
      rows.step(count, lengths);
    }
  }
}

} // namespace fovea::core::test
