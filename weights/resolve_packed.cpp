#include <fovea/weights/weights.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/weights/filter_rows.hpp>
#include <fovea/weights/problems.hpp>
#include <fovea/weights/state.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <string_view>

namespace fovea::core {
namespace {

/// What the file has of a parameter that is in another shape there.
std::string found_as(const std::map<std::string, stored_tensor>& tensors, const std::string& parameter) {
  const auto next = tensors.lower_bound(parameter + " [");
  return next != tensors.end() && next->first.starts_with(parameter + " [")
             ? ", found " + in_quotes(next->first)
             : "";
}

std::size_t elements(std::span<const std::size_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

float_values unpacked(const panels_view& weights, const weight_matrix& of) {
  const auto made = std::make_shared<packed>(weights.columns * weights.depth);
  const std::span values(made->data(), made->size());
  to_floats(weights, values.data());
  if (of.taps > 1) std::ranges::copy(parameter_values(of, values), values.begin());
  return {values, made};
}

} // namespace

std::vector<weight_view> model_weights::packed_views_of(std::span<const wanted_parameter> wanted,
                                                        matching how) const {
  std::vector<weight_view> views(wanted.size());
  std::set<std::string_view> used;
  problems missing("; ");
  const std::lock_guard lock(state_->guard);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto& [name, shape, stored, reads_panels, format] = wanted[i];
    const auto at = state_->tensors.find(packed_name(name, shape));
    if (at == state_->tensors.end()) {
      if (how != matching::known)
        missing.add(in_quotes(packed_name(name, shape)) + found_as(state_->tensors, name));
      continue;
    }
    used.insert(at->first);
    const bool has_panels = at->second.type != element_type::f32;
    try {
      if (!has_panels && count_of(at->second) != elements(shape))
        throw error("expected " + std::to_string(elements(shape)) + " values; found " +
                    std::to_string(count_of(at->second)));
      if (has_panels && reads_panels && format == state_->layout->format) {
        const panels_view lie = panels_of(at->second, *state_->layout, shape);
        views[i] = {nullptr, lie.columns * lie.depth, {}, lie};
        continue;
      }
      const state::content_key key(at->first, {});
      const auto found = state_->checked.find(key);
      float_values made;
      if (found == state_->checked.end())
        made = has_panels ? unpacked(panels_of(at->second, *state_->layout, shape), weight_matrix(shape))
                          : transformed_values(at->second, {});
      const auto& known =
          found != state_->checked.end()
              ? found->second
              : state::remember(state_->checked, key, std::as_bytes(made.values), std::move(made.owned));
      views[i] = {.data = known.floats().data(), .size = known.floats().size(), .holder = known.holder};
    } catch (const error& reason) {
      throw error(state_->source + ": " + in_quotes(at->first) + ": " + reason.what());
    }
  }
  problems extra(", ");
  for (const auto& [name, tensor] : state_->tensors)
    if (how == matching::whole && !used.contains(name)) extra.add(in_quotes(name));
  if (const std::size_t kinds = !missing.empty() + !extra.empty())
    throw error(state_->source + ": these weights are packed for another model" +
                (missing.empty() ? "" : "; expected " + missing.text(kinds)) +
                (extra.empty() ? "" : "; no parameter wants " + extra.text(kinds)));
  return views;
}

} // namespace fovea::core
