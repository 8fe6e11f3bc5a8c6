// --profile and FOVEA_PROFILE in programs that fovea_add_executable makes.

#include "../examples/program_run.hpp"
#include "tiny.hpp"

#include <fovea/fovea.hpp>
#include <fovea/weights/save_weights.hpp>

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <filesystem>
#include <map>

using namespace fovea;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

struct place {
  temporary_folder folder;
  std::string weights = (folder / "weights.gguf").string();
  // Not in the folder: Windows gives variables in a code page, which lacks characters of its name.
  std::string trace = (std::filesystem::temp_directory_path() /
                       ("fovea-trace-" + std::to_string(core::system::process_number()) + ".json"))
                          .string();
  std::string texts = folder.write("texts.txt", "one two\nthree\n").string();

  template <class M>
  explicit place(const M& model) {
    save_weights<f32>(folder / "weights.gguf", model, initial_weights(model, 3));
  }
  ~place() { std::filesystem::remove(trace); }
  program_run run(const char* program, std::vector<std::string> more) const {
    more.insert(more.begin(), {program, "--weights", weights});
    return run_program(folder, more);
  }
  /// The events of the trace, but the first, which names the process.
  std::vector<json> events() const {
    const json all = json::parse(content(trace));
    REQUIRE(all.is_array());
    REQUIRE(all.at(0).at("ph") == "M");
    return {all.begin() + 1, all.end()};
  }
};

double begin_of(const json& event) { return event.at("ts").get<double>(); }
double end_of(const json& event) { return begin_of(event) + event.at("dur").get<double>(); }
bool is_call(const json& event) { return event.at("cat") == "call"; }

} // namespace

TEST_CASE("a trace has each call of a program with each of its steps inside", "[programs][profile]") {
  const place p(tiny::embed);
  const program_run plain = p.run(FOVEA_TINY_EMBED, {p.texts});
  CHECK_FALSE(std::filesystem::exists(p.trace));
  const program_variable set("FOVEA_PROFILE", p.trace);
  const program_run run = p.run(FOVEA_TINY_EMBED, {p.texts});
  CHECK(run.status == 0);
  CHECK(run.said == plain.said);
  const std::vector<json> events = p.events();
  std::size_t calls = 0;
  std::map<int, std::size_t> steps; // how often each ran
  for (const json& event : events) {
    INFO(event.dump());
    CHECK(event.at("ph") == "X");
    CHECK(event.at("pid") == 1);
    CHECK(event.at("tid") == 1);
    CHECK(begin_of(event) >= 0);
    CHECK(event.at("dur").get<double>() >= 0);
    if (is_call(event)) {
      ++calls;
      CHECK(event.at("name") == "tiny_embedder");
      CHECK_THAT(event.at("args").at("sizes").get<std::string>(), Contains("T = "));
      continue;
    }
    ++steps[event.at("args").at("step").get<int>()];
    int around = 0;
    for (const json& call : events)
      around += is_call(call) && begin_of(call) <= begin_of(event) && end_of(event) <= end_of(call) + 1e-6;
    CHECK(around == 1);
  }
  CHECK(calls >= 1);
  CHECK(steps.size() >= 3);
  for (const auto& [step, times] : steps) CHECK((times == calls || times == 2 * calls)); // of two layers
  const auto gathers = std::count_if(events.begin(), events.end(),
                                     [](const json& e) { return e.at("name") == "embedding words"; });
  CHECK(gathers == static_cast<std::ptrdiff_t>(calls));
}

TEST_CASE("a trace has the steps of a stream", "[programs][profile]") {
  const place p(tiny::generate);
  const program_variable set("FOVEA_PROFILE", p.trace);
  const program_run run = p.run(FOVEA_TINY_GENERATE, {"one", "--tokens", "3"});
  CHECK(run.status == 0);
  int calls = 0;
  for (const json& event : p.events()) calls += is_call(event);
  CHECK(calls >= 2);
}

TEST_CASE("a trace that cannot be written is one sentence, and the program does its work",
          "[programs][profile]") {
  const place p(tiny::embed);
  const std::string plain = p.run(FOVEA_TINY_EMBED, {p.texts}).said;
  const std::string nowhere = (p.folder / "none" / "trace.json").string();
  const program_variable set("FOVEA_PROFILE", nowhere);
  const program_run run = p.run(FOVEA_TINY_EMBED, {p.texts});
  CHECK(run.status == 0);
  CHECK(run.said == "FOVEA_PROFILE: " + nowhere + " cannot be written: No such file or directory\n" + plain);
}

TEST_CASE("--profile prints what each step took, beside the same answers", "[programs][profile]") {
  const place p(tiny::embed);
  const std::string plain = p.run(FOVEA_TINY_EMBED, {p.texts}).said;
  const program_run run = p.run(FOVEA_TINY_EMBED, {p.texts, "--profile"});
  CHECK(run.status == 0);
  CHECK(run.said.starts_with(plain));
  CHECK_THAT(run.said, Contains("tiny_embedder: "));
  CHECK_THAT(run.said, Contains("of limit"));
  CHECK_THAT(run.said, Contains("embedding words"));
  CHECK_THAT(p.run(FOVEA_TINY_EMBED, {"/none", "--profile"}).said, !Contains("of limit"));
}
