// Depth and time: the nodes of a repeat's body run once a layer, those of a scan's once a step. See
// dsl/repeat.hpp and dsl/scan.hpp.

#include <fovea/backends/reference/evaluation.hpp>

#include <utility>

#include <fovea/backends/reference/shape.hpp>

namespace fovea::core::reference_ops {

/// Runs the nodes first <= i < last, which belong to `region` or to loops inside it.
void evaluation::walk(int first, int last, int region) {
  for (int id = first; id < last;) {
    if (const int inner = graph_.at(id).region; inner != region) {
      loop(inner);
      id = graph_.region(inner).last;
      continue;
    }
    const op kind = graph_.at(id).kind;
    if (kind == op::stack) {
      stack(id);
    } else if (kind != op::parameter && kind != op::carry) {
      array made = compute(id);
      if (shape_of(made) != shape_of_node(id))
        fail(graph_.at(id).at, std::string(word_of(kind)) + ": the declared shape is " +
                                   shape_text(shape_of_node(id)) + ", the computed one " +
                                   shape_text(made.shape()));
      values_[static_cast<std::size_t>(id)] = std::move(made);
    }
    ++id;
  }
}

/// The first nodes of a body are what it carries: before the first pass their operands, then what the pass
/// before made. What the last pass made stays for repeat_output.
void evaluation::loop(int region) {
  const region_entry& body = graph_.region(region);
  const auto carried = static_cast<std::size_t>(body.carried), first = static_cast<std::size_t>(body.first);
  std::vector<array> carry;
  for (std::size_t i = 0; i < carried; ++i) carry.push_back(operand(body.first + static_cast<int>(i), 0));
  const std::int64_t passes = body.is_scan() ? size_of_dim(body.time) : body.count;
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    turns_[static_cast<std::size_t>(region)] = body.reversed ? passes - 1 - pass : pass;
    for (std::size_t i = 0; i < carried; ++i) values_[first + i] = carry[i];
    walk(body.first, body.last, region);
    for (std::size_t i = 0; i < carried; ++i) carry[i] = value(body.results[i]);
  }
}

/// Puts this step's output in its place along time.
void evaluation::stack(int id) {
  const node& n = graph_.at(id);
  const auto axis = static_cast<std::size_t>(n.settings.time.axis);
  const std::int64_t now = turns_[static_cast<std::size_t>(n.settings.time.region)];
  array& all = values_[static_cast<std::size_t>(id)];
  const array_shape whole = shape_of_node(id);
  if (shape_of(all) != whole) all = filled(whole, 0);
  put_step(operand(id, 0), all, axis, static_cast<std::size_t>(now));
}

/// Which of its layers a node is in, counted through all repeats around it, the innermost fastest.
std::size_t evaluation::layer_of(int id) const {
  std::int64_t layer = 0, inside = 1;
  for (int r = graph_.at(id).region; r != 0; r = graph_.region(r).parent) {
    if (graph_.region(r).is_scan()) continue;
    layer += turns_[static_cast<std::size_t>(r)] * inside;
    inside *= graph_.region(r).count;
  }
  return static_cast<std::size_t>(layer);
}

} // namespace fovea::core::reference_ops
