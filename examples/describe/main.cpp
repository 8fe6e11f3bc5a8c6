// Prints a model of the catalogue as a table, and draws its graph.

#include "catalogue.hpp"
#include "graphviz.hpp"

#include <program/program.hpp>

#include <fovea/base/error.hpp>
#include <fovea/runtime/describe/describe.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace describe_program;
using fovea::dim, fovea::dim_size;

struct arguments {
  std::string name, along, dot, svg;
  std::vector<std::string> sizes;
};

const catalogue_entry& entry_of(const std::string& name) {
  for (const catalogue_entry& e : catalogue())
    if (e.name == name) return e;
  throw fovea::error("the catalogue has no model \"" + name + "\"; without a name, its models are listed");
}

/// A model's symbols, in the order in which it names them.
std::vector<dim> symbols_of(const catalogue_entry& e) {
  std::vector<dim> symbols;
  for (const dim& d : e.graph.forms)
    if (d.is_symbol()) symbols.push_back(d);
  return symbols;
}

std::vector<dim_size> sizes_of(const catalogue_entry& e, const std::vector<std::string>& given) {
  std::vector<dim_size> sizes;
  for (const dim& symbol : symbols_of(e))
    sizes.push_back({symbol, std::string(symbol.name()) == "B" ? 1 : 128});
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    const std::string symbol = text.substr(0, equals);
    std::int64_t size = 0;
    const char *first = text.data() + std::min(text.size(), symbol.size() + 1),
               *last = text.data() + text.size();
    const auto [end, problem] = std::from_chars(first, last, size);
    if (equals == std::string::npos || problem != std::errc() || end != last || size < 1)
      throw fovea::error("--size " + text + ": expected a dim and a number of at least 1, as T=128");
    bool known = false;
    for (dim_size& s : sizes)
      if (s.symbol.name() == symbol) s.size = size, known = true;
    if (!known) throw fovea::error("--size " + text + ": " + e.name + " has no dim " + symbol);
  }
  return sizes;
}

/// Time: the dim asked for, or T, or the first but the batch.
dim time_of(const catalogue_entry& e, const std::string& asked) {
  const std::vector<dim> symbols = symbols_of(e);
  for (const dim& symbol : symbols)
    if (symbol.name() == (asked.empty() ? "T" : asked)) return symbol;
  if (!asked.empty()) throw fovea::error("--along " + asked + ": " + e.name + " has no such dim");
  for (const dim& symbol : symbols)
    if (std::string(symbol.name()) != "B") return symbol;
  return dim("T");
}

void write(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw fovea::error(file + ": cannot be written");
}

void run(const arguments& a) {
  if (a.name.empty()) {
    for (const catalogue_entry& e : catalogue()) program::print(fmt::format("{:<20} {}\n", e.name, e.about));
    return;
  }
  const catalogue_entry& e = entry_of(a.name);
  const std::vector<dim_size> sizes = sizes_of(e, a.sizes);
  describe(e.graph, e.name, sizes, time_of(e, a.along), std::cout);
  if (!std::cout.flush()) throw std::runtime_error("cannot write to the standard output");
  std::ostringstream graph;
  draw(e.graph, e.name, graph);
  if (!a.dot.empty()) write(a.dot, graph.str());
  if (!a.svg.empty()) draw_svg(graph.str(), a.svg);
}

void declare(CLI::App& app, arguments& a) {
  app.add_option("MODEL", a.name, "Its name; without one, the catalogue is listed");
  app.add_option("--size", a.sizes, "The size of a dim for the FLOPs, as T=128 (128, a batch of 1)")
      ->allow_extra_args(false);
  app.add_option("--along", a.along, "The dim whose steps are counted (T)");
  app.add_option("--dot", a.dot, "Write the graph in Graphviz's language to this file");
  app.add_option("--svg", a.svg, "Draw the graph to this file, by Graphviz");
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("describe",
                                 "Prints a model of the catalogue as a table, and draws its graph.", count,
                                 words, declare, run);
}
