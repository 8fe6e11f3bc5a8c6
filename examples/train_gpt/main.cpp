// Trains a GPT on a text of the user's, and writes more like it.

#include "gpt.hpp"

#include <program/program.hpp>

namespace {

using namespace train_gpt;

void declare(CLI::App& app, arguments& a) {
  app.add_option("TEXT", a.data, "A UTF-8 text; or a .bin file of 16-bit tokens");
  app.add_option("--size", a.size,
                 "tiny, small (4 layers, 4 heads, 128 wide, context 64) or large (6, 6, 384, 256)")
      ->capture_default_str()
      ->check(CLI::IsMember({"tiny", "small", "large"}));
  app.add_option("--tokenizer", a.tokenizer,
                 "tokenizer.json or what else fovea::load_tokenizer opens; without: by characters");
  training::declare(app, a.how);
  app.add_option("--validation", a.validation, "The share at the text's end that is held out")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 0.999));
  app.add_option("--warmup", a.warmup, "Steps in which the rate rises")->capture_default_str();
  app.add_option("--floor", a.floor, "What the rate falls to, of --rate")->capture_default_str();
  app.add_option("--decay", a.decay, "AdamW's weight decay, of matrices")->capture_default_str();
  app.add_option("--beta2", a.beta2, "AdamW's")->capture_default_str();
  app.add_option("--clip", a.clip, "The largest norm of the gradients; 0: any")->capture_default_str();
  app.add_flag("--write", a.write, "Learn nothing: write by what is in --out");
  app.add_option("--prompt", a.prompt, "What the sample begins with");
  app.add_option("--length", a.length, "Tokens of the sample")->capture_default_str();
  app.add_option("--temperature", a.sampling.temperature, "Of the sample; 0: always the most likely token")
      ->capture_default_str();
  app.add_option("--top-k", a.sampling.top_k, "Only the k most likely tokens; 0: all")->capture_default_str();
  app.add_option("--top-p", a.sampling.top_p, "Only the most likely tokens that sum to p")
      ->capture_default_str();
}

void run(const arguments& given) {
  arguments a = given;
  a.sampling.seed = a.how.seed;
  if (a.data.empty() && !a.write)
    throw fovea::error("expected a text to learn from (--help lists the options)");
  (a.size == "tiny" ? run_tiny : a.size == "small" ? run_small : run_large)(a);
}

} // namespace

int main(int count, char** words) {
  return program::run<arguments>("train_gpt", "Trains a GPT on a text, and writes more like it.", count,
                                 words, declare, run);
}
