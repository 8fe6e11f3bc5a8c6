#include <fovea/weights/parameters.hpp>

#include <set>
#include <string_view>

#include <fovea/base/error.hpp>
#include <fovea/weights/from_floats.hpp>

namespace fovea::core {

model_parameters::model_parameters(graph_view graph, model_weights source, std::span<const name_rule> names,
                                   const formatted_parameters& formatted, const rank_of_parameters& by)
    : source_(std::move(source)), rules_(names), rank_(by.rank), ranks_(graph.ranks) {
  for (std::size_t p = 0; p < graph.parameters.size(); ++p) {
    const node& n = graph.at(graph.parameters[p].node);
    std::vector<std::size_t> shape;
    for (int axis = 0; axis < n.shape.rank; ++axis)
      shape.push_back(static_cast<std::size_t>(graph.number(n.shape[axis])));
    const int split = graph.parameters[p].split_axis;
    if (split >= 0) shape[static_cast<std::size_t>(split)] *= static_cast<std::size_t>(graph.ranks);
    first_.push_back(static_cast<std::int32_t>(wanted_.size()));
    for (std::int64_t layer = 0; layer < graph.layers(graph.parameters[p].node); ++layer) {
      names_.emplace_back(graph.parameter_name(static_cast<int>(p), layer).text);
      formats_.push_back(formatted.of(names_.back()));
      wanted_.push_back({names_.back(), shape, {}});
      if (split >= 0) continue; // as floats, of which a part is taken
      // Filters lie in another order, which whole blocks can't be brought to.
      if (formats_.back() != weight_format::f32 && shape.size() == 2)
        wanted_.back().stored = element_of(formats_.back());
      wanted_.back().reads_panels = formatted.names.contains(names_.back());
      wanted_.back().format = formats_.back();
    }
  }
  std::set<std::string_view> seen;
  for (const std::string& name : names_)
    if (!seen.insert(name).second)
      throw error("parameter " + name +
                  " is made twice, by a repeat and by a numbered scope or another repeat; "
                  "to share it, keep the expr of the first and use it again");
  first_.push_back(static_cast<std::int32_t>(wanted_.size()));
  values_ = graph.is_part ? source_.resolve_part(wanted_, names) : source_.resolve(wanted_, names);
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (values_[i].panels.data != nullptr)
      formats_[i] = values_[i].panels.format;
    else if (!values_[i].stored.empty())
      formats_[i] = format_beside(formats_[i], values_[i].type);
  if (by.take_part == nullptr) return;
  kept_parts_ = std::make_shared<std::vector<std::vector<float>>>();
  for (std::size_t p = 0; p < graph.parameters.size(); ++p)
    if (const int axis = graph.parameters[p].split_axis; axis >= 0)
      for (auto i = static_cast<std::size_t>(first_[p]); i < static_cast<std::size_t>(first_[p + 1]); ++i)
        by.take_part(values_[i], wanted_[i].shape, axis, rank_, ranks_, *kept_parts_);
}

std::string model_parameters::key(int parameter, std::int64_t layer) const {
  const auto i = static_cast<std::size_t>(first(parameter) + layer);
  if (learned_) return names_[i]; // of no checkpoint
  // Another table of names may fill one name from another tensor. A table is there as long as what is packed by it.
  std::string text = names_[i] + " " + shape_text(shape(i)) + " by " + std::to_string(rules_.size()) +
                     " names at " + std::to_string(reinterpret_cast<std::uintptr_t>(rules_.data()));
  if (ranks_ > 1) text += " of rank " + std::to_string(rank_) + " of " + std::to_string(ranks_);
  return text;
}

// Here, and so not in each program.
model_parameters::model_parameters(const model_parameters&) = default;
model_parameters::model_parameters(model_parameters&&) noexcept = default;
model_parameters& model_parameters::operator=(model_parameters&&) noexcept = default;
model_parameters::~model_parameters() = default;

// Nothing that was packed of the others is shared.
model_parameters::model_parameters(const model_parameters& like, std::vector<weight_view> values)
    : source_(model_weights::from({}, like.source_.source())), first_(like.first_), names_(like.names_),
      values_(std::move(values)), formats_(values_.size(), weight_format::f32), learned_(true) {}

model_parameters model_parameters::learned(std::vector<weight_view> values) const {
  return {*this, std::move(values)};
}

const float* model_parameters::floats(std::size_t i) const {
  if (values_[i].data != nullptr) return values_[i].data;
  return source_.lasting_values({wanted_[i].name, wanted_[i].shape}, rules_);
}

void model_parameters::let_go(std::size_t i) {
  if (learned_ || ranks_ != 1) return;
  values_[i].data = nullptr;
  values_[i].stored = {};
  values_[i].holder.reset();
}

weight_view model_parameters::values(std::span<const int> parameters, std::size_t layer) const {
  std::size_t before = 0;
  for (const int p : parameters) {
    const auto count = static_cast<std::size_t>(first(p + 1) - first(p));
    if (const std::size_t i = static_cast<std::size_t>(first(p)) + layer - before; layer - before < count)
      return {floats(i), values_[i].size};
    before += count;
  }
  throw error("parameter " + name(parameters[0], 0) + ": expected a layer from 0 to " +
              std::to_string(before - 1) + ", found " + std::to_string(layer));
}

} // namespace fovea::core
