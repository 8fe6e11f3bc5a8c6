#include "learn_words.hpp"

#include <char_lm/speller.hpp>
#include <trained/folder.hpp>

#include <fovea/runtime/tokenizers/save_tokenizer.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace train_lm {

using namespace fovea;
using char_lm_program::sizes;
using char_lm_program::spelt;

namespace {

const auto& loss_model = models::char_lm_window_loss<sizes>;
static_assert(sizes.vocab == most_words);

/// What is no character is nothing to the filters, and highways carry at first (Srivastava et al. 2015,
/// section 2.2).
model_weights first_weights(std::uint64_t seed) {
  const model_weights usual = initial_weights(loss_model, seed);
  std::map<std::string, weight_tensor> changed;
  for (const auto& [name, tensor] : usual.tensors()) {
    weight_tensor& to = changed[name];
    to.shape = tensor.shape;
    to.values.resize(tensor.bytes.size() / sizeof(float));
    std::memcpy(to.values.data(), tensor.bytes.data(), tensor.bytes.size());
    if (name == "char_embedding.weight") std::fill_n(to.values.begin(), sizes.character_width, 0.0f);
    if (name.starts_with("highway.") && name.ends_with(".T.bias"))
      std::fill(to.values.begin(), to.values.end(), -2.0f);
  }
  return model_weights::from(std::move(changed));
}

} // namespace

void run_char(const arguments& a) {
  const word_texts texts(a);
  const std::vector<std::string>& different = texts.numbers.different();
  const std::vector<std::string> learned = texts.learned_words();
  const tokenizer words = vocabulary_of(learned, sizes.vocab);
  const token_ids ids = ids_of(different, words);
  const auto characters = characters_of(learned, sizes.characters - char_lm_program::speller::first);
  const char_lm_program::speller speller(characters);
  std::vector<spelt> spellings;
  for (const std::string& word : different) spellings.push_back(speller.spell(word));

  const training::run what = run_of(loss_model, a);
  const auto [result, figures] = learn_words(
      loss_model, first_weights(a.how.seed), a, what, texts, [&](const token_batch& batch, auto f) {
        const std::size_t rows = batch.tokens.shape()[0], length = batch.tokens.shape()[1];
        auto read = xt::xtensor<int, 3>::from_shape({rows, length, sizes.word_length});
        xt::xtensor<int, 2> targets = batch.targets;
        for (std::size_t i = 0; i < batch.tokens.size(); ++i) {
          const spelt& word = spellings[static_cast<std::size_t>(batch.tokens.data()[i])];
          std::copy(word.begin(), word.end(), read.data() + i * word.size());
          targets.data()[i] = ids[static_cast<std::size_t>(targets.data()[i])];
        }
        return f("characters"_in = read, "targets"_in = targets);
      });
  if (!what.writes()) return;
  // What `char_lm` opens.
  save_tokenizer(a.how.out / "words.json", words);
  trained::write_json(a.how.out / "characters.json", characters);
  trained::write_json(a.how.out / "sizes.json", char_lm_program::sizes_as_json());
  const sampling_options how{.temperature = 0.8, .seed = a.how.seed, .samples = a.samples};
  std::string text;
  if (a.samples > 0)
    for (const std::string& line : char_lm_program::character_model(a.how.out).write("", how, 30))
      text += (text.empty() ? "" : "\n") + line;
  training::finish(what, result, figures, {text});
}

} // namespace train_lm
