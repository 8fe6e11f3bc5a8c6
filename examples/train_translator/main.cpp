// Trains encoder-decoders with attention on lines of the user's and their translations.

#include "arguments.hpp"

#include <program/program.hpp>

#include <map>

namespace {

using namespace train_translator;

const std::map<std::string, void (*)(const arguments&)> models{
    {"bahdanau", run_bahdanau}, {"luong", run_luong}, {"transformer", run_transformer}};

void declare(CLI::App& app, arguments& a) {
  app.add_option("SOURCE", a.source, "Lines of the language to translate from")->required();
  app.add_option("TARGET", a.target, "The same lines translated")->required();
  app.add_option("--model", a.model, "bahdanau, luong or transformer, of the sizes that `translate` has")
      ->capture_default_str()
      ->check(CLI::IsMember(models));
  training::declare(app, a.how);
  app.add_option("--held-out", a.held_out, "Two other files of lines to hold out")->expected(2);
  app.add_option("--validation", a.validation, "Without them: the share at the files' end that is held out")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 0.9));
  app.add_option("--longest", a.longest, "Pairs with a line of more words are left out")
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  app.add_option("--schedule", a.schedule, "How the rate falls: cosine, noam or constant")
      ->capture_default_str()
      ->check(CLI::IsMember({"cosine", "noam", "constant"}));
  app.add_option("--warmup", a.warmup, "Steps in which the rate rises")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  app.add_option("--clip", a.clip, "The largest norm of the gradients; 0: any")->capture_default_str();
  app.add_option("--samples", a.samples, "Held-out lines to translate at the end")->capture_default_str();
}

void run(const arguments& a) { models.at(a.model)(a); }

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("train_translator",
                                 "Trains encoder-decoders with attention on lines and their translations.",
                                 count, words, declare, run);
}
