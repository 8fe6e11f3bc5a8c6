#include <fovea/weights/weights.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/threads.hpp>
#include <fovea/weights/converted.hpp>
#include <fovea/weights/name_rules.hpp>
#include <fovea/weights/state.hpp>
#include <fovea/weights/to_floats.hpp>
#include <fovea/weights/training_names.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

namespace fovea::core {
namespace {

using kind = naming::transform::kind;

/// What fills one parameter: a tensor of the checkpoint under its own name, or several that are joined, and
/// the rule's transform.
struct filling {
  std::vector<const std::string*> tensors;
  naming::transform how;

  std::string name() const {
    std::string all;
    for (const std::string* each : tensors) all += (all.empty() ? "" : " + ") + *each;
    return all;
  }
};

/// Whether a name comes before another: h.2 before h.10.
bool by_numbers(const std::string& a, const std::string& b) {
  const auto digits = [](const std::string& text, std::size_t at) {
    std::size_t n = 0;
    while (at + n < text.size() && text[at + n] >= '0' && text[at + n] <= '9') ++n;
    return n;
  };
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::size_t n = digits(a, i), m = digits(b, j);
    if (n > 0 && m > 0 && n != m) return n < m;
    if (a[i] != b[j]) return a[i] < b[j];
    ++i, ++j;
  }
  return a.size() < b.size();
}

/// Collects problems of one kind and prints the first few in the order of their numbers.
class problems {
public:
  void add(std::string problem) { all_.push_back(std::move(problem)); }
  explicit problems(std::string separator) : separator_(std::move(separator)) {}
  bool empty() const { return all_.empty(); }
  std::string text() const {
    std::vector<std::string> sorted = all_;
    std::ranges::stable_sort(sorted, by_numbers);
    std::string text;
    for (std::size_t i = 0; i < std::min(most_shown, sorted.size()); ++i)
      text += (text.empty() ? "" : separator_) + sorted[i];
    if (sorted.size() <= most_shown) return text;
    return text + separator_ + "and " + std::to_string(sorted.size() - most_shown) + " more";
  }

private:
  static constexpr std::size_t most_shown = 5;
  std::string separator_;
  std::vector<std::string> all_;
};

/// The checkpoint's tensors by the names that rules use: without an optional prefix.
std::map<std::string_view, const std::string*>
names_without_prefix(const std::map<std::string, stored_tensor>& tensors, std::span<const name_rule> rules,
                     const std::string& source) {
  std::map<std::string_view, const std::string*> names;
  for (const auto& [full, tensor] : tensors) {
    std::string_view name = full;
    for (const name_rule& rule : rules)
      if (rule.how.is(kind::optional_prefix) && name.starts_with(rule.theirs)) {
        name.remove_prefix(std::string_view(rule.theirs).size());
        break;
      }
    const auto [other, added] = names.emplace(name, &full);
    if (!added)
      throw error(source + ": tensors " + in_quotes(*other->second) + " and " + in_quotes(full) +
                  " are both " + in_quotes(name) + " once an optional prefix is taken off");
  }
  return names;
}

/// Runs f(0) ... f(count - 1) on a few threads; the first exception is thrown again here.
void run_in_parallel(std::size_t count, const std::function<void(std::size_t)>& f) {
  constexpr std::size_t most_threads = 8; // beyond that the memory is the limit
  const std::size_t threads = std::min({count, most_threads, usable_processors()});
  std::atomic<std::size_t> next{0};
  std::atomic_flag failed;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) f(i);
    } catch (...) {
      if (!failed.test_and_set()) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

/// A parameter that is read as it is stored.
struct unconverted {
  std::size_t place; // in wanted
  stored_tensor tensor;
};

/// Second copies by `tied` rules: {our parameter's place in wanted, their tensor}.
using tied_copies = std::vector<std::pair<std::size_t, const std::string*>>;

/// One transformed tensor that is not in the cache yet.
struct pending {
  std::pair<std::string, naming::transform> key;
  std::vector<const stored_tensor*> tensors;
  std::string file;
  float_values values{};
};

/// How many values one thread checks at a time.
constexpr std::size_t scan_chunk = std::size_t{1} << 18;

} // namespace

/// One call of weights::resolve, in the order of its members.
class resolution {
public:
  resolution(const std::string& source, const std::map<std::string, stored_tensor>& tensors,
             std::span<const wanted_parameter> wanted, std::span<const name_rule> rules)
      : source_(source), tensors_(tensors), wanted_(wanted), rules_(rules),
        names_(names_without_prefix(tensors, rules, source)) {}

  /// What fills each parameter. All that does not fit, names and shapes, is one error; where not `all` need
  /// be there, nor be wanted, shapes alone.
  std::vector<filling> match(bool all) const {
    std::vector<filling> result;
    std::set<const std::string*> used;
    problems missing(", ");
    for (const wanted_parameter& parameter : wanted_) {
      const filling found = find(parameter.name);
      used.insert(found.tensors.begin(), found.tensors.end());
      if (all && found.tensors.empty())
        missing.add("'" + parameter.name + "' " + shape_text(parameter.shape) +
                    expected_under(parameter.name));
      result.push_back(found);
    }
    problems extra(", ");
    for (const auto& [name, full] : names_)
      if (all && !used.contains(full) && !is_of_training(*full) && !skipped(name))
        extra.add(in_quotes(*full) + " " + shape_text(tensors_.at(*full).shape));
    const problems misfits = misfits_of(result);
    std::string message;
    const auto say = [&](const char* what, const problems& of) {
      if (!of.empty()) message += (message.empty() ? "" : "; ") + (what + of.text());
    };
    say("no tensor fills the parameters ", missing);
    say("no parameter wants and no rule ignores the tensors ", extra);
    say("", misfits);
    if (!message.empty()) say("no parameter has a name of the rules for ", idle_rules());
    if (!message.empty()) throw error(source_ + ": " + message);
    return result;
  }

  tied_copies copies() const {
    tied_copies result;
    for (const name_rule& rule : rules_) {
      if (!rule.how.is(kind::tied)) continue;
      for (std::size_t i = 0; i < wanted_.size(); ++i)
        if (const auto indices = match_indices(rule.ours, wanted_[i].name))
          if (const auto found = names_.find(fill_indices(rule.theirs, *indices)); found != names_.end())
            result.emplace_back(i, found->second);
    }
    return result;
  }

  /// The parameters that their user reads as they are stored. What has a second copy is compared as floats.
  std::vector<unconverted> left_as_stored(const std::vector<filling>& fillings,
                                          const tied_copies& copies) const {
    std::vector<unconverted> left;
    for (std::size_t i = 0; i < fillings.size(); ++i) {
      if (!wanted_[i].stored || fillings[i].tensors.size() != 1) continue;
      const stored_tensor& tensor = tensors_.at(*fillings[i].tensors.front());
      if (tensor.type != *wanted_[i].stored) continue;
      if (std::ranges::any_of(copies, [&](const auto& copy) { return copy.first == i; })) continue;
      if (auto rows = whole_rows(tensor, fillings[i].how)) left.push_back({i, std::move(*rows)});
    }
    return left;
  }

private:
  /// Rules whose own side no parameter has. A table may serve several models: they are told beside a problem.
  problems idle_rules() const {
    problems idle(", ");
    for (const name_rule& rule : rules_)
      if (fills(rule) && std::ranges::none_of(wanted_, [&](const wanted_parameter& parameter) {
            return match_indices(rule.ours, parameter.name).has_value();
          }))
        idle.add(in_quotes(rule.ours));
    return idle;
  }

  /// The tensors that are there under the right name and of another shape or type.
  problems misfits_of(const std::vector<filling>& fillings) const {
    problems misfits("; ");
    for (std::size_t i = 0; i < fillings.size(); ++i) {
      const filling& f = fillings[i];
      if (f.tensors.empty()) continue;
      const std::string what =
          "tensor '" + f.name() + "'" + (f.name() == wanted_[i].name ? "" : " for '" + wanted_[i].name + "'");
      try {
        const auto shape = joined_shape(f);
        if (shape != wanted_[i].shape)
          misfits.add(what + ": expected " + shape_text(wanted_[i].shape) + "; found " + shape_text(shape) +
                      (f.how.count ? ", made of " + shape_text(tensors_.at(*f.tensors.front()).shape) : ""));
      } catch (const error& reason) {
        misfits.add(what + ": " + reason.what());
      }
    }
    return misfits;
  }

  /// The shape that a filling gives its parameter.
  std::vector<std::size_t> joined_shape(const filling& f) const {
    std::vector<std::size_t> whole;
    for (const std::string* each : f.tensors) {
      const stored_tensor& tensor = tensors_.at(*each);
      if (!holds_reals(tensor.type))
        throw error("expected a type that holds reals; found " + std::string(element_name(tensor.type)));
      auto shape = transformed_shape(f.how, tensor.shape);
      if (!whole.empty()) {
        if (!std::ranges::equal(std::span(shape).subspan(1), std::span(whole).subspan(1)))
          throw error("cannot join " + shape_text(whole) + " and " + shape_text(shape));
        shape[0] += whole[0];
      }
      whole = std::move(shape);
    }
    return whole;
  }

  static bool fills(const name_rule& rule) {
    return !rule.how.is(kind::ignored) && !rule.how.is(kind::optional_prefix) && !rule.how.is(kind::tied);
  }

  static std::optional<long> first_part(const name_rule& rule) {
    return rule.how.joins() ? std::optional<long>(0) : std::nullopt;
  }

  filling find(const std::string& parameter) const {
    for (const name_rule& rule : rules_) {
      if (!fills(rule)) continue;
      const auto indices = match_indices(rule.ours, parameter);
      if (!indices) continue;
      filling made{{}, rule.how};
      for (std::optional<long> part = first_part(rule); true; ++*part) {
        const auto found = names_.find(fill_indices(rule.theirs, *indices, part));
        if (found == names_.end()) break;
        made.tensors.push_back(found->second);
        if (!part) break;
      }
      if (!made.tensors.empty()) return made;
    }
    const auto found = names_.find(parameter);
    if (found == names_.end()) return {};
    return {{found->second}, {}};
  }

  std::string expected_under(const std::string& parameter) const {
    std::string names;
    for (const name_rule& rule : rules_)
      if (fills(rule))
        if (const auto indices = match_indices(rule.ours, parameter))
          names +=
              (names.empty() ? "'" : " or '") + fill_indices(rule.theirs, *indices, first_part(rule)) + "'";
    return names.empty() ? "" : " (expected as " + names + ")";
  }

  bool skipped(std::string_view name) const {
    return std::ranges::any_of(rules_, [&](const name_rule& rule) {
      return (rule.how.is(kind::ignored) || rule.how.is(kind::tied)) && matches_some_index(rule.theirs, name);
    });
  }

  const std::string& source_;
  const std::map<std::string, stored_tensor>& tensors_;
  std::span<const wanted_parameter> wanted_;
  std::span<const name_rule> rules_;
  std::map<std::string_view, const std::string*> names_;
};

namespace {

void convert_and_check(std::vector<pending>& work) {
  run_in_parallel(work.size(), [&](std::size_t i) {
    work[i].values =
        transformed_values(std::span<const stored_tensor* const>(work[i].tensors), work[i].key.second);
  });
  struct chunk {
    std::size_t item, from;
    std::optional<std::size_t> bad{};
  };
  std::vector<chunk> chunks;
  for (std::size_t i = 0; i < work.size(); ++i)
    for (std::size_t from = 0; from < work[i].values.values.size(); from += scan_chunk)
      chunks.push_back({i, from});
  run_in_parallel(chunks.size(), [&](std::size_t i) {
    const auto values = work[chunks[i].item].values.values.subspan(chunks[i].from);
    chunks[i].bad = first_non_finite(values.first(std::min(scan_chunk, values.size())));
  });
  problems bad("; ");
  const pending* reported = nullptr;
  for (const chunk& c : chunks) {
    const pending& item = work[c.item];
    if (!c.bad || reported == &item) continue;
    reported = &item;
    const std::size_t at = c.from + *c.bad;
    bad.add(item.file + ": tensor '" + item.key.first + "': expected finite values; found " +
            std::to_string(item.values.values[at]) + " at element " + std::to_string(at));
  }
  if (!bad.empty()) throw error(bad.text());
}

void check_stored(const std::vector<unconverted>& left, const std::vector<filling>& fillings,
                  const std::function<std::string(const std::string&)>& file_of) {
  run_in_parallel(left.size(), [&](std::size_t i) {
    try {
      check_finite(left[i].tensor);
    } catch (const error& reason) {
      const filling& f = fillings[left[i].place];
      throw error(file_of(*f.tensors.front()) + ": tensor '" + f.name() + "': " + reason.what());
    }
  });
}

} // namespace

std::vector<weight_view> model_weights::resolve(std::span<const wanted_parameter> wanted,
                                                std::span<const name_rule> rules) const& {
  return views_of(wanted, rules, true);
}

std::vector<weight_view> model_weights::resolve_known(std::span<const wanted_parameter> wanted,
                                                      std::span<const name_rule> rules) const& {
  return views_of(wanted, rules, false);
}

std::vector<weight_view> model_weights::views_of(std::span<const wanted_parameter> wanted,
                                                 std::span<const name_rule> rules, bool all) const {
  const resolution call(state_->source, state_->tensors, wanted, rules);
  const auto fillings = call.match(all);
  const tied_copies copies = call.copies();

  const std::vector<unconverted> left = call.left_as_stored(fillings, copies);
  check_stored(left, fillings, [&](const std::string& tensor) { return state_->file_of(tensor); });
  std::vector<weight_view> views(fillings.size());
  for (const unconverted& one : left) views[one.place] = {nullptr, count_of(one.tensor), one.tensor.bytes};

  const std::lock_guard lock(state_->guard);
  std::vector<pending> work;
  std::set<state::content_key> planned;
  const auto plan = [&](const filling& f) {
    state::content_key key(f.name(), f.how);
    if (!state_->checked.contains(key) && planned.insert(key).second) {
      work.push_back({key, {}, state_->file_of(*f.tensors.front())});
      for (const std::string* each : f.tensors) work.back().tensors.push_back(&state_->tensors.at(*each));
    }
    return key;
  };
  std::vector<state::content_key> keys;
  for (std::size_t i = 0; i < fillings.size(); ++i)
    keys.push_back(fillings[i].tensors.empty() || !views[i].stored.empty() ? state::content_key{}
                                                                           : plan(fillings[i]));
  convert_and_check(work);

  for (const auto& [place, copy] : copies) {
    if (fillings[place].tensors.empty()) continue;
    const stored_tensor& second = state_->tensors.at(*copy);
    const auto work_item = std::ranges::find(work, keys[place], &pending::key);
    const auto first =
        work_item != work.end() ? work_item->values.values : state_->checked.at(keys[place]).values;
    if (second.shape != wanted[place].shape || !holds_reals(second.type) ||
        !std::ranges::equal(first, transformed_values(second, {}).values))
      throw error(state_->file_of(*copy) + ": tensor '" + *copy + "': expected a second copy of '" +
                  wanted[place].name + "' " + shape_text(wanted[place].shape) +
                  "; found other values or another shape, " + shape_text(second.shape));
  }

  for (pending& item : work) state_->checked.emplace(std::move(item.key), std::move(item.values));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (fillings[i].tensors.empty() || !views[i].stored.empty()) continue;
    const auto values = state_->checked.at(keys[i]).values;
    views[i] = {values.data(), values.size()};
  }
  return views;
}

} // namespace fovea::core
