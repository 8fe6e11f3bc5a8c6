#include <fovea/runtime/ngram/state.hpp>

#include <numeric>
#include <string>

// Counts as they come from a counter or a file: checked, and completed by what follows from them.

namespace fovea::core {
using detail::require;

ngram_counts ngram_counts::assembled(const ngram_config& config, std::vector<level> levels) {
  detail::check(config);
  sum_up(config, levels);
  const auto made = std::make_shared<state>(state{config, std::move(levels)});
  ngram_counts counts(made);
  counts.count_preceding(*made);
  return counts;
}

/// Checks that grams are sorted and inside their tables, which all else relies on, and finds their totals.
void ngram_counts::sum_up(const ngram_config& config, std::vector<level>& levels) {
  const auto order = static_cast<std::size_t>(config.order);
  require(levels.size() == order + 1 && levels[0].tokens.size() == 1,
          "expected grams of 1 to " + std::to_string(order) + " tokens");

  for (std::size_t length = 0; length <= order; ++length)
    require(levels[length].counts.size() == levels[length].tokens.size(),
            "the grams of " + std::to_string(length) + " tokens have another number of counts");

  for (std::size_t length = 0; length < order; ++length) {
    level& from = levels[length];
    const std::string grams = "the grams of " + std::to_string(length) + " tokens ";
    const level& to = levels[length + 1];
    const auto& begin = from.begin;
    require(begin.size() == from.tokens.size() + 1 && begin.front() == 0 && begin.back() == to.tokens.size(),
            grams + "begin a wrong number of longer ones");
    from.totals.resize(from.tokens.size());
    for (std::size_t i = 0; i < from.tokens.size(); ++i) {
      require(begin[i] <= begin[i + 1] && begin[i + 1] <= to.tokens.size(),
              grams + "begin a wrong number of longer ones");
      std::uint64_t total = 0;
      for (std::size_t k = begin[i]; k < begin[i + 1]; ++k) {
        require(to.tokens[k] >= 0 && to.tokens[k] < config.vocabulary &&
                    (k == begin[i] || to.tokens[k - 1] < to.tokens[k]),
                grams + "are followed by tokens out of order or outside the vocabulary");
        require((to.counts[k] == 0) == (to.tokens[k] == config.start),
                grams + "are followed by a token without a count");
        total += to.counts[k];
      }
      require(total <= 0xffffffff, grams + "are followed by too many tokens");
      from.totals[i] = static_cast<std::uint32_t>(total);
    }
    if (length + 1 < order) levels[length + 1].preceding.resize(to.tokens.size());
    if (length + 1 < order) from.total_preceding.resize(from.tokens.size());
  }
}

/// Checks that every gram ends in a shorter one, which occurs as often as all that end in it together, and
/// counts these.
void ngram_counts::count_preceding(state& made) const {
  const auto order = static_cast<std::size_t>(made.config.order);
  for (std::size_t length = 2; length <= order; ++length) {
    level& shorter = made.levels[length - 1];
    std::vector<std::uint64_t> sums(shorter.tokens.size());
    for_each_context(static_cast<int>(length) - 1, [&](std::span<const token_id> context, std::size_t,
                                                       const ngram_followers& next) {
      const auto suffix = find_context(context.subspan(1));
      for (std::size_t i = 0; i < next.tokens.size(); ++i) {
        if (next.tokens[i] == made.config.start) continue;
        const auto place =
            suffix ? followers(static_cast<int>(length) - 2, *suffix).find(next.tokens[i]) : std::nullopt;
        require(place.has_value(),
                "a gram of " + std::to_string(length) + " tokens has an end that was not counted");
        const std::size_t at = child(length - 2, *suffix, *place);
        sums[at] += next.counts[i];
        ++shorter.preceding[at];
      }
    });
    for (std::size_t i = 0; i < sums.size(); ++i)
      require(sums[i] == shorter.counts[i], "a gram of " + std::to_string(length - 1) +
                                                " tokens has the count " + std::to_string(shorter.counts[i]) +
                                                ", those that end in it " + std::to_string(sums[i]));
  }
  for (std::size_t length = 0; length + 1 < order; ++length) {
    level& from = made.levels[length];
    const auto* const preceding = made.levels[length + 1].preceding.data();
    for (std::size_t i = 0; i < from.tokens.size(); ++i)
      from.total_preceding[i] = std::accumulate(preceding + from.begin[i], preceding + from.begin[i + 1], 0u);
  }
}

} // namespace fovea::core
