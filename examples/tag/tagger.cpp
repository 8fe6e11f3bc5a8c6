#include "tagger.hpp"

#include <trained/folder.hpp>

#include <fovea/fovea.hpp>

#include <algorithm>
#include <sstream>

namespace tag_program {

using namespace fovea;

namespace {

const auto& model = models::rnn_tagger<sizes>;
constexpr token_id unknown = 3; // as train.py numbers it

struct tag_table {
  std::vector<std::string> tags;
  transition_scores transitions;
};

tag_table tags_in(const std::filesystem::path& file) {
  const nlohmann::json from = trained::read_json(file);
  try {
    tag_table made{from.at("tags"), {}};
    const auto start = from.at("start").get<std::vector<float>>(),
               end = from.at("end").get<std::vector<float>>();
    const auto between = from.at("between").get<std::vector<std::vector<float>>>();
    const std::size_t n = made.tags.size();
    bool fits = n >= 1 && n <= static_cast<std::size_t>(sizes.tags) && start.size() == n && end.size() == n &&
                between.size() == n;
    for (const std::vector<float>& row : between) fits &= row.size() == n;
    if (!fits)
      throw error(file.string() + ": expected 1 to " + std::to_string(sizes.tags) +
                  " tags with a score of each as the first, as the last, and after each");
    made.transitions.start = xt::adapt(start, std::array{n});
    made.transitions.end = xt::adapt(end, std::array{n});
    made.transitions.between = xt::xtensor<float, 2>::from_shape({n, n});
    for (std::size_t i = 0; i < n; ++i)
      std::copy(between[i].begin(), between[i].end(), &made.transitions.between(i, 0));
    return made;
  } catch (const nlohmann::json::exception&) {
    throw error(file.string() + ": expected {\"tags\", \"start\", \"between\", \"end\"}");
  }
}

} // namespace

nlohmann::json sizes_as_json() {
  return {{"model", "lstm"},        {"vocab", sizes.vocab},   {"width", sizes.width},
          {"hidden", sizes.hidden}, {"layers", sizes.layers}, {"tags", sizes.tags}};
}

struct tagger::network {
  decltype(compile(model, std::declval<const model_weights&>(), {})) net;
};

tagger::tagger(const std::filesystem::path& folder)
    : words_((trained::check_folder(folder, sizes_as_json(), {"words.json", "tags.json"}),
              load_tokenizer(folder / "words.json"))),
      network_(new network{compile(model, load_weights(folder / "weights.safetensors", {.copy = true}),
                                   {.capacity = {{"B", 1}, {"T", static_cast<std::int64_t>(longest)}}})}) {
  tag_table table = tags_in(folder / "tags.json");
  tags_ = std::move(table.tags), transitions_ = std::move(table.transitions);
}
tagger::~tagger() = default;

std::vector<std::string> tagger::tags_of(std::span<const std::string> words) {
  std::vector<std::string> tags;
  for (std::size_t first = 0; first < words.size(); first += longest) {
    const auto part = words.subspan(first, std::min(longest, words.size() - first));
    auto tokens = xt::xtensor<int, 2>::from_shape({1, part.size()});
    for (std::size_t i = 0; i < part.size(); ++i) tokens(0, i) = words_.id(part[i]).value_or(unknown);
    const xt::xtensor<int, 1> lengths{static_cast<int>(part.size())};
    const auto out = network_->net("tokens"_in = tokens, "lengths"_in = lengths);
    const auto logits = out["logits"_out]; // [1, words, places for tags]
    auto scores = xt::xtensor<float, 2>::from_shape({part.size(), tags_.size()});
    for (std::size_t i = 0; i < part.size(); ++i) std::copy_n(&logits(0, i, 0), tags_.size(), &scores(i, 0));
    for (const std::int32_t tag : viterbi(scores, transitions_).labels)
      tags.push_back(tags_[static_cast<std::size_t>(tag)]);
  }
  return tags;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

} // namespace tag_program
