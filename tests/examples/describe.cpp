#include <describe/catalogue.hpp>
#include <describe/graphviz.hpp>

#include <fovea/base/error.hpp>
#include <fovea/runtime/describe/describe.hpp>
#include <fovea/runtime/describe/receptive_field.hpp>

#include "../file_content.hpp"
#include "../weights/temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <map>
#include <sstream>

using namespace describe_program;
using namespace fovea;
using namespace fovea::core;

TEST_CASE("each model of the catalogue is described, and sees what its paper says", "[describe]") {
  std::map<std::string, std::string> seen;
  for (const catalogue_entry& e : catalogue()) {
    INFO(e.name);
    std::vector<dim_size> sizes;
    for (const dim& d : e.graph.forms)
      if (d.is_symbol()) sizes.push_back({d, 2});
    std::ostringstream table, graph;
    describe(e.graph, e.name, sizes, dim("T"), table);
    draw(e.graph, e.name, graph);
    CHECK(table.str().find("\noutput") != std::string::npos);
    CHECK(graph.str().starts_with("digraph"));
    const auto fields = receptive_fields(e.graph, dim("T"));
    const int last = e.graph.outputs[e.graph.outputs.size() - 1].node;
    CHECK(seen.emplace(e.name, fields[static_cast<std::size_t>(last)].text()).second);
  }
  CHECK(seen["gpt2"] == "all past");
  CHECK(seen["minilm"] == "all");
  CHECK(seen["bahdanau"] == "all past");
  CHECK(seen["transformer"] == "all past");
  CHECK(seen["rnn_tagger"] == "all");
  CHECK(seen["tcn"] == "3061"); // 1 + 2 (7 - 1) (2^8 - 1)
  CHECK(seen["wavenet"] == "1024");
  CHECK(seen["sagan"] == "-");
  for (const char* name : {"t5", "mamba", "rwkv4", "rwkv7", "silero_vad"}) CHECK(seen[name] == "all past");
}

TEST_CASE("Graphviz draws, or is missed in one sentence", "[describe]") {
  const temporary_folder folder;
  const auto svg = folder / "graph.svg";
  draw_svg("digraph { a -> b }", svg);
  CHECK(content(svg).find("<svg") != std::string::npos);
  CHECK_THROWS_WITH(draw_svg("digraph {", folder / "broken.svg"),
                    "cannot draw " + (folder / "broken.svg").string() + ": Graphviz's program dot failed");

  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  CHECK_THROWS_WITH(
      draw_svg("digraph {}", "graph.svg"),
      "cannot draw graph.svg: Graphviz's program dot was not found (No such file or directory); "
      "install Graphviz, or write the graph itself with --dot");
  setenv("PATH", path.c_str(), 1);
}
