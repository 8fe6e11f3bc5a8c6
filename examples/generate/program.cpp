// Goes on with texts as the model does that this program is compiled for (FOVEA_GENERATE_CONFIGURATION, a
// header of configurations/), its weights in FOVEA_GENERATE_FORMAT.

#include FOVEA_GENERATE_CONFIGURATION

#include <generate/generate.hpp>
#include <generate/named_format.hpp>
#include <program/program.hpp>
#include <program/text.hpp>

#include <fovea/fovea.hpp>
#include <fovea/runtime/decoding/stream_reader.hpp>
#include <fovea/weights/expect_metadata.hpp>

#include <fmt/format.h>

namespace {

using namespace generate_program;
using namespace fovea;

void run(const arguments& given) {
  const configuration c = configured();
  const arguments a = completed(given, c.learned);
  const tokenizer words = load_tokenizer(a.tokenizer);
  const model_weights trained = load_weights(a.weights);
  expect_metadata(trained, c.metadata);
  auto live = stream<"T", named_format<FOVEA_GENERATE_FORMAT>>(
      last<"T">(declared), trained, {.capacity = {{"B", 1}, {"T", c.context}}, .threads = a.threads});
  stream_reader model(live, [](auto& s, const auto& ids) { return s.step("tokens"_in = ids)["logits"_out]; });
  const pace measured =
      write_texts(model, words, a, c, [](std::string_view text) { program::print(std::string(text)); });
  if (measured.tokens > 0)
    fmt::print(stderr, "{:.0f} tokens a second\n", static_cast<double>(measured.tokens) / measured.seconds);
}

} // namespace

int main(int count, char** words) {
  const std::string name = configured().name;
  return program::run<arguments>(
      "generate_" FOVEA_GENERATE_NAME,
      ("Goes on with texts as " + name + " does, and prints each token as it comes.").c_str(), count, words,
      declare, run);
}
