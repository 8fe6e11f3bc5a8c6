#include "../training/loss_case.hpp"

#include "../gguf_writer.hpp"
#include "../weights/temporary_folder.hpp"

#include <fovea/models/kim_cnn.hpp>
#include <fovea/weights/word_vectors.hpp>

using namespace fovea;
using namespace fovea::models;
using namespace fovea::core::test;

namespace {

constexpr kim_cnn_config one_channel{.vocab = 50, .width = 16, .classes = 2, .filters = 8};
constexpr kim_cnn_config two_channels{
    .vocab = 50, .width = 16, .classes = 5, .filters = 8, .multichannel = true};

// Of each width w: 100 filters over w vectors of 300 numbers, and their biases; then the classes.
constexpr kim_cnn_config paper{.vocab = 1000, .width = 300, .classes = 2};
static_assert(kim_cnn<paper>.parameters() == 1000 * 300 + 100 * 300 * (3 + 4 + 5) + 300 + 2 * 300 + 2);

named_values tokens_of(const golden_case& c) { return {{"tokens", c.at("input.ids")}}; }

template <kim_cnn_config config>
void check_kim_cnn(const char* name) {
  const golden_case c(name);
  check_outputs(kim_cnn<config>, c, weights_of(c), tokens_of(c));
  check_loss(kim_cnn_loss<config>, c, inputs_of(c, {{"tokens", "ids"}, {"targets", "labels"}}));
}

} // namespace

TEST_CASE("Kim's CNN agrees with the reference cases, with one channel and with two", "[kim_cnn]") {
  check_kim_cnn<one_channel>("kim_cnn_rand");
  check_kim_cnn<two_channels>("kim_cnn_multichannel");
}

TEST_CASE("Kim's fixed channel takes its vectors from word2vec's file, in the vocabulary's order",
          "[kim_cnn]") {
  const golden_case c("kim_cnn_multichannel");
  auto parameters = parameters_of(c);
  const weight_tensor fixed = parameters.at("static.weight");
  // The file has the words in another order, and words that the vocabulary has not.
  std::vector<std::string> vocabulary;
  for (int i = 0; i < 50; ++i) vocabulary.push_back("word" + std::to_string(i));
  std::string file = "52 16\n";
  for (std::size_t i = 52; i-- > 0;) {
    const auto row = fixed.values.begin() + static_cast<std::ptrdiff_t>(i % 50 * 16);
    file += "word" + std::to_string(i) + " " + bytes_of(std::vector<float>(row, row + 16)) + "\n";
  }
  const temporary_folder folder;
  parameters["static.weight"] = load_word_vectors(folder.write("vectors.bin", file)).table(vocabulary);
  CHECK(parameters["static.weight"].values == fixed.values);
  const named_values found =
      run_model<f32>(kim_cnn<two_channels>, model_weights::from(parameters), tokens_of(c));
  check(c, "output.logits", std::span<const double>(found.at("logits").values), found.at("logits").shape);
}

TEST_CASE("a sentence shorter than the widest filter is refused", "[kim_cnn]") {
  named_values tokens = tokens_of(golden_case("kim_cnn_rand"));
  tokens["tokens"] = {{1, 4}, {1, 2, 3, 4}, true};
  on_both_backends([&](auto backend) {
    CHECK_THROWS_WITH(
        run_model<decltype(backend)>(kim_cnn<one_channel>, weights_of(golden_case("kim_cnn_rand")), tokens),
        Catch::Matchers::Contains("conv1d: axis 1 of [B, T - 4, 8] would be 0"));
  });
}
