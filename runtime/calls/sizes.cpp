#include <fovea/runtime/calls/sizes.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <fovea/base/error.hpp>

namespace fovea::core {

namespace {

std::string text_of(const dim& d) {
  sentence s;
  s << d;
  return s.text;
}

/// "axis 1 (4*H)".
std::string axis_text(int axis, const dim& form) {
  return "axis " + std::to_string(axis) + " (" + text_of(form) + ")";
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

call_sizes::call_sizes(graph_view graph, const char* model_name, std::span<const dim_size> capacity)
    : graph_(graph), name_(model_name), allowed_(allowed_integers_of(graph)) {
  for (const dim& form : graph_.forms)
    for (int i = 0; i < form.atom_count; ++i)
      if (form.atoms[i].divisor == 0 &&
          std::find(symbols_.begin(), symbols_.end(), form.atoms[i].symbol) == symbols_.end())
        symbols_.emplace_back(form.atoms[i].symbol);
  capacity_.assign(symbols_.size(), 0);
  held_.assign(symbols_.size(), not_held);
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
  for (const dim_size& given : capacity) {
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
    if (implied[i] != 0 && given.size > implied[i])
      refuse("the model allows at most " + std::to_string(implied[i]) + found);
    capacity_[i] = given.size;
  }
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    if (capacity_[i] == 0) capacity_[i] = implied[i];
    if (capacity_[i] == 0)
      throw error(name_ + ": the dim " + symbols_[i] + " has no bound; give one, as in {.capacity = {{" +
                  symbols_[i] + ", 512}}}");
  }
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
  find_bounded();
  current_ = capacity_;
  check_magnitudes();
  sizes_.resize(graph_.dim_numbers.size());
  for (std::size_t d = 1; d < sizes_.size(); ++d)
    sizes_[d] = graph_.largest(static_cast<int>(d), [this](const char* symbol) { return size_of(symbol); });
  check_derived();
}

void refuse_memory(const char* model_name, std::span<const dim_size> capacity) {
  std::string text;
  for (const dim_size& given : capacity)
    text += (text.empty() ? "" : ", ") + text_of(given.symbol) + " = " + std::to_string(given.size);
  throw error(std::string(model_name) + ": there is not enough memory for the model and its capacity" +
              (text.empty() ? "" : ", " + text));
}

void call_sizes::hold(const dim& symbol, std::int64_t size) {
  for (std::size_t i = 0; i < symbols_.size(); ++i)
    if (symbols_[i] == symbol.name()) held_[i] = size;
}

std::int64_t call_sizes::held(const dim& symbol) const {
  for (std::size_t i = 0; i < symbols_.size(); ++i)
    if (symbols_[i] == symbol.name()) return held_[i];
  return not_held;
}

void call_sizes::settle() {
  for (std::size_t i = 0; i < symbols_.size(); ++i)
    current_[i] = held_[i] == not_held ? capacity_[i] : held_[i];
  evaluate();
}

std::int64_t call_sizes::size_of(const char* symbol) const {
  for (std::size_t i = 0; i < symbols_.size(); ++i)
    if (symbols_[i] == symbol) return current_[i];
  return 0;
}

void call_sizes::evaluate() {
  sizes_.resize(graph_.dim_numbers.size());
  for (std::size_t d = 1; d < sizes_.size(); ++d)
    sizes_[d] = graph_.size(static_cast<int>(d), [this](const char* symbol) { return size_of(symbol); });
}

/// At their capacities: no arithmetic of dims may overflow, whatever the sizes of a call are.
void call_sizes::check_magnitudes() const {
  constexpr double most = 4e18;
  for (const dim& form : graph_.forms)
    if (form.magnitude([this](const char* symbol) { return size_of(symbol); }) > most)
      throw error(name_ + ": the dim " + text_of(form) + " does not fit 64 bits at the capacity given");
}

void call_sizes::check_derived() const {
  for (const axis_of_node& derived : derived_) {
    const node& n = graph_.at(derived.node);
    const std::int64_t size = sizes_[n.shape[derived.axis]];
    if (size >= 1) continue;
    sentence where;
    where << n.at << ": " << word_of(n) << ": axis " << derived.axis << " of ";
    graph_.write_shape(where, n.shape);
    where << " would be " << size;
    throw error(name_ + ": " + where.text + current_text() + "; expected at least 1");
  }
}

void call_sizes::find_bounded() {
  for (int id = 0; id < graph_.node_count(); ++id) {
    const node& n = graph_.at(id);
    if (n.kind == op::gather && counted(graph_, graph_.operand(id, 1)).range >= 0) gathers_.push_back(id);
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

void call_sizes::check_slices() const {
  for (const int id : slices_) {
    const node& n = graph_.at(id);
    const int axis = n.settings.slice.axis;
    const shape& of = graph_.at(graph_.operand(id, 0)).shape;
    const std::int64_t first = sizes_[n.settings.slice.first], last = first + sizes_[n.shape[axis]];
    if (first >= 0 && last <= sizes_[of[axis]]) continue;
    sentence where;
    where << n.at << ": " << word_of(n) << ": from " << first << " to " << last << " is outside the axis of "
          << sizes_[of[axis]] << " in ";
    graph_.write_shape(where, of);
    throw error(name_ + ": " + where.text + current_text());
  }
}

void call_sizes::check_positions() const {
  for (const int id : gathers_) {
    const counted_ids ids = counted(graph_, graph_.operand(id, 1));
    const std::int64_t rows = sizes_[graph_.at(graph_.operand(id, 0)).shape[0]] - ids.first,
                       positions = sizes_[graph_.at(ids.range).shape[0]];
    if (positions <= rows) continue;
    sentence where;
    where << graph_.at(id).at << ": gather: expected at most " << rows
          << " positions, the rows of its table, found " << positions;
    throw error(name_ + ": " + where.text + current_text());
  }
}

std::string call_sizes::current_text() const {
  std::string text;
  for (std::size_t i = 0; i < symbols_.size(); ++i)
    text += (i > 0 ? ", " : " with ") + symbols_[i] + " = " + std::to_string(current_[i]);
  return text;
}

std::string call_sizes::input_text(std::size_t index) const {
  const named_value& in = graph_.inputs[index];
  sentence s;
  s << in.name << "\" ";
  graph_.write_shape(s, graph_.at(in.node).shape);
  return name_ + ": input \"" + s.text;
}

void call_sizes::resolve(std::span<const std::span<const std::size_t>> shapes) {
  std::vector<std::int64_t>& next = current_;
  std::copy(held_.begin(), held_.end(), next.begin());
  const auto input_shape = [this](std::size_t i) -> const shape& {
    return graph_.at(graph_.inputs[i].node).shape;
  };
  const auto extent = [&](std::size_t i, int axis) {
    return static_cast<std::int64_t>(shapes[i][static_cast<std::size_t>(axis)]);
  };
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const shape& s = input_shape(i);
    if (shapes[i].size() != s.rank)
      throw error(input_text(i) + ": expected " + std::to_string(s.rank) + " axes, found " +
                  std::to_string(shapes[i].size()));
    for (int axis = 0; axis < s.rank; ++axis) {
      if (graph_.is_number(s[axis])) continue;
      const dim& form = graph_.form(s[axis]);
      if (!form.is_symbol()) continue;
      const auto k = static_cast<std::size_t>(std::find(symbols_.begin(), symbols_.end(), form.name()) -
                                              symbols_.begin());
      const std::int64_t found = extent(i, axis);
      if (found < 1 || found > capacity_[k])
        throw error(input_text(i) + ": axis " + std::to_string(axis) + " (" + symbols_[k] + ") is " +
                    std::to_string(found) + ", expected 1 to " + std::to_string(capacity_[k]) +
                    ", the capacity of " + symbols_[k]);
      if (next[k] != not_held && next[k] != found)
        throw error(input_text(i) + ": axis " + std::to_string(axis) + " (" + symbols_[k] + ") is " +
                    std::to_string(found) + ", but " +
                    (held_[k] != not_held ? "the stream has " : "another input has ") + symbols_[k] + " = " +
                    std::to_string(next[k]));
      next[k] = found;
    }
  }
  for (bool found_more = !computed_.empty(); found_more;) {
    found_more = false;
    for (const axis_of_input& from : computed_) found_more |= solve(from, extent(from.input, from.axis));
  }
  for (std::size_t k = 0; k < symbols_.size(); ++k)
    if (next[k] == not_held) throw error(name_ + ": no input says how large " + symbols_[k] + " is");
  evaluate();
  check_derived();
  check_slices();
  check_positions();
  for (std::size_t i = 0; i < shapes.size(); ++i)
    for (int axis = 0; axis < input_shape(i).rank; ++axis) {
      const std::int64_t expected = sizes_[input_shape(i)[axis]];
      if (extent(i, axis) != expected)
        throw error(input_text(i) + ": axis " + std::to_string(axis) + " is " +
                    std::to_string(extent(i, axis)) + ", expected " + std::to_string(expected));
    }
}

/// Where the size of an axis tells that of one more symbol: finds it, and that it is in its range.
bool call_sizes::solve(const axis_of_input& from, std::int64_t size) {
  const dim& form = graph_.form(graph_.at(graph_.inputs[from.input].node).shape[from.axis]);
  std::size_t symbol = symbols_.size();
  for (std::size_t k = 0; k < symbols_.size(); ++k) {
    if (current_[k] != not_held || !form.mentions(dim::symbol(symbols_[k].c_str()))) continue;
    if (symbol != symbols_.size()) return false;
    symbol = k;
  }
  if (symbol == symbols_.size() || !form.tells(symbols_[symbol].c_str())) return false;
  const auto with = [&](std::int64_t value) {
    return form.evaluate([&](const char* name) { return symbols_[symbol] == name ? value : size_of(name); });
  };
  const std::int64_t rest = with(0), times = with(1) - rest, found = (size - rest) / times;
  const auto refuse = [&](const std::string& why) {
    throw error(input_text(from.input) + ": " + axis_text(from.axis, form) + " is " + std::to_string(size) +
                why);
  };
  if ((size - rest) % times != 0)
    refuse(", expected a multiple of " + std::to_string(std::abs(times)) +
           (rest == 0  ? ""
            : rest > 0 ? " plus " + std::to_string(rest)
                       : " minus " + std::to_string(-rest)));
  if (found < 1 || found > capacity_[symbol])
    refuse(", which makes " + symbols_[symbol] + " " + std::to_string(found) + ", expected 1 to " +
           std::to_string(capacity_[symbol]) + ", the capacity of " + symbols_[symbol]);
  current_[symbol] = found;
  return true;
}

void call_sizes::check_integers(std::size_t index, std::span<const std::int32_t> values) const {
  if (allowed_[index].empty()) return;
  const shape& s = graph_.at(graph_.inputs[index].node).shape;
  std::array<std::int64_t, shape::max_rank> extents{};
  for (int axis = 0; axis < s.rank; ++axis) extents[static_cast<std::size_t>(axis)] = sizes_[s[axis]];
  for (const allowed_integers& allowed : allowed_[index])
    if (const auto other = allowed.find_other(values, {extents.data(), s.rank}, sizes_)) {
      std::string place;
      std::int64_t rest = static_cast<std::int64_t>(*other);
      for (std::size_t axis = s.rank; axis-- > 0; rest /= extents[axis])
        place = std::to_string(rest % extents[axis]) + (place.empty() ? "" : ", ") + place;
      const bool may_ignore = allowed.ignored && (*allowed.ignored < 0 || *allowed.ignored >= allowed.below);
      throw error(input_text(index) + ": " + graph_.inputs[index].name + "[" + place + "] is " +
                  std::to_string(values[*other]) + ", expected 0 to " + std::to_string(allowed.below - 1) +
                  (may_ignore ? ", or " + std::to_string(*allowed.ignored) + " to ignore" : ""));
    }
}

void call_sizes::reject_integer(std::size_t index, const std::string& found) const {
  throw error(input_text(index) + ": " + found + " does not fit 32 bits");
}

} // namespace fovea::core
