#include <fovea/runtime/describe/explain.hpp>

#include <fovea/backends/simd/engine.hpp>
#include <fovea/backends/simd/step_cost.hpp>
#include <fovea/backends/simd/step_text.hpp>
#include <fovea/dsl/plan/cost.hpp>
#include <fovea/runtime/describe/table.hpp>

namespace fovea::core {
namespace {

bool is_output(const simd::net_view& net, int base) {
  for (const named_value& out : net.graph->outputs)
    if (net.plan->base[out.node] == base) return true;
  return false;
}

explained_result result_of(const simd::net_view& net, const pieces& arena, simd::dim_values sizes, int id) {
  const auto size = [sizes](int d) { return sizes[static_cast<std::size_t>(d)]; };
  const int base = net.plan->base[id];
  const place& p = net.plan->places[base];
  explained_result made{.bytes = 4 * detail::elements(net.graph->at(id).shape, size),
                        .is_output = is_output(net, base)};
  if (p.in_slot())
    made.offset = static_cast<std::int64_t>(arena.before(static_cast<std::size_t>(p.index)) * sizeof(float));
  return made;
}

explained_step explained_step_of(const simd::net_view& net, simd::dim_values sizes, int i) {
  const simd::step_cost cost = simd::cost_of(net, i, sizes);
  explained_step made{.step = i,
                      .text = simd::text_of(net, i).text,
                      .kernel = simd::kernel_of(net, i),
                      .sizes = simd::sizes_of(net, i, sizes).text,
                      .passes = cost.passes,
                      .flops = cost.flops,
                      .parameter_bytes = cost.parameter_bytes,
                      .value_bytes = cost.value_bytes};
  if (cost.parameter_bytes > 0) made.weights = name_of(simd::format_of(net, i));
  return made;
}

std::string text_of(const std::vector<explained_result>& results) {
  if (results.empty()) return {};
  std::int64_t bytes = 0;
  for (const explained_result& one : results) bytes += one.bytes;
  std::string text = results[0].offset < 0 ? "kept" : detail::grouped(results[0].offset);
  text += " + " + detail::grouped(bytes);
  return results[0].is_output ? text + ", output" : text;
}

std::string count_text(std::int64_t number) {
  return number == 0 ? "" : detail::rounded(static_cast<double>(number));
}

/// Of the lines of a scan that is one function: none of its steps.
int last_inside(const simd::net_view& net, int i) {
  return net.is_small_scan(i) ? net.plan->steps[i].first : i;
}

} // namespace

namespace detail {

explanation explained(const simd::net_view& net, const pieces& arena, simd::dim_values sizes) {
  explanation made{.model = net.name,
                   .sizes = simd::sizes_of_call(net, sizes).text,
                   .set = net.weights->kernels.set.name,
                   .threads = net.threads,
                   .arena_bytes = static_cast<std::int64_t>(arena.size() * sizeof(float))};
  int depth = 0;
  for (int i = 0; i < net.plan->step_count; i = last_inside(net, i) + 1) {
    const step& s = net.plan->steps[i];
    if (s.kind == step_kind::loop_end) {
      --depth;
      continue;
    }
    explained_step one = explained_step_of(net, sizes, i);
    one.depth = depth;
    if (s.kind == step_kind::loop_begin) {
      depth += !net.is_small_scan(i);
      if (net.is_small_scan(i)) { // what it stacks
        const region_entry& r = net.graph->region(s.node);
        for (int id = r.first; id < r.last; ++id)
          if (net.graph->at(id).kind == op::stack && net.plan->live[id])
            one.results.push_back(result_of(net, arena, sizes, id));
      }
    } else {
      for (int k = 0; k < net.parts_of(s); ++k)
        one.results.push_back(
            result_of(net, arena, sizes, s.has_parts() ? net.plan->parts[s.first + k] : s.node));
    }
    made.steps.push_back(std::move(one));
  }
  return made;
}

} // namespace detail

std::int64_t explanation::flops() const {
  std::int64_t all = 0;
  for (const explained_step& s : steps) all += s.passes * s.flops;
  return all;
}

std::int64_t explanation::bytes() const {
  std::int64_t all = 0;
  for (const explained_step& s : steps) all += s.passes * (s.parameter_bytes + s.value_bytes);
  return all;
}

std::ostream& operator<<(std::ostream& out, const explanation& e) {
  out << e.model;
  if (!e.sizes.empty()) out << " at " << e.sizes;
  out << ": " << detail::rounded(static_cast<double>(e.flops()), "FLOPs") << ", "
      << detail::rounded(static_cast<double>(e.bytes()), "B") << " read and written, arena "
      << detail::grouped(e.arena_bytes) << " bytes, " << e.set << ", "
      << (e.threads == 1 ? "1 thread" : std::to_string(e.threads) + " threads") << "\n\n";
  detail::table text({true, false, false, false, false, true, true, true, false});
  text.add({"step", "computes", "kernel", "weights", "sizes", "passes", "FLOPs", "bytes", "result"});
  for (const explained_step& s : e.steps)
    text.add({std::to_string(s.step), std::string(2 * static_cast<std::size_t>(s.depth), ' ') + s.text,
              s.kernel, s.weights, s.sizes, std::to_string(s.passes), count_text(s.flops),
              count_text(s.parameter_bytes + s.value_bytes), text_of(s.results)});
  text.print(out);
  return out;
}

std::ostream& operator<<(std::ostream& out, const stream_explanation& e) {
  if (!e.begin.steps.empty()) out << "Once before the first step:\n" << e.begin << "\nIn each step:\n";
  out << e.step;
  if (e.has_single_position) out << "\nA single position takes one function in place of these steps.\n";
  return out;
}

} // namespace fovea::core
