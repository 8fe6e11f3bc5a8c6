#include <fovea/runtime/describe/describe.hpp>

#include <fovea/base/error.hpp>
#include <fovea/dsl/passes/unused.hpp>
#include <fovea/runtime/describe/labels.hpp>
#include <fovea/runtime/describe/receptive_field.hpp>

#include <algorithm>
#include <array>
#include <iomanip>
#include <sstream>

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

/// "1,234,567"
std::string grouped(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

/// With three digits and a unit: "1.23 M".
std::string rounded(std::int64_t count) {
  static constexpr std::array<const char*, 6> units{"", " k", " M", " G", " T", " P"};
  auto value = static_cast<double>(count);
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < units.size(); ++unit) value /= 1000;
  std::ostringstream text;
  text << std::fixed
       << std::setprecision(unit == 0 || value >= 99.95 ? 0
                            : value >= 9.995            ? 1
                                                        : 2)
       << value << units[unit];
  return text.str();
}

/// Columns in characters, which is what terminals align: code points here.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

class table {
public:
  using row = std::array<std::string, 6>;
  static constexpr std::array<bool, 6> to_the_right{false, false, false, true, true, true};

  void add(row cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], width_of(cells[i]));
    rows_.push_back(std::move(cells));
  }
  void print(std::ostream& out) const {
    for (const row& cells : rows_) {
      std::string line;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string space(widths_[i] - width_of(cells[i]), ' ');
        line += to_the_right[i] ? space + cells[i] : cells[i] + space;
        line += "  ";
      }
      line.resize(line.find_last_not_of(' ') + 1);
      out << line << '\n';
    }
  }

private:
  std::array<std::size_t, 6> widths_{};
  std::vector<row> rows_;
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
                      .operation = detail::region_text(g.region(around[k]), g)});
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
  table text;
  text.add({"operation", "name", "shape", "parameters", "FLOPs", std::string("sees of ") + along.text});
  std::int64_t flops = 0;
  for (const described_node& row : rows) {
    flops += row.flops;
    text.add({std::string(2 * static_cast<std::size_t>(row.depth), ' ') + row.operation, row.name, row.shape,
              row.parameters == 0 ? "" : grouped(row.parameters), row.flops == 0 ? "" : rounded(row.flops),
              row.field});
  }
  out << name << ": " << grouped(count_parameters(g)) << " parameters, " << rounded(flops) << "FLOPs at";
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
