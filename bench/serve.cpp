// Texts of stories260K written as rows of one batch, without a server: what serve.py compares one with.
//
//     serve --model DIR [--rows N] [--tokens N] [--threads N] [--json FILE]

#include "measure.hpp"
#include "program.hpp"
#include <compiled_serve_stories260K.hpp>
#include <ctime>
#include <fovea/decoding.hpp>
#include <fovea/tokenizers.hpp>
#include <string>

using namespace fovea;
using namespace fovea::core;

namespace {

struct arguments {
  std::string folder, prompt = "Once upon a time";
  std::size_t rows = 8, tokens = 128;
};

void measure(const arguments& a, bench::report& report) {
  const tokenizer words = load_tokenizer(a.folder + "/tok512.bin");
  auto live = compiled_serve_stories260K::stream(
      load_weights(a.folder + "/stories260K.bin"),
      {.capacity = {{"B", static_cast<std::int64_t>(a.rows)}, {"T", 512}}, .threads = report.threads});
  stream_reader reader(
      live, [](auto& stream, const auto& ids) { return stream.step("tokens"_in = ids)["logits"_out]; });
  const token_ids prompt = words.encode(a.prompt).ids;
  sampling_options how{.samples = a.rows};
  std::size_t batches = 0;
  const std::clock_t begun = std::clock();
  const bench::timings times = bench::times_us(20, [&] {
    how.seed = ++batches;
    sample(reader, prompt, how, {.max_tokens = a.tokens});
  });
  const double worked = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
  const auto tokens = static_cast<double>(a.rows * a.tokens);
  const std::string shape = std::to_string(a.rows) + "x" + std::to_string(a.tokens);
  report.add("serve/stories260K/batch/" + shape, times);
  report.note("tokens_per_second", tokens / times.median() * 1e6);
  report.note("tokens_per_processor_second", tokens * static_cast<double>(batches) / worked);
}

} // namespace

int main(int count, char** words) {
  arguments a;
  return bench::run(
      "Times texts that are written as rows of one batch.", count, words,
      [&](bench::report& report) { measure(a, report); },
      [&](CLI::App& app) {
        app.add_option("--model", a.folder, "Folder of stories260K.bin and tok512.bin")->required();
        app.add_option("--rows", a.rows, "Texts")->check(CLI::Range(1, 1024));
        app.add_option("--tokens", a.tokens, "Tokens of each")->check(CLI::Range(1, 500));
        app.add_option("--prompt", a.prompt, "What they begin with");
      });
}
