// A run of train_gpt, ended in every way that it can be ended.

#include "../file_content.hpp"
#include "../weights/temporary_folder.hpp"
#include "child_process.hpp"

#include <fovea/weights/safetensors.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <thread>

namespace {

namespace fs = std::filesystem;

/// A text of some words in an order that is hard to guess.
std::string some_text() {
  std::mt19937 random(3);
  const char* words[] = {"the", "rain", "in", "Spain", "stays", "mainly", "plain", "and", "again,"};
  std::string text;
  while (text.size() < 3000) text += words[random() % 9] + std::string(random() % 7 == 0 ? "\n" : " ");
  return text;
}

struct runs {
  temporary_folder folder;
  fs::path text = folder.write("text.txt", some_text());

  std::vector<std::string> command(const std::string& out, std::vector<std::string> more) const {
    std::vector<std::string> words{FOVEA_TRAIN_GPT, text.string(),           "--size",    "tiny",
                                   "--out",         (folder / out).string(), "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  int run(const std::string& out, const std::vector<std::string>& more) const {
    return child_process(command(out, more), folder / "output").wait();
  }
  std::string output() const { return content(folder / "output"); }
};

using bytes = std::map<std::string, std::vector<std::byte>>;
bytes tensors_of(const fs::path& file) {
  const fovea::core::safetensors_file opened(file);
  bytes all;
  for (const auto& [name, tensor] : opened.tensors()) all[name] = {tensor.bytes.begin(), tensor.bytes.end()};
  return all;
}

/// The log without what depends on the clock.
std::string timeless_log(const fs::path& folder) {
  std::istringstream in(content(folder / "log.csv"));
  std::string kept;
  for (std::string line; std::getline(in, line);) {
    for (int i = 0; i < 2; ++i) line.resize(std::min(line.rfind(','), line.size()));
    kept += line + "\n";
  }
  return kept;
}

const std::vector<std::string> usual{"--steps",     "400", "--save-every",     "15", "--batch",  "4",
                                     "--log-every", "7",   "--evaluate-every", "40", "--length", "0"};

/// Kills a run again and again, each time as it enters or leaves a system call that is drawn by chance: of
/// all that it leaves behind, only these change anything. What comes of it is what comes of a run that was
/// left alone.
void kill_at_random(int kills) {
  const runs r;
  const auto followed = [&](const char* out, const std::vector<std::string>& more) {
    return std::make_unique<child_process>(r.command(out, more), r.folder / "output",
                                           child_process::kind::followed);
  };
  const auto whole = followed("whole", usual);
  const std::size_t calls = whole->follow(std::numeric_limits<std::size_t>::max());
  REQUIRE(whole->wait() == 0);
  const auto check_same = [&] {
    for (const char* file : {"checkpoint.safetensors", "weights.safetensors"})
      CHECK(tensors_of(r.folder / "whole" / file) == tensors_of(r.folder / "killed" / file));
    CHECK(timeless_log(r.folder / "whole") == timeless_log(r.folder / "killed"));
  };

  std::vector<std::string> resumed = usual;
  resumed.emplace_back("--resume");
  std::mt19937_64 random(11);
  for (int killed = 0; killed < kills;) {
    const auto one = followed("killed", resumed);
    // A run that begins anew makes more than half of the calls: it is killed.
    const std::size_t until = std::uniform_int_distribution<std::size_t>(1, calls / 2)(random);
    if (one->follow(until) == until) {
      one->end(SIGKILL);
      CHECK(one->wait() == -SIGKILL);
      ++killed;
      continue;
    }
    const int status = one->wait();
    INFO(r.output());
    REQUIRE(status == 0); // it was done before; the next one begins anew
    check_same();
    fs::remove_all(r.folder / "killed");
  }
  REQUIRE(r.run("killed", resumed) == 0);
  check_same();
}

} // namespace

TEST_CASE("a run that was killed goes on to the same numbers", "[train_gpt]") { kill_at_random(20); }
TEST_CASE("a run that was killed 200 times goes on to the same numbers", "[.full]") { kill_at_random(200); }

TEST_CASE("a run that is asked to end saves and says so in one line", "[train_gpt]") {
  const runs r;
  std::vector<std::string> long_run = usual, resumed = usual;
  long_run[1] = "100000000";
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string out = "ended" + std::to_string(signal);
    child_process one(r.command(out, long_run), r.folder / "output");
    while (!fs::exists(r.folder / out / "checkpoint.safetensors") && one.is_running())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    one.end(signal);
    CHECK(one.wait() == -signal);
    const std::string said = r.output();
    const std::size_t at = said.find("train_gpt: stopped after step ");
    REQUIRE(at != std::string::npos);
    CHECK(said.find('\n', at) == said.size() - 1);
    const std::string step = said.substr(at + 30, said.find(';', at) - at - 30);
    CHECK(fovea::core::safetensors_file(r.folder / out / "checkpoint.safetensors").metadata().at("step") ==
          step);
  }
}

TEST_CASE("a run in bfloat16 goes on in bfloat16 alone", "[train_gpt]") {
  const runs r;
  std::vector<std::string> half = usual, whole = usual;
  for (auto* words : {&half, &whole}) words->insert(words->end(), {"--products", "bf16"});
  half[1] = "30", whole[1] = "45";
  REQUIRE(r.run("rounded", half) == 0);
  half.back() = "f32";
  REQUIRE(r.run("plain", half) == 0);
  CHECK(timeless_log(r.folder / "rounded") != timeless_log(r.folder / "plain"));
  CHECK(tensors_of(r.folder / "rounded" / "weights.safetensors").size() ==
        tensors_of(r.folder / "plain" / "weights.safetensors").size());

  std::vector<std::string> resumed = whole, other = whole;
  other.back() = "f32";
  for (auto* words : {&resumed, &other}) words->emplace_back("--resume");
  CHECK(r.run("rounded", other) == 2);
  CHECK_THAT(r.output(),
             Catch::Contains("is of a run with products bf16, which can't go on with products f32"));
  CHECK(r.run("rounded", resumed) == 0);
  whole.back() = "f16";
  CHECK(r.run("other", whole) == 2);
  CHECK_THAT(r.output(), Catch::Contains("--products"));
}

TEST_CASE("a loss that is not finite ends a run, and its checkpoint stays good", "[train_gpt]") {
  const runs r;
  const std::vector<std::string> wild{"--steps", "50",       "--rate", "1e38",         "--clip",
                                      "0",       "--length", "0",      "--save-every", "1"};
  CHECK(r.run("wild", wild) == 2);
  const std::string said = r.output();
  CHECK_THAT(said, Catch::Contains("train_gpt: train: at step ") && Catch::Contains("the loss is ") &&
                       Catch::Contains("the gradient of ") && Catch::Contains(" is not finite") &&
                       Catch::Contains("checkpoint.safetensors is of step "));
  const std::size_t at = said.find("train_gpt: train");
  CHECK(said.find('\n', at) == said.size() - 1);
  for (const auto& [name, values] : tensors_of(r.folder / "wild/checkpoint.safetensors"))
    for (std::size_t i = 0; i + 4 <= values.size(); i += 4) {
      float x;
      std::memcpy(&x, &values[i], 4);
      INFO(name);
      REQUIRE(std::isfinite(x));
    }
}

TEST_CASE("a run's folder holds one run", "[train_gpt]") {
  const runs r;
  REQUIRE(r.run("one", usual) == 0);
  for (const char* file : {"log.csv", "curves.svg", "tokenizer.json", "weights.safetensors"})
    CHECK(fs::file_size(r.folder / "one" / file) > 0);
  const std::string page = content(r.folder / "one" / "report.html");
  CHECK_THAT(page,
             Catch::Contains("<svg") && Catch::Contains("</svg>") && Catch::Contains("validation loss"));
  CHECK(page.find("http-equiv") == std::string::npos);

  CHECK(r.run("one", usual) == 2);
  CHECK_THAT(r.output(), Catch::Contains("--resume goes on with it"));
  std::vector<std::string> other = usual;
  other.insert(other.end(), {"--resume", "--seed", "9"});
  CHECK(r.run("one", other) == 2);
  CHECK_THAT(r.output(), Catch::Contains("is of a run with seed 1, which can't go on with seed 9"));

  // Writing needs nothing but the folder, and gives what the same seed gave.
  CHECK(r.run("one", {"--write", "--prompt", "the ", "--length", "30"}) == 0);
  const std::string first = r.output();
  CHECK(first.starts_with("the "));
  CHECK(first.size() == 35);
  CHECK(r.run("one", {"--write", "--prompt", "the ", "--length", "30"}) == 0);
  CHECK(r.output() == first);
}

#ifdef FOVEA_GENERATE_GPT_SMALL
TEST_CASE("generate goes on as what train_gpt trained", "[train_gpt][generate]") {
  const runs r;
  const std::string out = (r.folder / "small").string();
  const auto run = [&](const std::vector<std::string>& words) {
    REQUIRE(child_process(words, r.folder / "output").wait() == 0);
    return r.output();
  };
  run({FOVEA_TRAIN_GPT, r.text.string(), "--size", "small", "--out", out, "--threads", "1", "--steps", "20",
       "--batch", "2", "--length", "0"});
  const std::string written = run({FOVEA_TRAIN_GPT, "--size", "small", "--out", out, "--threads", "1",
                                   "--write", "--prompt", "the ", "--length", "30", "--temperature", "0"});
  const std::string generated =
      run({FOVEA_GENERATE_GPT_SMALL, "the ", "--weights", out + "/weights.safetensors", "--tokenizer",
           out + "/tokenizer.json", "--tokens", "30", "--temperature", "0"});
  CHECK(generated.starts_with(written));
  CHECK_THAT(generated, Catch::Contains(" tokens a second"));
}

TEST_CASE("generate goes on as the kept weights do where none are named", "[train_gpt][generate]") {
  const runs r;
  const auto line = [&](const char* seed) {
    REQUIRE(child_process({FOVEA_GENERATE_GPT_SMALL, "ROMEO:", "--tokens", "40", "--seed", seed},
                          r.folder / "output")
                .wait() == 0);
    return r.output().substr(0, 40);
  };
  const std::string text = line("1");
  CHECK(text.starts_with("ROMEO:\n"));
  CHECK(line("2") != text);
}
#endif

TEST_CASE("bad input to train_gpt is one line", "[train_gpt]") {
  const runs r;
  const auto refusal = [&](const std::vector<std::string>& words) {
    CHECK(child_process(words, r.folder / "output").wait() == 2);
    return r.output();
  };
  CHECK_THAT(refusal({FOVEA_TRAIN_GPT}), Catch::Contains("expected a text to learn from"));
  CHECK_THAT(refusal({FOVEA_TRAIN_GPT, (r.folder / "none.txt").string()}), Catch::Contains("none.txt"));
  const fs::path small = r.folder.write("small.txt", "too little");
  CHECK_THAT(refusal({FOVEA_TRAIN_GPT, small.string(), "--size", "tiny"}),
             Catch::Contains("expected a text of more than 16 tokens"));
  const fs::path broken = r.folder.write("broken.txt", "a\xff");
  CHECK_THAT(refusal({FOVEA_TRAIN_GPT, broken.string(), "--size", "tiny"}), Catch::Contains("broken.txt: "));
}
