#include "sentence_maps.hpp"

#include <fovea/fovea.hpp>
#include <fovea/models/bert.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

namespace attention_map_program {

using namespace fovea;

static_assert(models::minilm.layers == layers && models::minilm.heads == heads);

std::vector<picture::attention_map> maps_of_sentence(const std::filesystem::path& folder,
                                                     const std::string& text, const which_maps& which) {
  constexpr std::size_t longest = 128;
  const tokenizer words = load_tokenizer(folder / "tokenizer.json");
  const std::vector<token_id> ids = words.encode(text).ids;
  const std::size_t length = ids.size();
  if (length <= 2) throw error("the text holds no words");
  if (length > longest)
    throw error("the text has " + std::to_string(length) + " pieces; a map shows at most " +
                std::to_string(longest));
  const std::size_t first = which.words ? 1 : 0, last = length - first;
  std::vector<std::string> pieces;
  for (std::size_t i = first; i < last; ++i) pieces.emplace_back(words.token(ids[i]));

  auto net = compile(models::bert_maps<models::minilm>, load_weights(folder / "model.safetensors"),
                     {.capacity = {{"B", 1}, {"T", static_cast<std::int64_t>(length)}}});
  auto tokens = xt::xtensor<int, 2>::from_shape({1, length});
  std::copy(ids.begin(), ids.end(), tokens.begin());
  const xt::xtensor<int, 2> types = xt::zeros<int>({std::size_t{1}, length});
  const xt::xtensor<int, 1> lengths{static_cast<int>(length)};
  const auto out = net("tokens"_in = tokens, "types"_in = types, "lengths"_in = lengths);
  const auto all = out["maps"_out]; // [1, layers * heads, length, length]

  std::vector<picture::attention_map> maps;
  const auto map_of = [&](int layer, int head) {
    picture::attention_map map{
        "layer " + std::to_string(layer + 1) + ", head " + std::to_string(head + 1), pieces, pieces, {}};
    const auto which_map = static_cast<std::size_t>(layer) * heads + static_cast<std::size_t>(head);
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = first; j < last; ++j) map.weights.push_back(all(0, which_map, i, j));
    return map;
  };
  for (int layer = 0; layer < layers; ++layer) {
    if (which.layer != 0 && layer != which.layer - 1) continue;
    if (which.mean) {
      picture::attention_map mean{"layer " + std::to_string(layer + 1) + ", mean of its heads", pieces,
                                  pieces, std::vector<float>(pieces.size() * pieces.size())};
      for (int head = 0; head < heads; ++head) {
        const std::vector<float> one = map_of(layer, head).weights;
        for (std::size_t i = 0; i < one.size(); ++i) mean.weights[i] += one[i] / heads;
      }
      maps.push_back(std::move(mean));
      continue;
    }
    for (int head = 0; head < heads; ++head)
      if (which.head == 0 || head == which.head - 1) maps.push_back(map_of(layer, head));
  }
  return maps;
}

} // namespace attention_map_program
