// What textbooks and papers work out by hand.

#include "../run_model.hpp"

#include <fovea/models/self_attention.hpp>
#include <fovea/models/transformer.hpp>

#include <array>
#include <cmath>
#include <sstream>
#include <string>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

golden_tensor filled(std::vector<std::size_t> shape, std::vector<double> values) {
  return {std::move(shape), std::move(values), false};
}

} // namespace

// One query and two keys of 64 features, products 112 and 96. As values the rows of the identity, so that z
// shows the weights.
TEST_CASE("scores 112 and 96 of 64 features are 14 and 12, and weigh 0.88 and 0.12", "[worked]") {
  constexpr auto one_query = model("one_query", [](graph& g) {
    const expr q = g.input<f32>("q", {1, 64}), k = g.input<f32>("k", {2, 64}), v = g.input<f32>("v", {2, 2});
    const expr product = matmul(q, transpose(k));
    g.output("product", product);
    g.output("score", product / 8);
    g.output("z", attention(q, k, v));
    g.output("unscaled", attention(q, k, v, {.score = dot}));
  });
  golden_tensor k = filled({2, 64}, std::vector<double>(64, 1.75));
  k.values.resize(128, 1.5);
  const named_values inputs{
      {"q", filled({1, 64}, std::vector<double>(64, 1))}, {"k", k}, {"v", filled({2, 2}, {1, 0, 0, 1})}};
  on_both_backends([&](auto backend) {
    const named_values out = run_model<decltype(backend)>(one_query, model_weights::from({}), inputs);
    CHECK(out.at("product").values == std::vector<double>{112, 96});
    CHECK(out.at("score").values == std::vector<double>{14, 12});
    CHECK(out.at("z").values[0] == Approx(0.8807971).epsilon(1e-6));
    CHECK(out.at("z").values[1] == Approx(0.1192029).epsilon(1e-6));
    CHECK(out.at("unscaled").values[0] == Approx(0.99999989).epsilon(1e-7));
    CHECK(out.at("unscaled").values[1] == Approx(1.1254e-7).epsilon(1e-4));
  });
}

namespace {

/// A file keeps matrices as the formulas have them, [in, out].
constexpr std::array formula_names{name_rule{"q.weight", "W_Q", naming::transposed},
                                   name_rule{"k.weight", "W_K", naming::transposed},
                                   name_rule{"v.weight", "W_V", naming::transposed}};

/// Queries, keys and values of x [2, 4] alone, without a projection of what comes out.
template <int key_width, int value_width>
constexpr auto attention_alone = model(
    "attention_alone",
    [](graph& g) {
      const expr x = g.input<f32>("X", {2, 4});
      const expr q = linear(x, "q", key_width, {.bias = false}),
                 k = linear(x, "k", key_width, {.bias = false}),
                 v = linear(x, "v", value_width, {.bias = false});
      g.output("Q", q);
      g.output("map", reshape(attention_map(q, k, v), {2, 2}));
      g.output("Z", attention(q, k, v));
    },
    formula_names);

using matrix = std::vector<std::vector<double>>;

matrix product(const matrix& a, const matrix& b) {
  matrix made(a.size(), std::vector<double>(b[0].size(), 0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b[0].size(); ++j)
      for (std::size_t k = 0; k < b.size(); ++k) made[i][j] += a[i][k] * b[k][j];
  return made;
}

/// softmax(x W_Q (x W_K)^T / sqrt(d_k)), row by row.
matrix weights_of_keys(const matrix& x, const matrix& w_q, const matrix& w_k) {
  const matrix q = product(x, w_q), k = product(x, w_k);
  matrix made;
  for (const auto& query : q) {
    std::vector<double> row;
    double sum = 0;
    for (const auto& key : k) {
      double score = 0;
      for (std::size_t i = 0; i < key.size(); ++i) score += query[i] * key[i];
      row.push_back(std::exp(score / std::sqrt(static_cast<double>(key.size()))));
      sum += row.back();
    }
    for (double& w : row) w /= sum;
    made.push_back(row);
  }
  return made;
}

/// Small whole numbers, other ones for each seed.
matrix numbers(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  matrix made(rows, std::vector<double>(columns));
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      made[i][j] = static_cast<double>(splitmix64(100 * seed + columns * i + j) % 5) - 2;
  return made;
}

std::vector<double> flat(const matrix& from) {
  std::vector<double> made;
  for (const auto& row : from) made.insert(made.end(), row.begin(), row.end());
  return made;
}

weight_tensor stored(const matrix& from) {
  const std::vector<double> values = flat(from);
  return {{from.size(), from[0].size()}, {values.begin(), values.end()}};
}

void check_values(const golden_tensor& found, const matrix& expected) {
  REQUIRE(found.shape == std::vector<std::size_t>{expected.size(), expected[0].size()});
  const golden_tensor right = filled(found.shape, flat(expected));
  CHECK(distance_of(std::span<const double>(found.values), right, 1e-5, 1e-6).share <= 1);
}

template <int key_width, int value_width>
void check_attention_alone() {
  const matrix x = numbers(2, 4, 1), w_q = numbers(4, key_width, 2), w_k = numbers(4, key_width, 3),
               w_v = numbers(4, value_width, 4);
  const model_weights from =
      model_weights::from({{"W_Q", stored(w_q)}, {"W_K", stored(w_k)}, {"W_V", stored(w_v)}});
  const matrix map = weights_of_keys(x, w_q, w_k);
  on_both_backends([&](auto backend) {
    const named_values out = run_model<decltype(backend)>(attention_alone<key_width, value_width>, from,
                                                          {{"X", filled({2, 4}, flat(x))}});
    check_values(out.at("Q"), product(x, w_q));
    check_values(out.at("map"), map);
    check_values(out.at("Z"), product(map, product(x, w_v)));
  });
}

} // namespace

TEST_CASE("X of 2 x 4 and matrices of 4 x 3 make queries of 2 x 3, a map of 2 x 2 and Z of 2 x 3",
          "[worked]") {
  check_attention_alone<3, 3>();
  check_attention_alone<3, 5>();
}

namespace {

constexpr std::array per_head_names{
    name_rule{"q.weight", "head.{n}.W_Q", naming::transposed | naming::joined},
    name_rule{"k.weight", "head.{n}.W_K", naming::transposed | naming::joined},
    name_rule{"v.weight", "head.{n}.W_V", naming::transposed | naming::joined}};

constexpr auto three_heads = model(
    "three_heads",
    [](graph& g) {
      const expr x = g.input<f32>("X", {5, 4});
      g.output("Z", attention(linear(x, "q", 6, {.bias = false}), linear(x, "k", 6, {.bias = false}),
                              linear(x, "v", 9, {.bias = false}), {.heads = 3}));
    },
    per_head_names);

} // namespace

TEST_CASE("a file's matrices of each head are joined, and heads stand side by side", "[worked]") {
  const matrix x = numbers(5, 4, 1);
  std::map<std::string, weight_tensor> tensors;
  matrix expected(5);
  for (std::uint64_t head = 0; head < 3; ++head) {
    const matrix w_q = numbers(4, 2, 10 + head), w_k = numbers(4, 2, 20 + head),
                 w_v = numbers(4, 3, 30 + head);
    const std::string name = "head." + std::to_string(head) + ".";
    tensors[name + "W_Q"] = stored(w_q), tensors[name + "W_K"] = stored(w_k),
                   tensors[name + "W_V"] = stored(w_v);
    const matrix z = product(weights_of_keys(x, w_q, w_k), product(x, w_v));
    for (std::size_t i = 0; i < 5; ++i) expected[i].insert(expected[i].end(), z[i].begin(), z[i].end());
  }
  on_both_backends([&](auto backend) {
    check_values(run_model<decltype(backend)>(three_heads, model_weights::from(tensors),
                                              {{"X", filled({5, 4}, flat(x))}})
                     .at("Z"),
                 expected);
  });
}

namespace {

constexpr transformer_config base = [] {
  transformer_config c = transformer_base(1000, 1000);
  c.final_norm = false;
  return c;
}();

constexpr auto base_encoder_layer = model("encoder_layer", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", "T", 512});
  g.output("y", encoder_block(x, {}, base.block));
});
constexpr auto base_decoder_layer = model("decoder_layer", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", "T", 512}), memory = g.input<f32>("memory", {"B", "S", 512});
  g.output("y", decoder_block(x, memory, {}, base.block));
});
constexpr auto base_stacks = model("stacks", [](graph& g) {
  const expr x = g.input<f32>("x", {"B", "S", 512}), y = g.input<f32>("y", {"B", "T", 512}),
             lengths = g.input<i32>("lengths", {"B"});
  g.output("z", decoder_stack(y, encoder_stack(x, lengths, base), lengths, base));
});

// Section 3 and table 3 of the paper: 8 heads, 512 wide, 2048 inside, 6 layers each.
static_assert(base_encoder_layer.parameters() == 3'152'384);
static_assert(base_decoder_layer.parameters() == 4'204'032);
static_assert(base_stacks.parameters() == 44'138'496);

constexpr auto four_sinusoids = model("four_sinusoids", [](graph& g) {
  g.output("table", sinusoidal_positions(g.input<f32>("x", {"B", "T", 4})));
});

} // namespace

TEST_CASE("sinusoids of four features, and a step that turns them", "[worked]") {
  constexpr std::size_t length = 40;
  on_both_backends([&](auto backend) {
    const std::vector<double> table =
        run_model<decltype(backend)>(four_sinusoids, model_weights::from({}),
                                     {{"x", filled({1, length, 4}, std::vector<double>(4 * length, 0))}})
            .at("table")
            .values;
    const double first[]{0, 1, 0, 1, 0.841470985, 0.540302306, 0.009999833, 0.999950000};
    for (std::size_t i = 0; i < 8; ++i) CHECK(table[i] == Approx(first[i]).margin(1e-7));
    // Position p + k is position p turned by an angle that depends on k alone: the one of position k.
    for (const std::size_t k : {1u, 7u, 19u})
      for (std::size_t p = 0; p + k < length; ++p)
        for (const std::size_t pair : {0u, 2u}) {
          const double s = table[4 * p + pair], c = table[4 * p + pair + 1], turn_s = table[4 * k + pair],
                       turn_c = table[4 * k + pair + 1];
          CHECK(table[4 * (p + k) + pair] == Approx(s * turn_c + c * turn_s).margin(1e-6));
          CHECK(table[4 * (p + k) + pair + 1] == Approx(c * turn_c - s * turn_s).margin(1e-6));
        }
  });
}

namespace {

/// The mean of self-attention over a sentence, of word vectors alone and of words with their places.
constexpr auto sentence_means = model("sentence_means", [](graph& g) {
  const expr x = embedding(g.input<i32>("tokens", {1, 13}), "words", 20, 16);
  const auto pooled = [&](expr y, const char* name) {
    const scope inside(y, name);
    return mean(scaled_attention(y, {.heads = 2, .head_width = 8}), axis(1));
  };
  g.output("words", pooled(x, "a"));
  g.output("places", pooled(x + sinusoidal_positions(x), "b"));
});

/// Each word's number in the order in which words first come.
golden_tensor numbered(const std::string& sentence, std::map<std::string, double>& vocabulary) {
  golden_tensor made{{1, 0}, {}, true};
  std::istringstream words(sentence);
  for (std::string word; words >> word; ++made.shape[1])
    made.values.push_back(vocabulary.emplace(word, static_cast<double>(vocabulary.size())).first->second);
  return made;
}

} // namespace

TEST_CASE("self-attention tells two orders of the same words apart by positions alone", "[worked]") {
  std::map<std::string, double> vocabulary;
  const golden_tensor content =
                          numbered("Even though she did not win the award , she was satisfied .", vocabulary),
                      unhappy =
                          numbered("Even though she did win the award , she was not satisfied .", vocabulary);
  const model_weights from = formula_weights(sentence_means);
  on_both_backends([&](auto backend) {
    const named_values a = run_model<decltype(backend)>(sentence_means, from, {{"tokens", content}}),
                       b = run_model<decltype(backend)>(sentence_means, from, {{"tokens", unhappy}});
    const auto apart = [&](const char* name) {
      double most = 0;
      for (std::size_t i = 0; i < 16; ++i)
        most = std::max(most, std::abs(a.at(name).values[i] - b.at(name).values[i]));
      return most;
    };
    CHECK(apart("words") < 1e-8);
    CHECK(apart("places") > 1e-3);
  });
}

TEST_CASE("three convolutions of width 3 with a padding of 1 keep the number of positions", "[worked]") {
  constexpr auto three = model("three", [](graph& g) {
    expr x = g.input<f32>("x", {"B", "T", 5});
    for (int i = 0; i < 3; ++i) {
      const scope layer(x, "layer", i);
      x = relu(conv1d(x, "conv", 5, 3, {.padding = 1}));
    }
    g.output("y", x);
  });
  const named_values inputs{{"x", filled({2, 7, 5}, std::vector<double>(70, 0.5))}};
  on_both_backends([&](auto backend) {
    const golden_tensor y = run_model<decltype(backend)>(three, formula_weights(three), inputs).at("y");
    CHECK(y.shape == std::vector<std::size_t>{2, 7, 5});
  });
}
