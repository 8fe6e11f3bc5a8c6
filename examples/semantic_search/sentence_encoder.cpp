#include "sentence_encoder.hpp"

#include <fovea/fovea.hpp>
#include <fovea/models/bert.hpp>
#include <fovea/runtime/tokenizers/tokenizer.hpp>

#include <algorithm>
#include <array>
#include <numeric>

namespace semantic_search {
namespace {

using namespace fovea;

constexpr std::size_t batch = 8;

auto compiled_encoder(const std::filesystem::path& folder, int threads) {
  return compile(models::sentence_encoder<models::minilm>,
                 load_weights(folder / "model.safetensors", {.copy = true}),
                 {.capacity = {{"B", batch}, {"T", sentence_encoder::longest}}, .threads = threads});
}

} // namespace

struct sentence_encoder::state {
  content_hash identity;
  tokenizer words;
  decltype(compiled_encoder({}, 0)) net;
};

sentence_encoder::sentence_encoder(const std::filesystem::path& folder, int threads) {
  const std::array stamps{stamp_of(folder / "model.safetensors"), stamp_of(folder / "tokenizer.json")};
  state_ = std::make_unique<state>(
      state{hash_of({reinterpret_cast<const char*>(stamps.data()), sizeof stamps}),
            load_tokenizer(folder / "tokenizer.json"), compiled_encoder(folder, threads)});
}
sentence_encoder::~sentence_encoder() = default;

content_hash sentence_encoder::identity() const { return state_->identity; }

std::size_t sentence_encoder::pieces(std::string_view text) const {
  return state_->words.encode(text, {.special = false}).ids.size();
}

tokens sentence_encoder::encode(std::string_view text) const {
  return state_->words.encode(text, {.max_length = longest}).ids;
}

std::vector<float> sentence_encoder::embed(std::span<const tokens> texts,
                                           const std::function<void(std::size_t)>& progress) {
  std::vector<float> vectors(texts.size() * width);
  // Texts of similar length share a batch, which is as long as its longest.
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return texts[i].size(); });
  for (std::size_t first = 0; first < order.size(); first += batch) {
    const std::span rows = std::span(order).subspan(first, std::min(batch, order.size() - first));
    xt::xtensor<int, 2> ids = xt::zeros<int>({rows.size(), texts[rows.back()].size()});
    const xt::xtensor<int, 2> types = xt::zeros<int>(ids.shape());
    auto lengths = xt::xtensor<int, 1>::from_shape({rows.size()});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      lengths(i) = static_cast<int>(texts[rows[i]].size());
      std::ranges::copy(texts[rows[i]], &ids(i, 0));
    }
    const auto out = state_->net("tokens"_in = ids, "types"_in = types, "lengths"_in = lengths);
    const auto sentence = out["sentence"_out];
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(&sentence(i, 0), width, vectors.begin() + static_cast<std::ptrdiff_t>(rows[i] * width));
    progress(first + rows.size());
  }
  return vectors;
}

} // namespace semantic_search
