#include <fovea/runtime/calls/sizes.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fovea/base/error.hpp>

namespace fovea::core {

namespace {

/// "axis 1 (4*H)".
std::string axis_text(int axis, const dim& form) {
  sentence s;
  s << "axis " << axis << " (" << form << ")";
  return s.text;
}

} // namespace

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
  for (const counted_gather& g : gathers_) {
    const std::int64_t rows = sizes_[graph_.at(graph_.operand(g.node, 0)).shape[0]] - g.first,
                       positions = sizes_[graph_.at(g.range).shape[0]];
    if (positions <= rows) continue;
    sentence where;
    where << graph_.at(g.node).at << ": gather: expected at most " << rows
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
