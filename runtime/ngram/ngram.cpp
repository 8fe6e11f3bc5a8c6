#include <fovea/runtime/ngram/ngram.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/number_text.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace fovea::core {
namespace {

template <class... F>
struct overloaded : F... {
  using F::operator()...;
};

void require(bool holds, const std::string& expected, double found) {
  if (!holds) throw error("n-gram: expected " + expected + "; found " + number_text(found));
}

void check(const ngram_smoothing& how) {
  const auto check_discount = [](double d) { require(d >= 0 && d <= 1, "a discount of 0 to 1", d); };
  std::visit(overloaded{[](maximum_likelihood) {},
                        [](add_k s) { require(s.k > 0 && std::isfinite(s.k), "a k above 0", s.k); },
                        [&](backoff s) { check_discount(s.discount); },
                        [&](kneser_ney s) { check_discount(s.discount); }},
             how);
}

/// Tokens that can follow: all but the start.
double words(const ngram_config& c) { return static_cast<double>(c.vocabulary) - 1; }

void check_id(token_id id, const ngram_config& c) {
  require(id >= 0 && id < c.vocabulary, "ids of 0 to " + std::to_string(c.vocabulary - 1), id);
}

} // namespace

ngram::ngram(ngram_counts counts, ngram_smoothing how) : counts_(std::move(counts)), how_(how) {
  check(how_);
  if (std::holds_alternative<backoff>(how_)) weigh_backoff();
}

double ngram::first() const {
  return std::holds_alternative<maximum_likelihood>(how_) ? 0 : 1 / words(counts_.config());
}

ngram::step ngram::step_of(std::size_t length, std::size_t context) const {
  const ngram_followers next = counts_.followers(static_cast<int>(length), context);
  const double total = static_cast<double>(next.total), types = static_cast<double>(next.types);
  return std::visit(
      overloaded{[&](maximum_likelihood) { return step{next, next.counts, total, 0, 0, 0}; },
                 [&](add_k s) { // k V of 1 / V each
                   const double all = total + s.k * words(counts_.config());
                   return step{next, next.counts, all, 0, 1 - total / all, 1 - total / all};
                 },
                 [&](backoff s) {
                   const double taken = s.discount * types / total;
                   if (length == 0) return step{next, next.counts, total, s.discount, taken, taken};
                   const double weight = backoff_weights_[length][context];
                   return step{next, next.counts, total, weight == 0 ? 0 : s.discount, 0, weight};
                 },
                 [&](kneser_ney s) {
                   const bool whole = next.preceding.empty();
                   const double all = whole ? total : static_cast<double>(next.total_preceding);
                   const double taken = s.discount * types / all;
                   return step{next, whole ? next.counts : next.preceding, all, s.discount, taken, taken};
                 }},
      how_);
}

std::vector<ngram::step> ngram::steps(std::span<const token_id> context) const {
  context = context.last(std::min(context.size(), static_cast<std::size_t>(counts_.config().order) - 1));
  for (const token_id id : context) check_id(id, counts_.config());
  // These two look at the whole context or at nothing.
  const bool one = std::holds_alternative<maximum_likelihood>(how_) || std::holds_alternative<add_k>(how_);
  std::vector<step> chain;
  for (std::size_t length = one ? context.size() : 0; length <= context.size(); ++length) {
    const auto index = counts_.find_context(context.last(length));
    if (!index) break;
    chain.push_back(step_of(length, *index));
  }
  return chain;
}

double ngram::chained(std::span<const step> chain, token_id token) const {
  double p = first();
  for (const step& s : chain) {
    const auto place = s.next.find(token);
    p = place ? std::max(s.counts[*place] - s.discount, 0.0) / s.total + s.shared * p : s.left * p;
  }
  return p;
}

double ngram::probability(std::span<const token_id> context, token_id token) const {
  check_id(token, counts_.config());
  return token == counts_.config().start ? 0 : chained(steps(context), token);
}

void ngram::probabilities(std::span<const token_id> context, std::span<double> of) const {
  if (of.size() != static_cast<std::size_t>(counts_.config().vocabulary))
    throw error("n-gram: expected room for " + std::to_string(counts_.config().vocabulary) +
                " probabilities; found " + std::to_string(of.size()));
  std::fill(of.begin(), of.end(), first());
  for (const step& s : steps(context)) {
    auto p = of.begin();
    for (std::size_t i = 0; i < s.counts.size(); ++i) {
      const auto seen = of.begin() + s.next.tokens[i];
      for (; p != seen; ++p) *p *= s.left;
      *p = std::max(s.counts[i] - s.discount, 0.0) / s.total + s.shared * *p;
      ++p;
    }
    for (; p != of.end(); ++p) *p *= s.left;
  }
  of[static_cast<std::size_t>(counts_.config().start)] = 0;
}

/// a(c) = what the discount takes from c / what p(. | c') gives to tokens that c has not seen; 0 where that
/// is nothing, and no discount then.
void ngram::weigh_backoff() {
  const double discount = std::get<backoff>(how_).discount;
  const auto order = static_cast<std::size_t>(counts_.config().order);
  backoff_weights_.resize(order);
  for (std::size_t length = 1; length < order; ++length) {
    std::vector<double>& weights = backoff_weights_[length];
    weights.resize(counts_.contexts(static_cast<int>(length)));
    counts_.for_each_context(static_cast<int>(length), [&](std::span<const token_id> context,
                                                           std::size_t index, const ngram_followers& next) {
      const std::vector<step> shorter = steps(context.subspan(1));
      double unseen = 1;
      for (std::size_t i = 0; i < next.tokens.size(); ++i)
        if (next.counts[i] > 0) unseen -= chained(shorter, next.tokens[i]);
      const double taken = discount * static_cast<double>(next.types) / static_cast<double>(next.total);
      weights[index] = unseen > 1e-9 ? taken / unseen : 0.0;
    });
  }
}

void ngram::extend(token_ids& context, token_id next) const {
  const ngram_config& c = counts_.config();
  const auto longest = static_cast<std::size_t>(c.order) - 1;
  check_id(next, c);
  if (next == c.start)
    context.assign(longest, c.start);
  else
    context.push_back(next);
  if (context.size() > longest) context.erase(context.begin());
}

std::vector<double> log_probabilities(const ngram& model, const token_ids& text) {
  if (text.empty()) throw error("a text without ids has no probability");
  std::vector<double> found;
  token_ids context;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    model.extend(context, text[i]);
    found.push_back(std::log(model.probability(context, text[i + 1])));
  }
  return found;
}

} // namespace fovea::core
