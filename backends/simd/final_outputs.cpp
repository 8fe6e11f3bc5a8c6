#include <fovea/backends/simd/final_outputs.hpp>

#include <fovea/backends/simd/context.hpp>

namespace fovea::core::simd {

namespace {

/// The step that makes the value of a node.
int step_of(const plan_view& plan, int node) {
  for (int i = 0; i < plan.step_count; ++i) {
    const step& s = plan.steps[i];
    if (s.kind == step_kind::loop_begin || s.kind == step_kind::loop_end) continue;
    if (s.node == node) return i;
    for (int k = 0; s.has_parts() && k < s.count; ++k)
      if (plan.parts[s.first + k] == node) return i;
  }
  return -1;
}

/// The step that is the outermost loop around a region.
int loop_of(const graph_view& graph, const plan_view& plan, int region) {
  while (graph.region(region).parent != 0) region = graph.region(region).parent;
  for (int i = 0; i < plan.step_count; ++i)
    if (plan.steps[i].kind == step_kind::loop_begin && plan.steps[i].node == region) return i;
  return -1;
}

} // namespace

final_outputs::final_outputs(const graph_view& graph, const plan_view& plan,
                             const std::vector<bool>& unwanted)
    : graph_(graph), plan_(plan), made_(static_cast<std::size_t>(plan.step_count)) {
  for (std::size_t o = 0; o < graph.outputs.size(); ++o)
    if (const made_output made = made_in(o); made.step >= 0 && (unwanted.empty() || !unwanted[o]))
      made_[static_cast<std::size_t>(made.step)].push_back(made);
  add_steps(0, plan.step_count, 0);
}

/// 0 where a dim is no number.
std::size_t final_outputs::count_of(int node) const {
  const shape& s = graph_.at(node).shape;
  std::size_t count = 1;
  for (int axis = 0; axis < s.rank; ++axis)
    count *= graph_.is_number(s[axis]) ? static_cast<std::size_t>(graph_.number(s[axis])) : 0;
  return count;
}

final_outputs::made_output final_outputs::made_in(std::size_t output) const {
  const int id = graph_.outputs[output].node, base = plan_.base[id];
  const std::size_t count = count_of(id);
  if (count == 0 || graph_.at(id).type != element::f32) return {};
  const node& n = graph_.at(base);
  if (n.kind == op::stack) {
    const region_entry& r = graph_.region(n.region);
    if (r.parent != 0 || r.is_scan() || n.settings.time.axis != 0)
      return {loop_of(graph_, plan_, n.region), output, 0, count};
    // The step that makes it writes it to its place at once, or another step copies it there.
    const int each = plan_.base[graph_.operand(base, 0)];
    const int step = step_of(plan_, plan_.places[each].where == lies::each_pass ? each : base);
    return {step, output, n.region, count / static_cast<std::size_t>(r.count)};
  }
  return {n.region != 0 ? loop_of(graph_, plan_, n.region) : step_of(plan_, base), output, 0, count};
}

void final_outputs::add_steps(int first, int last, std::int64_t pass) {
  for (int i = first; i < last; ++i) {
    const step& s = plan_.steps[i];
    if (s.kind == step_kind::loop_begin) {
      const region_entry& r = graph_.region(s.node);
      const std::int64_t passes = r.parent == 0 && !r.is_scan() ? std::int64_t{r.count} : 0;
      for (std::int64_t p = 0; p < passes; ++p) add_steps(i + 1, s.first, r.reversed ? passes - 1 - p : p);
    }
    for (const made_output& made : made_[static_cast<std::size_t>(i)])
      parts_.push_back(
          {made.output, made.region == 0 ? 0 : static_cast<std::size_t>(pass) * made.count, made.count});
    if (s.kind == step_kind::loop_begin) i = s.first;
  }
}

void final_outputs::after(const context& c, int i) {
  for (const made_output& made : made_[static_cast<std::size_t>(i)]) {
    const std::size_t first =
        made.region == 0 ? 0 : static_cast<std::size_t>(c.times[made.region]) * made.count;
    watcher_->take(next_++, c.value(graph_.outputs[made.output].node) + first);
  }
  watcher_->after_step();
}

} // namespace fovea::core::simd
