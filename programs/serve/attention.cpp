#include <fovea/programs/serve/attention.hpp>

#include <fovea/programs/serve/request.hpp>
#include <fovea/programs/shortest.hpp>
#include <fovea/runtime/tokenizers/text_stream.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace fovea::programs {

using json = nlohmann::ordered_json;

attention_routes::attention_routes(http_server& server, of_model model, tokenizer words,
                                   const program_parts& parts, std::size_t context, int threads)
    : model_(std::move(model)), words_(std::move(words)), name_(parts.name),
      most_(std::min(context, most_tokens)), threads_(threads) {
  server.post("/v1/attention", [this](const std::string& body, auto& to) { answer(body, to); });
}

void attention_routes::answer(const std::string& body, http_server::response& to) {
  if (model_.maker.heads.empty()) throw refused_request(404, name_ + " has no attention among tokens");
  const attention_request asked = read_attention(body, model_.maker.heads);
  const token_encoding text = words_.encode(asked.text);
  if (text.ids.size() <= around_) throw refused_request(400, "input: the text is empty");
  if (text.ids.size() > most_)
    throw refused_request(400, fmt::format("input: expected at most {} tokens, which a map shows; found {}",
                                           most_, text.ids.size()));
  json tokens = json::array(), weights = json::array();
  for (const token_id id : text.ids) tokens.push_back(spelled(id));
  const std::vector<float> map = map_of(text, asked.layer, asked.head);
  for (auto row = map.begin(); row != map.end(); row += static_cast<std::ptrdiff_t>(text.ids.size())) {
    json one = json::array();
    std::transform(row, row + static_cast<std::ptrdiff_t>(text.ids.size()), std::back_inserter(one),
                   shortest);
    weights.push_back(std::move(one));
  }
  http_server::answer_json(to, {{"object", "attention"},
                                {"model", name_},
                                {"heads", model_.maker.heads},
                                {"layer", asked.layer},
                                {"head", asked.head == 0 ? json() : json(asked.head)},
                                {"tokens", std::move(tokens)},
                                {"weights", std::move(weights)}});
}

/// The map of a head, or for 0 the mean of a layer's; both count from 1.
std::vector<float> attention_routes::map_of(const token_encoding& text, std::size_t layer, std::size_t head) {
  const std::lock_guard lock(mutex_);
  if (!network_)
    network_ = model_.maker.make(
        model_.weights, model_.names,
        {.capacity = {{"B", 1}, {"T", static_cast<std::int64_t>(most_)}}, .threads = threads_});
  network_->read({.rows = 1,
                  .longest = text.ids.size(),
                  .ids = text.ids,
                  .types = text.type_ids,
                  .lengths = {static_cast<int>(text.ids.size())}});
  const std::size_t heads = model_.maker.heads[layer - 1];
  if (head != 0) {
    const std::span<const float> one = network_->map(layer - 1, head - 1);
    return {one.begin(), one.end()};
  }
  std::vector<float> mean(text.ids.size() * text.ids.size());
  for (std::size_t k = 0; k < heads; ++k) {
    const std::span<const float> one = network_->map(layer - 1, k);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += one[i] / static_cast<float>(heads);
  }
  return mean;
}

/// A token as it is read; one that is a part of a character as the vocabulary spells it.
std::string attention_routes::spelled(token_id id) const {
  std::string text = text_stream(words_, false).add(id);
  return text.empty() ? std::string(words_.token(id)) : text;
}

} // namespace fovea::programs
