// Training by products of numbers rounded to bfloat16: against the specification with the same rounding, against
// float32, and what training promises.

#include "../compare_backends.hpp"

#include <filesystem>

#include <fovea/base/half.hpp>
#include <fovea/weights/panel_layout.hpp>
#include <fovea/weights/rounded_products.hpp>

using namespace fovea;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"}, T{"T"};

// Products of every kind that round: linear maps with and without bias, a tied table, layers, what a scan takes.
constexpr auto language = model("language", [](graph& g) {
  const expr ids = g.input<i32>("ids", {B, T}), table = parameter(ids, "table", {37, 24}, init::normal(0.3));
  expr x = gather(table, ids);
  x = repeat("h", 2, x, [](expr y) {
    const expr z = layer_norm(y, "norm");
    y = y +
        attention(linear(z, "q", 24), linear(z, "k", 24), linear(z, "v", 24), {.heads = 2, .mask = causal});
    return y + linear(gelu(linear(y, "up", 50, {.bias = false})), "down", 24);
  });
  x = linear(gru(x, "rnn", 19), "back", 24);
  g.output("loss", cross_entropy(matmul(x, transpose(table)), g.input<i32>("targets", {B, T})));
});

// Sides that are more than a piece of a gradient's product.
constexpr auto wide = model("wide", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 2100});
  g.output("loss", mse(linear(tanh(linear(x, "down", 40)), "up", 790), g.input<f32>("y", {B, 790})));
});

xt::xtensor<int, 2> tokens(std::size_t rows, std::size_t length, int shift) {
  xt::xtensor<int, 2> made({rows, length});
  int at = shift;
  for (int& x : made) x = at = (at * 5 + 3) % 37;
  return made;
}

/// What one step of rate 1 takes from each parameter: its gradient.
template <class backend, class M, class... inputs>
std::map<std::string, std::vector<float>> gradients_by(const M& model, const model_weights& from,
                                                       const train_options& options, const inputs&... given) {
  auto fit = train<backend>(model, sgd{.rate = 1}, from, options);
  fit.step(given...);
  auto gradients = values_of(from);
  const auto after = values_of(fit.weights());
  for (auto& [name, values] : gradients)
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= after.at(name)[i];
  return gradients;
}

double norm_of(const std::vector<float>& values) {
  double sum = 0;
  for (const float x : values) sum += static_cast<double>(x) * static_cast<double>(x);
  return std::sqrt(sum);
}

/// The largest difference of a parameter's gradient, by its norm; where that is small, as those of a key's bias, of a
/// hundredth of the largest norm.
double difference(const std::map<std::string, std::vector<float>>& found,
                  const std::map<std::string, std::vector<float>>& expected) {
  double all = 0, most = 0;
  for (const auto& [name, values] : expected) all = std::max(all, norm_of(values));
  for (const auto& [name, values] : expected) {
    std::vector<float> apart = found.at(name);
    for (std::size_t i = 0; i < values.size(); ++i) apart[i] -= values[i];
    most = std::max(most, norm_of(apart) / std::max(norm_of(values), all / 100));
  }
  return most;
}

train_options with(std::int64_t rows, std::int64_t length, int threads) {
  return {.capacity = {{B, rows}, {T, length}}, .regime = regime::large, .threads = threads};
}

using core::simd::product_args;

// What stands for a processor's tiles, which take all rows rounded.
constexpr core::simd::rounding_passes plain_passes{
    .are_faster = [](const product_args& a) { return a.rows > 1; },
    .scratch = [](const product_args& a) { return a.rows * a.depth; },
    .round_tasks = [](const product_args& a) { return a.rows; },
    .round =
        [](const product_args& a, std::size_t first, std::size_t last, float* to) {
          for (std::size_t r = first; r < last; ++r)
            for (std::size_t k = 0; k < a.depth; ++k)
              to[r * a.depth + k] = core::from_bfloat(core::to_bfloat(a.a[r * a.a_stride + k]));
        },
    .product_tasks = [](const product_args& a) { return a.rows; },
    .product =
        [](const product_args& a, std::size_t first, std::size_t last, float* rows) {
          using layout = core::panel_layout<core::format_named<bf16_products>>;
          const std::size_t panel = core::simd::set_named(instruction_set())->panel;
          for (std::size_t p = 0; p < a.part_count; ++p)
            for (std::size_t r = first; r < last; ++r)
              for (std::size_t j = 0; j < a.parts[p].columns; ++j) {
                const core::simd::product_part& part = a.parts[p];
                const auto* weights = static_cast<const unsigned char*>(part.panels) +
                                      j / panel * layout::bytes(panel, a.depth);
                float sum = part.bias == nullptr ? 0 : part.bias[j];
                for (std::size_t k = 0; k < a.depth; ++k) {
                  std::uint16_t w;
                  std::memcpy(&w, weights + layout::place(panel, k, j % panel), sizeof w);
                  sum += rows[r * a.depth + k] * core::from_bfloat(w);
                }
                if (part.act == core::op::gelu) sum *= 0.5f * (1 + std::erf(sum * std::sqrt(0.5f)));
                if (part.act == core::op::tanh) sum = std::tanh(sum);
                const float* other = part.other == nullptr ? nullptr : part.other + r * part.other_stride + j;
                part.out[r * part.out_stride + j] = other == nullptr             ? sum
                                                    : part.join == core::op::add ? sum + *other
                                                                                 : sum * *other;
              }
        },
};

/// Kernels that multiply panels in bfloat16, as a processor's own instructions would, or in passes.
template <bool in_passes>
struct in_panels : core::simd::backend {
  static void add_kernels(core::simd::kernel_table& to) {
    core::simd::add_training_kernels_of<>(to);
    static core::simd::rounding_kernel own;
    own = *to.bf16_product;
    own.in_float32 = false, own.passes = in_passes ? &plain_passes : nullptr;
    to.bf16_product = &own;
  }
  static constexpr core::simd::format_code format{add_kernels, nullptr};
  template <class M>
  static constexpr model_code code_of_model() {
    model_code code = core::simd::backend::code_of_model<M>();
    code.format = &format;
    return code;
  }
};

} // namespace

// A value between two bfloat16 that differs in float32's last digits may be rounded to the other, 1 / 256 of it away.
// Few are, and each is one of many in a sum.
TEST_CASE("gradients in bfloat16 are those of the specification", "[training]") {
  const model_weights start = initial_weights(language, 3);
  for (const auto& [rows, length] : {std::pair{1, 1}, {3, 7}, {5, 33}})
    for (const int threads : {1, 3}) {
      CAPTURE(instruction_set(), rows, length, threads);
      const auto ids = tokens(static_cast<std::size_t>(rows), static_cast<std::size_t>(length), 1),
                 targets = tokens(static_cast<std::size_t>(rows), static_cast<std::size_t>(length), 2);
      const train_options options = with(rows, length, threads);
      const auto found =
          gradients_by<bf16_products>(language, start, options, "ids"_in = ids, "targets"_in = targets);
      const auto specified = gradients_by<core::reference_in_bfloat>(language, start, options, "ids"_in = ids,
                                                                     "targets"_in = targets);
      CHECK(difference(found, specified) < 2e-3);
      for (const auto& by :
           {gradients_by<in_panels<false>>(language, start, options, "ids"_in = ids, "targets"_in = targets),
            gradients_by<in_panels<true>>(language, start, options, "ids"_in = ids, "targets"_in = targets)})
        CHECK(difference(by, specified) < 2e-3);
      // Each of two factors is at most 1 / 512 away, and six products follow each other.
      const double rounding = difference(
          found, gradients_by<f32>(language, start, options, "ids"_in = ids, "targets"_in = targets));
      CHECK(rounding > 3e-3);
      CHECK(rounding < 6 * 2 / 512.);
    }
}

TEST_CASE("gradients in bfloat16 of sides that are taken in pieces", "[training]") {
  const model_weights start = initial_weights(wide, 3);
  const named_values inputs = random_inputs(wide, {{"B", 530}});
  const auto of = [&](const char* name, std::size_t width) {
    xt::xtensor<float, 2> made({530, width});
    std::ranges::copy(inputs.at(name).values, made.begin());
    return made;
  };
  const auto x = of("x", 2100), y = of("y", 790);
  const train_options options{.capacity = {{B, 530}}, .regime = regime::large, .threads = 2};
  const auto by = [&]<class backend>(backend) {
    return gradients_by<backend>(wide, start, options, "x"_in = x, "y"_in = y);
  };
  const auto found = by(bf16_products{});
  const auto specified = by(core::reference_in_bfloat{});
  CHECK(difference(found, specified) < 2e-4);
  CHECK(difference(by(in_panels<false>{}), specified) < 2e-4);
  CHECK(difference(by(in_panels<true>{}), specified) < 2e-4);
  CHECK(difference(found, by(f32{})) > 2e-3);
}

TEST_CASE("what learns in bfloat16 learns, evaluates by the same products, and keeps float32", "[training]") {
  const auto ids = tokens(4, 9, 5), targets = tokens(4, 9, 6);
  const auto learned = [&]<class backend>(backend) {
    auto fit = train<backend>(language, adamw{.rate = 1e-2}, initial_weights(language, 1), with(4, 9, 1));
    for (int i = 0; i < 60; ++i) fit.step("ids"_in = ids, "targets"_in = targets);
    const float loss = fit.evaluate("ids"_in = ids, "targets"_in = targets)["loss"_out]();
    // The next step begins with the loss that was evaluated.
    CHECK(fit.step("ids"_in = ids, "targets"_in = targets).loss == Approx(loss).epsilon(1e-4));
    return std::pair(loss, values_of(fit.weights()).at("h.0.q.weight"));
  };
  const auto [loss, weights] = learned(bf16_products{});
  CHECK(loss < 0.2 * std::log(37));
  CHECK(loss < 2 * learned(f32{}).first + 0.01f);
  CHECK(
      std::ranges::any_of(weights, [](float x) { return (std::bit_cast<std::uint32_t>(x) & 0xffff) != 0; }));
}

TEST_CASE("threads change nothing in bfloat16, and resumed equals uninterrupted", "[training]") {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "fovea_bfloat.safetensors";
  const auto learn = [](auto& fit, int first, int last) {
    for (int i = first; i < last; ++i)
      fit.step("ids"_in = tokens(3, 9, i), "targets"_in = tokens(3, 9, i + 1));
  };
  const auto begun = [](int threads, std::uint64_t seed) {
    return train<bf16_products>(language, adam{.rate = 1e-2}, initial_weights(language, seed),
                                with(3, 9, threads));
  };
  auto whole = begun(1, 2), first = begun(3, 2), second = begun(1, 3);
  learn(whole, 0, 7);
  learn(first, 0, 3);
  first.save(path);
  second.resume(path);
  learn(second, 3, 7);
  CHECK(values_of(second.weights()) == values_of(whole.weights()));
  std::filesystem::remove(path);
}

TEST_CASE("products round outside scans, by weights that no norm scales", "[training]") {
  static constexpr auto mixed = model("mixed", [](graph& g) {
    const expr x = g.input<f32>("x", {B, 1, 6}), y = batch_norm(linear(x, "normed", 6), "norm");
    const expr z = linear(gru(y, "rnn", 6), "plain", 6);
    const expr deep = linear(linear(z, "wide", 40000), "deep", 3);
    const expr rows = reshape(deep, {B, 3});
    g.output("y", matmul(transpose(rows), rows));
  });
  const core::graph_view g = decltype(mixed)::lowered::view;
  const std::vector<bool> rounded = core::rounded_products(g);
  std::map<std::string, bool> found;
  for (int id = 0; id < g.node_count(); ++id) {
    const core::node& n = g.at(id);
    if (n.kind != core::op::linear && n.kind != core::op::matmul) continue;
    const core::node& weight = g.at(g.operand(id, 1));
    found[weight.kind == core::op::parameter ? g.parameter_name(weight.settings.entry.index).text
                                             : "turned"] = rounded[static_cast<std::size_t>(id)];
  }
  CHECK(found == std::map<std::string, bool>{{"normed.weight", false},
                                             {"rnn.weight_ih_l0", true},
                                             {"rnn.weight_hh_l0", false},
                                             {"plain.weight", true},
                                             {"wide.weight", true},
                                             {"deep.weight", false},
                                             {"turned", true}});
}
