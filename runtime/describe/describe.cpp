#include <fovea/runtime/describe/describe.hpp>

#include <fovea/base/error.hpp>
#include <fovea/dsl/graph_text.hpp>
#include <fovea/dsl/passes/unused.hpp>
#include <fovea/runtime/describe/labels.hpp>
#include <fovea/runtime/describe/receptive_field.hpp>
#include <fovea/runtime/describe/table.hpp>

namespace fovea::core {
namespace {

/// Looks sizes up by symbol.
struct sizes_given {
  std::span<const dim_size> sizes;
  const char* model;

  std::int64_t operator()(const char* symbol) const {
    for (const dim_size& s : sizes)
      if (s.symbol.is_symbol() && same_text(s.symbol.name(), symbol)) return s.size;
    throw error(std::string(model) + ": describe: the dim " + symbol + " of the model has no size");
  }
};

/// A list of what no output depends on; nothing where all is used.
void print_unused(const graph_view& g, std::ostream& out) {
  const detail::unused_nodes unused(g);
  const char* heading = "\nNo output depends on:\n";
  for (int id = 0; id < g.node_count(); ++id) {
    if (!unused.contains(id)) continue;
    out << heading << "  " << detail::place_text(g, id) << '\n';
    heading = "";
  }
}

} // namespace

std::vector<described_node> described(const graph_view& g, const char* name, std::span<const dim_size> sizes,
                                      const dim& time) {
  const sizes_given size_of{sizes, name};
  const std::vector<receptive_field> fields = receptive_fields(g, time);
  const auto field_of = [&](int id) { return fields[static_cast<std::size_t>(id)].text(); };
  const auto uses = detail::first_uses(g);
  std::vector<described_node> rows;
  const auto add_all = [&](const char* word, std::span<const named_value> all) {
    for (const named_value& one : all)
      rows.push_back({.operation = word,
                      .name = one.name,
                      .shape = detail::shape_text(g, g.at(one.node).shape),
                      .field = field_of(one.node)});
  };
  add_all("input", g.inputs);
  std::vector<bool> opened(g.regions.size());
  opened[0] = true;
  for (int id = 0; id < g.node_count(); ++id) {
    const node& n = g.at(id);
    if (!detail::is_shown(n.kind)) continue;
    std::vector<int> around; // the regions around it, the innermost first
    for (int r = n.region; r != 0; r = g.region(r).parent) around.push_back(r);
    for (std::size_t k = around.size(); k-- > 0;) {
      const auto r = static_cast<std::size_t>(around[k]);
      if (opened[r]) continue;
      opened[r] = true;
      rows.push_back({.depth = static_cast<int>(around.size() - 1 - k),
                      .operation = loop_text(g, g.region(around[k])).text});
    }
    described_node row{.depth = static_cast<int>(around.size()),
                       .operation = word_of(n.kind),
                       .name = detail::common_name(g, uses[static_cast<std::size_t>(id)]),
                       .shape = detail::shape_text(g, n.shape),
                       .flops = count_flops_of(g, id, size_of),
                       .field = field_of(id)};
    for (const int parameter : uses[static_cast<std::size_t>(id)]) {
      const int from = g.parameters[static_cast<std::size_t>(parameter)].node;
      row.parameters += extent_of(g, g.at(from).shape).factor * g.layers(from);
    }
    rows.push_back(row);
  }
  add_all("output", g.outputs);
  return rows;
}

void describe(const graph_view& g, const char* name, std::span<const dim_size> sizes, const dim& time,
              std::ostream& out) {
  const std::vector<described_node> rows = described(g, name, sizes, time);
  sentence along;
  along << time;
  detail::table text({false, false, false, true, true, true});
  text.add({"operation", "name", "shape", "parameters", "FLOPs", std::string("sees of ") + along.text});
  std::int64_t flops = 0;
  for (const described_node& row : rows) {
    flops += row.flops;
    text.add({std::string(2 * static_cast<std::size_t>(row.depth), ' ') + row.operation, row.name, row.shape,
              row.parameters == 0 ? "" : detail::grouped(row.parameters),
              row.flops == 0 ? "" : detail::rounded(static_cast<double>(row.flops)), row.field});
  }
  out << name << ": " << detail::grouped(count_parameters(g)) << " parameters, "
      << detail::rounded(static_cast<double>(flops), "FLOPs") << " at";
  const char* comma = " ";
  for (const dim_size& s : sizes) {
    sentence symbol;
    symbol << s.symbol;
    out << comma << symbol.text << " = " << s.size;
    comma = ", ";
  }
  out << "\n\n";
  text.print(out);
  print_unused(g, out);
}

} // namespace fovea::core
