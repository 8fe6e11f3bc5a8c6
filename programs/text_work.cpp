#include <fovea/programs/text_work.hpp>

#include <fovea/base/error.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace fovea::programs {
namespace {

token_rows rows_of(std::span<text_work* const> texts) {
  token_rows t{.rows = texts.size(),
               .longest = texts.back()->tokens.ids.size(),
               .ids = {},
               .types = {},
               .lengths = {}};
  t.ids.resize(t.rows * t.longest), t.types.resize(t.rows * t.longest);
  for (std::size_t row = 0; row < t.rows; ++row) {
    const token_encoding& tokens = texts[row]->tokens;
    const auto at = static_cast<std::ptrdiff_t>(row * t.longest);
    std::ranges::copy(tokens.ids, t.ids.begin() + at);
    std::ranges::copy(tokens.type_ids, t.types.begin() + at);
    t.lengths.push_back(static_cast<int>(tokens.ids.size()));
  }
  return t;
}

} // namespace

text_work work_of(input_text input, const tokenizer& words, std::size_t longest, bool& was_cut) {
  try {
    token_encoding tokens = words.encode(input.text, {.max_length = longest + 1});
    was_cut = tokens.ids.size() > longest;
    if (was_cut) tokens = words.encode(input.text, {.max_length = longest});
    if (tokens.ids.empty()) throw error("the text is empty");
    return {std::move(input), std::move(tokens)};
  } catch (const error& problem) {
    throw error(input.place + ": " + problem.what());
  }
}

void run_together(text_network& network, std::vector<text_work>& texts, bool each_token) {
  std::vector<text_work*> order;
  for (text_work& text : texts) order.push_back(&text);
  const auto length = [](const text_work* text) { return text->tokens.ids.size(); };
  std::ranges::stable_sort(order, {}, length);
  for (auto first = order.begin(); first != order.end();) {
    auto last = first + std::min(static_cast<std::ptrdiff_t>(texts_of_a_call), order.end() - first);
    if (!network.takes_lengths())
      last = std::find_if(first, last, [&](const text_work* text) { return length(text) != length(*first); });
    const std::span<text_work* const> together(first, last);
    const std::span<const float> values = network(rows_of(together));
    const std::size_t row = values.size() / together.size();
    for (std::size_t i = 0; i < together.size(); ++i) {
      const std::size_t used = each_token ? row / length(together.back()) * length(together[i]) : row;
      const std::span<const float> own = values.subspan(i * row, used);
      together[i]->values.assign(own.begin(), own.end());
    }
    first = last;
  }
}

} // namespace fovea::programs
