#include <fovea/runtime/ngram/state.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

namespace fovea::core {

using detail::require;

namespace {

template <class number>
std::size_t bytes_of(const std::vector<number>& values) {
  return values.size() * sizeof(number);
}

} // namespace

void detail::check(const ngram_config& c) {
  require(c.order >= 1 && c.order <= 16, "expected an order of 1 to 16; found " + std::to_string(c.order));
  for (const token_id id : {c.start, c.end})
    require(id >= 0 && id < c.vocabulary, "expected a start and an end of 0 to " +
                                              std::to_string(c.vocabulary - 1) + "; found " +
                                              std::to_string(id));
  require(c.start != c.end, "start and end are the same id, " + std::to_string(c.start));
}

std::optional<std::size_t> ngram_followers::find(token_id token) const {
  const auto place = std::lower_bound(tokens.begin(), tokens.end(), token);
  if (place == tokens.end() || *place != token) return std::nullopt;
  return static_cast<std::size_t>(place - tokens.begin());
}

const ngram_config& ngram_counts::config() const { return state_->config; }

std::size_t ngram_counts::contexts(int length) const {
  return state_->levels.at(static_cast<std::size_t>(length)).tokens.size();
}

std::size_t ngram_counts::child(std::size_t depth, std::size_t context, std::size_t place) const {
  return state_->levels[depth].begin[context] + place;
}

ngram_followers ngram_counts::followers(int length, std::size_t context) const {
  const auto depth = static_cast<std::size_t>(length);
  const level &from = state_->levels[depth], &to = state_->levels[depth + 1];
  const std::size_t first = from.begin[context], size = from.begin[context + 1] - first;
  ngram_followers found{.tokens = std::span(to.tokens).subspan(first, size),
                        .counts = std::span(to.counts).subspan(first, size),
                        .preceding = {},
                        .total = from.totals[context]};
  if (!to.preceding.empty()) {
    found.preceding = std::span(to.preceding).subspan(first, size);
    found.total_preceding = from.total_preceding[context];
  }
  const auto start = found.find(state_->config.start); // among those of <s>, <s> <s>, ...
  found.types = size - (start ? 1 : 0);
  return found;
}

std::optional<std::size_t> ngram_counts::find_context(std::span<const token_id> context) const {
  require(context.size() < static_cast<std::size_t>(state_->config.order),
          "expected a context of 0 to " + std::to_string(state_->config.order - 1) + " tokens; found " +
              std::to_string(context.size()));
  std::size_t index = 0;
  for (std::size_t depth = 0; depth < context.size(); ++depth) {
    const auto place = followers(static_cast<int>(depth), index).find(context[depth]);
    if (!place) return std::nullopt;
    index = child(depth, index, *place);
  }
  if (state_->levels[context.size()].totals[index] == 0) return std::nullopt;
  return index;
}

std::uint64_t ngram_counts::count(std::span<const token_id> gram) const {
  require(!gram.empty(), "a gram holds at least one token");
  const auto context = find_context(gram.first(gram.size() - 1));
  if (!context) return 0;
  const ngram_followers next = followers(static_cast<int>(gram.size()) - 1, *context);
  const auto place = next.find(gram.back());
  return place ? next.counts[*place] : 0;
}

std::size_t ngram_counts::distinct(int tokens) const {
  const auto& counts = state_->levels.at(static_cast<std::size_t>(tokens)).counts;
  return counts.size() - static_cast<std::size_t>(std::ranges::count(counts, 0u));
}

std::size_t ngram_counts::stored_bytes() const {
  std::size_t sum = 0;
  for (const level& l : state_->levels)
    sum += bytes_of(l.tokens) + bytes_of(l.counts) + bytes_of(l.begin) + bytes_of(l.totals) +
           bytes_of(l.preceding) + bytes_of(l.total_preceding);
  return sum;
}

ngram_counter::ngram_counter(const ngram_config& config) : config_(config) { detail::check(config); }

void ngram_counter::add(std::span<const token_id> line) {
  for (const token_id id : line) {
    require(id >= 0 && id < config_.vocabulary, "expected ids of 0 to " +
                                                    std::to_string(config_.vocabulary - 1) + "; found " +
                                                    std::to_string(id));
    require(id != config_.start && id != config_.end,
            "a line holds id " + std::to_string(id) + ", which stands around lines only");
  }
  const auto pads = static_cast<std::size_t>(config_.order) - 1;
  require(text_.size() + line.size() + pads < std::numeric_limits<std::uint32_t>::max(),
          "more than 4,294,967,294 tokens");
  text_.insert(text_.end(), pads, config_.start);
  text_.insert(text_.end(), line.begin(), line.end());
  text_.push_back(config_.end);
}

// A gram is the gram without its last token, by its number, and that token: sorting these pairs as integers
// makes a level from the one before.
ngram_counts ngram_counter::counts() const {
  const auto order = static_cast<std::size_t>(config_.order);
  std::vector<ngram_counts::level> levels(order + 1);
  levels[0] = {{config_.start}, {0}};
  const auto key_of = [](std::uint32_t context, token_id token) {
    return std::uint64_t{context} << 32 | static_cast<std::uint32_t>(token);
  };
  std::vector<std::uint32_t> ending(text_.size()); // the number of the context that ends at each place
  std::vector<std::uint64_t> keys;
  for (std::size_t length = 1; length <= order; ++length) {
    keys.clear();
    if (length < order && !text_.empty()) keys.push_back(key_of(ending[0], config_.start)); // <s> <s> ...
    for (std::size_t i = 0; i < text_.size(); ++i)
      if (text_[i] != config_.start) keys.push_back(key_of(i == 0 ? 0 : ending[i - 1], text_[i]));
    std::sort(keys.begin(), keys.end());

    ngram_counts::level &contexts = levels[length - 1], &made = levels[length];
    contexts.begin.assign(contexts.tokens.size() + 1, 0);
    for (std::size_t first = 0, last; first < keys.size(); first = last) {
      for (last = first + 1; last < keys.size() && keys[last] == keys[first];) ++last;
      made.tokens.push_back(static_cast<token_id>(keys[first] & 0xffffffff));
      made.counts.push_back(made.tokens.back() == config_.start ? 0
                                                                : static_cast<std::uint32_t>(last - first));
      ++contexts.begin[(keys[first] >> 32) + 1];
    }
    std::partial_sum(contexts.begin.begin(), contexts.begin.end(), contexts.begin.begin());
    if (length == order) break;

    const auto number_of = [&](std::uint32_t context, token_id token) {
      const auto* const tokens = made.tokens.data();
      return static_cast<std::uint32_t>(
          std::lower_bound(tokens + contexts.begin[context], tokens + contexts.begin[context + 1], token) -
          tokens);
    };
    const std::uint32_t starts = text_.empty() ? 0 : number_of(ending[0], config_.start);
    for (std::size_t i = text_.size(); i-- > 0;) // each from the one before it
      ending[i] = text_[i] == config_.start ? starts : number_of(ending[i - 1], text_[i]);
  }
  return ngram_counts::assembled(config_, std::move(levels));
}

} // namespace fovea::core
