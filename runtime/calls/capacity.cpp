// What the capacities of a model are, once, when it is made.

#include <fovea/runtime/calls/sizes.hpp>

#include <algorithm>
#include <limits>

#include <fovea/base/error.hpp>
#include <fovea/runtime/calls/capacity_error.hpp>

namespace fovea::core {

namespace {

std::string text_of(const dim& d) {
  sentence s;
  s << d;
  return s.text;
}

/// The node whose value a node only renames.
int renamed(const graph_view& g, int id) {
  while (g.at(id).kind == op::reshape) id = g.operand(id, 0);
  return id;
}

/// Ids that count positions, `first`, first + 1, ... The range that counts from 0; -1 of other ids.
struct counted_ids {
  int range = -1;
  std::int64_t first = 0;
};
counted_ids counted(const graph_view& g, int ids) {
  ids = renamed(g, ids);
  counted_ids made{ids};
  if (g.at(ids).kind == op::add) {
    const node& added = g.at(g.operand(ids, 1));
    if (added.kind != op::constant) return {};
    made = {renamed(g, g.operand(ids, 0)), static_cast<std::int64_t>(added.settings.number)};
  }
  return g.at(made.range).kind == op::range ? made : counted_ids{};
}

} // namespace

// Here, and so not in each program.
call_sizes::call_sizes(const call_sizes&) = default;
call_sizes::call_sizes(call_sizes&&) noexcept = default;
call_sizes::~call_sizes() = default;

call_sizes::call_sizes(graph_view graph, const char* model_name, std::span<const dim_size> capacity)
    : graph_(graph), name_(model_name), allowed_(allowed_integers_of(graph)) {
  find_symbols();
  set_capacity(capacity);
  find_computed();
  find_bounded();
  current_ = capacity_;
  check_magnitudes();
  sizes_.resize(graph_.dim_numbers.size());
  for (std::size_t d = 1; d < sizes_.size(); ++d)
    sizes_[d] = graph_.largest(static_cast<int>(d), [this](const char* symbol) { return size_of(symbol); });
  check_derived();
}

void call_sizes::find_symbols() {
  for (const dim& form : graph_.forms)
    for (int i = 0; i < form.atom_count; ++i)
      if (form.atoms[i].divisor == 0 &&
          std::find(symbols_.begin(), symbols_.end(), form.atoms[i].symbol) == symbols_.end())
        symbols_.emplace_back(form.atoms[i].symbol);
  capacity_.assign(symbols_.size(), 0);
  held_.assign(symbols_.size(), not_held);
}

/// As a table has rows for them: of each symbol the most positions that ids count, 0 where none do.
std::vector<std::int64_t> call_sizes::implied_capacity() const {
  std::vector<std::int64_t> implied(symbols_.size(), 0);
  for (int id = 0; id < graph_.node_count(); ++id) {
    if (graph_.at(id).kind != op::gather) continue;
    const std::uint16_t rows = graph_.at(graph_.operand(id, 0)).shape[0];
    const counted_ids ids = counted(graph_, graph_.operand(id, 1));
    if (!graph_.is_number(rows) || ids.range < 0) continue;
    const dim length = graph_.dim_of(graph_.at(ids.range).shape[0]);
    const std::int64_t most = graph_.number(rows) - ids.first;
    for (std::size_t i = 0; i < symbols_.size(); ++i)
      if (length.is_symbol() && symbols_[i] == length.name())
        implied[i] = implied[i] == 0 ? most : std::min(implied[i], most);
  }
  return implied;
}

/// Each symbol's: what is given, else what the model implies.
void call_sizes::set_capacity(std::span<const dim_size> given_sizes) {
  const std::vector<std::int64_t> implied = implied_capacity();
  for (const dim_size& given : given_sizes) {
    const auto refuse = [&](const std::string& problem) {
      throw error(name_ + ": capacity of " + text_of(given.symbol) + ": " + problem);
    };
    if (!given.symbol.is_symbol()) refuse("expected a dim known at run time");
    const auto symbol = std::find(symbols_.begin(), symbols_.end(), given.symbol.name());
    if (symbol == symbols_.end()) refuse("the model has no such dim");
    const auto i = static_cast<std::size_t>(symbol - symbols_.begin());
    const std::string found = ", found " + std::to_string(given.size);
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max(); // which positions are counted in
    if (given.size < 1) refuse("expected at least 1" + found);
    if (given.size > most) refuse("expected at most " + std::to_string(most) + found);
    if (capacity_[i] != 0)
      refuse("expected one, found " + std::to_string(capacity_[i]) + " and " + std::to_string(given.size));
    if (implied[i] != 0 && given.size > implied[i]) throw capacity_error(name_, given, implied[i]);
    capacity_[i] = given.size;
  }
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    if (capacity_[i] == 0) capacity_[i] = implied[i];
    if (capacity_[i] == 0)
      throw error(name_ + ": the dim " + symbols_[i] + " has no bound; give one, as in {.capacity = {{" +
                  symbols_[i] + ", 512}}}");
  }
}

void call_sizes::find_computed() {
  for (int id = 0; id < graph_.node_count(); ++id)
    for (int axis = 0; axis < graph_.at(id).shape.rank; ++axis) {
      const int d = graph_.at(id).shape[axis];
      if (graph_.is_number(d) || graph_.form(d).is_symbol()) continue;
      const auto known = std::find_if(derived_.begin(), derived_.end(), [&](const axis_of_node& a) {
        return graph_.at(a.node).shape[a.axis] == d;
      });
      if (known == derived_.end()) derived_.push_back({id, axis});
    }
  for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
    const shape& s = graph_.at(graph_.inputs[i].node).shape;
    for (int axis = 0; axis < s.rank; ++axis)
      if (!graph_.is_number(s[axis]) && !graph_.form(s[axis]).is_symbol()) computed_.push_back({i, axis});
  }
}

/// At their capacities: no arithmetic of dims may overflow, whatever the sizes of a call are.
void call_sizes::check_magnitudes() const {
  constexpr double most = 4e18;
  for (const dim& form : graph_.forms)
    if (form.magnitude([this](const char* symbol) { return size_of(symbol); }) > most)
      throw error(name_ + ": the dim " + text_of(form) + " does not fit 64 bits at the capacity given");
}

void call_sizes::find_bounded() {
  for (int id = 0; id < graph_.node_count(); ++id) {
    const node& n = graph_.at(id);
    if (n.kind == op::gather)
      if (const counted_ids ids = counted(graph_, graph_.operand(id, 1)); ids.range >= 0)
        gathers_.push_back({id, ids.range, ids.first});
    if (n.kind != op::slice) continue;
    const int axis = n.settings.slice.axis;
    const dim from = graph_.dim_of(n.settings.slice.first),
              left = graph_.dim_of(graph_.at(graph_.operand(id, 0)).shape[axis]) - from -
                     graph_.dim_of(n.shape[axis]);
    const bool inside =
        from.is_number() && from.number() >= 0 && left.is_number() && left.number() >= 0 && !left.overflow;
    if (!inside) slices_.push_back(id);
  }
}

void refuse_memory(const char* model_name, std::span<const dim_size> capacity) {
  std::string text;
  for (const dim_size& given : capacity)
    text += (text.empty() ? "" : ", ") + text_of(given.symbol) + " = " + std::to_string(given.size);
  throw error(std::string(model_name) + ": there is not enough memory for the model and its capacity" +
              (text.empty() ? "" : ", " + text));
}

} // namespace fovea::core
