// Depth: the nodes of a repeat's body run once a layer. See dsl/repeat.hpp.

#include <fovea/backends/reference/evaluation.hpp>

#include <utility>

namespace fovea::reference_ops {

/// Runs the nodes first <= i < last, which belong to `region` or to repeats inside it.
void evaluation::walk(int first, int last, int region) {
  for (int id = first; id < last;) {
    if (const int inner = graph_.at(id).region; inner != region) {
      repeat(inner);
      id = graph_.region(inner).last;
      continue;
    }
    const op kind = graph_.at(id).kind;
    if (kind != op::parameter && kind != op::carry) {
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

/// The first nodes of a body are what it carries: before the first layer their operands, then what the layer
/// before made. What the last layer made stays for repeat_output.
void evaluation::repeat(int region) {
  const region_entry& body = graph_.region(region);
  const auto carried = static_cast<std::size_t>(body.carried), first = static_cast<std::size_t>(body.first);
  std::vector<array> carry;
  for (std::size_t i = 0; i < carried; ++i) carry.push_back(operand(body.first + static_cast<int>(i), 0));
  for (std::int64_t turn = 0; turn < body.count; ++turn) {
    turns_[static_cast<std::size_t>(region)] = turn;
    for (std::size_t i = 0; i < carried; ++i) values_[first + i] = carry[i];
    walk(body.first, body.last, region);
    for (std::size_t i = 0; i < carried; ++i) carry[i] = value(body.results[i]);
  }
}

/// Which of its layers a node is in, counted through all repeats around it, the innermost fastest.
std::size_t evaluation::layer_of(int id) const {
  std::int64_t layer = 0, inside = 1;
  for (int r = graph_.at(id).region; r != 0; r = graph_.region(r).parent) {
    layer += turns_[static_cast<std::size_t>(r)] * inside;
    inside *= graph_.region(r).count;
  }
  return static_cast<std::size_t>(layer);
}

} // namespace fovea::reference_ops
