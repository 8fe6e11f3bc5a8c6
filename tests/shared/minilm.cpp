// MiniLM with its trained weights against the embeddings of ../shared/data/minilm, text to vector. The
// weights are fetched into the build folder by `make test-shared`.

#include <fovea/fovea.hpp>
#include <fovea/models/bert.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <numeric>

using namespace fovea;
using namespace fovea::core;

TEST_CASE("MiniLM's sentence embeddings") {
  const std::string folder = FOVEA_MINILM_DIR;
  std::ifstream file(std::string(std::getenv("FOVEA_SHARED")) + "/data/minilm/reference.json");
  const auto reference = nlohmann::json::parse(file);
  const auto sentences = reference.at("sentences").get<std::vector<std::string>>();
  const auto expected = reference.at("embeddings").get<std::vector<std::vector<double>>>();
  const auto cosine = reference.at("cosine").get<std::vector<std::vector<double>>>();

  const tokenizer words = load_tokenizer(folder + "/tokenizer.json");
  std::vector<std::vector<std::int32_t>> ids;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    ids.push_back(words.encode(sentences[i]).ids);
    CHECK(ids.back() == reference.at("token_ids")[i].get<std::vector<std::int32_t>>());
    longest = std::max(longest, ids.back().size());
  }

  auto net = compile(models::sentence_encoder<models::minilm>, load_weights(folder + "/model.safetensors"),
                     {.capacity = {{"B", 8}, {"T", 128}}});
  xt::xtensor<std::int32_t, 2> tokens = xt::zeros<std::int32_t>({sentences.size(), longest});
  const xt::xtensor<std::int32_t, 2> types = xt::zeros<std::int32_t>(tokens.shape());
  auto lengths = xt::xtensor<std::int32_t, 1>::from_shape({sentences.size()});
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    std::copy(ids[i].begin(), ids[i].end(), &tokens(i, 0));
    lengths(i) = static_cast<std::int32_t>(ids[i].size());
  }
  const auto out = net("tokens"_in = tokens, "types"_in = types, "lengths"_in = lengths);
  const auto found = out["sentence"_out];
  double worst = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i)
    for (std::size_t j = 0; j < 384; ++j)
      worst = std::max(worst, std::abs(static_cast<double>(found(i, j)) - expected[i][j]));
  CHECK(worst < 2e-5);

  // Each sentence ranks the others as the reference does.
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const auto dot = [&](std::size_t k) {
      double sum = 0;
      for (std::size_t j = 0; j < 384; ++j)
        sum += static_cast<double>(found(i, j)) * static_cast<double>(found(k, j));
      return sum;
    };
    std::vector<std::size_t> ours(sentences.size()), theirs(sentences.size());
    std::iota(ours.begin(), ours.end(), std::size_t{0});
    theirs = ours;
    std::ranges::stable_sort(ours, std::ranges::greater{}, dot);
    std::ranges::stable_sort(theirs, std::ranges::greater{}, [&](std::size_t k) { return cosine[i][k]; });
    CHECK(ours == theirs);
  }
}
