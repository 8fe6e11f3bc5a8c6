#include <fovea/backends/simd/explain.hpp>

#include <utility>

#include <fovea/backends/explanation.hpp>

#include <fovea/backends/pieces.hpp>
#include <fovea/backends/simd/engine.hpp>
#include <fovea/backends/simd/step_cost.hpp>
#include <fovea/backends/simd/step_text.hpp>
#include <fovea/dsl/plan/cost.hpp>

namespace fovea::core::simd {
namespace {

bool is_output(const net_view& net, int base) {
  for (const named_value& out : net.graph->outputs)
    if (net.plan->base[out.node] == base) return true;
  return false;
}

explained_result result_of(const net_view& net, const pieces& arena, dim_values sizes, int id) {
  const auto size = [sizes](int d) { return sizes[static_cast<std::size_t>(d)]; };
  const int base = net.plan->base[id];
  const place& p = net.plan->places[base];
  explained_result made{.bytes = 4 * core::detail::elements(net.graph->at(id).shape, size),
                        .is_output = is_output(net, base)};
  if (p.in_slot())
    made.offset = static_cast<std::int64_t>(arena.before(static_cast<std::size_t>(p.index)) * sizeof(float));
  return made;
}

explained_step explained_step_of(const net_view& net, dim_values sizes, int i) {
  const step_cost cost = cost_of(net, i, sizes);
  explained_step made{.step = i,
                      .text = text_of(net, i).text,
                      .kernel = kernel_of(net, i, sizes),
                      .sizes = sizes_of(net, i, sizes).text,
                      .passes = cost.passes,
                      .flops = cost.flops,
                      .parameter_bytes = cost.parameter_bytes,
                      .value_bytes = cost.value_bytes};
  if (cost.parameter_bytes > 0) made.weights = core::name_of(format_of(net, i));
  return made;
}

/// The nodes whose values a step leaves; of a scan of one function what it stacks.
std::vector<int> made_by(const net_view& net, int i) {
  const step& s = net.plan->steps[i];
  std::vector<int> made;
  if (net.is_small_scan(i)) {
    const region_entry& r = net.graph->region(s.node);
    for (int id = r.first; id < r.last; ++id)
      if (net.graph->at(id).kind == op::stack && net.plan->live[id]) made.push_back(id);
  } else if (s.has_parts()) {
    made.assign(net.plan->parts + s.first, net.plan->parts + s.first + s.count);
  } else if (s.kind != step_kind::loop_begin) {
    made.push_back(s.node);
  }
  return made;
}

} // namespace

void explain(const net_view& net, const pieces& arena, dim_values sizes, explanation& made) {
  made = {.model = net.name,
          .sizes = sizes_of_call(net, sizes).text,
          .set = net.weights->kernels.set.name,
          .threads = net.threads,
          .arena_bytes = static_cast<std::int64_t>(arena.size() * sizeof(float))};
  int depth = 0;
  for (int i = 0; i < net.plan->step_count; i = net.after(i)) {
    const step& s = net.plan->steps[i];
    if (s.kind == step_kind::loop_end) {
      --depth;
      continue;
    }
    explained_step one = explained_step_of(net, sizes, i);
    one.depth = depth;
    for (const int id : made_by(net, i)) one.results.push_back(result_of(net, arena, sizes, id));
    if (s.kind == step_kind::loop_begin && !net.is_small_scan(i)) ++depth;
    made.steps.push_back(std::move(one));
  }
}

} // namespace fovea::core::simd
