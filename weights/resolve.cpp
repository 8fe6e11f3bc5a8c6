#include <fovea/weights/weights.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/joined_threads.hpp>
#include <fovea/base/threads.hpp>
#include <fovea/weights/converted.hpp>
#include <fovea/weights/resolution.hpp>
#include <fovea/weights/state.hpp>
#include <fovea/weights/to_floats.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <set>
#include <utility>

namespace fovea::core {
namespace {

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
    joined_threads helpers;
    for (std::size_t i = 1; i < threads; ++i) helpers.start(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

/// One transformed tensor that is not in the cache yet.
struct pending {
  std::pair<std::string, naming::transform> key;
  std::vector<const stored_tensor*> tensors;
  std::string file;
  float_values values{};
};

/// How many values one thread checks at a time.
constexpr std::size_t scan_chunk = std::size_t{1} << 18;

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
  return views_of(wanted, rules, matching::whole);
}

std::vector<weight_view> model_weights::resolve_part(std::span<const wanted_parameter> wanted,
                                                     std::span<const name_rule> rules) const& {
  return views_of(wanted, rules, matching::part);
}

std::vector<weight_view> model_weights::resolve_known(std::span<const wanted_parameter> wanted,
                                                      std::span<const name_rule> rules) const& {
  return views_of(wanted, rules, matching::known);
}

std::vector<weight_view> model_weights::views_of(std::span<const wanted_parameter> wanted,
                                                 std::span<const name_rule> rules, matching how) const {
  if (state_->layout) return packed_views_of(wanted, how);
  const resolution call(state_->source, state_->tensors, wanted, rules);
  const auto fillings = call.match(how);
  const tied_copies copies = call.copies();

  const std::vector<unconverted> left = call.left_as_stored(fillings, copies);
  check_stored(left, fillings, [&](const std::string& tensor) { return state_->file_of(tensor); });
  std::vector<weight_view> views(fillings.size());
  const std::lock_guard lock(state_->guard);
  for (const unconverted& one : left) {
    const filling& f = fillings[one.place];
    const auto& known = state::remember(state_->stored, {f.name(), f.how}, one.tensor.bytes, one.owned);
    views[one.place] = {nullptr, count_of(one.tensor), known.bytes, {}, one.tensor.type, known.holder};
    // What was read to put them in order is not read again.
    if (known.owned) state_->let_go(state_->tensors.at(*f.tensors.front()).bytes);
  }
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
        work_item != work.end() ? work_item->values.values : state_->checked.at(keys[place]).floats();
    if (second.shape != wanted[place].shape || !holds_reals(second.type) ||
        !std::ranges::equal(first, transformed_values(second, {}).values))
      throw error(state_->file_of(*copy) + ": tensor '" + *copy + "': expected a second copy of '" +
                  wanted[place].name + "' " + shape_text(wanted[place].shape) +
                  "; found other values or another shape, " + shape_text(second.shape));
  }

  for (pending& item : work) {
    if (item.values.owned) // what they were made of is not read again
      for (const stored_tensor* from : item.tensors) state_->let_go(from->bytes);
    state::remember(state_->checked, std::move(item.key), std::as_bytes(item.values.values),
                    std::move(item.values.owned));
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (fillings[i].tensors.empty() || !views[i].stored.empty()) continue;
    const auto& known = state_->checked.at(keys[i]);
    views[i] = {.data = known.floats().data(), .size = known.floats().size(), .holder = known.holder};
  }
  return views;
}

} // namespace fovea::core
