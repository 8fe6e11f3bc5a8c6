// Goes on with texts as the model does that this program is compiled for (FOVEA_GENERATE_CONFIGURATION, a
// header of configurations/).

#include FOVEA_GENERATE_CONFIGURATION

#include <generate/generate.hpp>

#include <fovea/fovea.hpp>
#include <fovea/runtime/decoding/stream_reader.hpp>
#include <fovea/runtime/tokenizers/utf8.hpp>
#include <fovea/runtime/weights/expect_metadata.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <stdexcept>

namespace {

using namespace generate_program;
using namespace fovea;

constexpr int bad_input = 2;

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw std::runtime_error("the output can't be written");
}

void run(const arguments& a, const configuration& c) {
  const tokenizer words = load_tokenizer(a.tokenizer);
  const weights trained = load_weights(a.weights);
  expect_metadata(trained, c.metadata);
  auto live =
      stream<"T">(declared, trained, {.capacity = {{"B", 1}, {"T", c.context}}, .threads = a.threads});
  stream_reader model(live, [](auto& s, const auto& ids) { return s.step("tokens"_in = ids)["logits"_out]; });
  const pace measured = write_texts(model, words, a, c, print);
  if (measured.tokens > 0)
    fmt::print(stderr, "{:.0f} tokens a second\n", static_cast<double>(measured.tokens) / measured.seconds);
}

int fail(const std::string& problem, int status) {
  fmt::print(stderr, "generate_{}: {}\n", configured().name, utf8_or_replacement(problem));
  return status;
}

} // namespace

int main(int count, char** words) {
  try {
    const configuration c = configured();
    if (const auto a = parse(c, count, words)) run(*a, c);
  } catch (const error& problem) {
    return fail(problem.what(), bad_input);
  } catch (const std::exception& problem) {
    return fail(problem.what(), 1);
  }
}
