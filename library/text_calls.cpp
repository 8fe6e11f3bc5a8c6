#include <fovea/library/text_calls.hpp>

#include <fovea/base/error.hpp>
#include <fovea/programs/built.hpp>
#include <fovea/programs/token_ids.hpp>
#include <fovea/runtime/decoding/log_probability.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace fovea::library {
namespace {

using programs::next_token_network;
using programs::text_network;

std::string place_of(std::size_t text) { return "text " + std::to_string(text); }

tokenizer expected(std::optional<tokenizer> words) {
  if (!words) throw error("tokenizer: expected a file, since the module is built without; found none");
  return *std::move(words);
}

} // namespace

text_calls::text_calls(const program_parts& parts, text_networks networks, model_weights weights,
                       const std::optional<std::string>& tokenizer_file, std::int64_t context, int threads)
    : parts_(parts), networks_(std::move(networks)), weights_(std::move(weights)), context_(context),
      threads_(threads),
      words_(expected(programs::tokenizer_of(parts, tokenizer_file.value_or(""), {}, vocabulary()))) {}

/// The most tokens that the tokenizer may have.
std::size_t text_calls::vocabulary() {
  const bool says = networks_.writes != nullptr && networks_.app != "translate";
  return says ? writer()->vocabulary() : std::numeric_limits<std::size_t>::max();
}

std::shared_ptr<text_network> text_calls::reader() {
  return readers_.take([&] {
    return programs::in_callers_words(parts_, [&] {
      return networks_.reads(
          weights_, {.capacity = {{"B", programs::texts_of_a_call}, {"T", context_}}, .threads = threads_});
    });
  });
}

std::shared_ptr<next_token_network> text_calls::writer(std::size_t rows) {
  compile_options how{.capacity = {{"B", static_cast<std::int64_t>(rows)}, {"T", context_}},
                      .threads = threads_};
  if (networks_.app == "translate") // and the token that ends or begins it
    how.capacity = {{"B", static_cast<std::int64_t>(rows)}, {"S", context_ + 1}, {"T", context_ + 1}};
  const auto make = [&] {
    return programs::in_callers_words(parts_, [&] { return networks_.writes(weights_, how); });
  };
  std::shared_ptr<next_token_network> one = writers_.take(make);
  return one->most_rows() < rows ? std::shared_ptr<next_token_network>(make()) : one;
}

std::vector<programs::text_work> text_calls::read(const std::vector<std::string>& texts, bool each_token,
                                                  const notice& cut) {
  std::vector<programs::text_work> work;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    bool was_cut = false;
    work.push_back(
        programs::work_of({texts[i], place_of(i), {}}, words_, static_cast<std::size_t>(context_), was_cut));
    if (was_cut) cut(place_of(i) + ": the text is cut to its first " + std::to_string(context_) + " tokens");
  }
  programs::run_together(*reader(), work, each_token);
  return work;
}

std::pair<std::vector<float>, std::size_t> text_calls::embed(const std::vector<std::string>& texts,
                                                             const notice& cut) {
  std::pair<std::vector<float>, std::size_t> all{{}, reader()->width()};
  for (const programs::text_work& work : read(texts, false, cut))
    all.first.insert(all.first.end(), work.values.begin(), work.values.end());
  return all;
}

std::vector<std::vector<std::pair<std::string, double>>>
text_calls::classify(const std::vector<std::string>& texts, const notice& cut) {
  const programs::labels names(parts_.labels, reader()->width());
  std::vector<std::vector<std::pair<std::string, double>>> all;
  for (const programs::text_work& work : read(texts, false, cut)) {
    const std::vector<double> shares = programs::labels::probabilities(work.values);
    all.emplace_back();
    for (std::size_t i = 0; i < shares.size(); ++i) all.back().emplace_back(names.name(i), shares[i]);
  }
  return all;
}

std::vector<std::vector<text_calls::tag_of_token>> text_calls::tag(const std::vector<std::string>& texts,
                                                                   const notice& cut) {
  const programs::labels names(parts_.labels, reader()->width());
  std::vector<std::vector<tag_of_token>> all;
  for (const programs::text_work& work : read(texts, true, cut)) {
    all.emplace_back();
    for (const programs::tagged_token& t :
         programs::tagged_tokens(work.input.text, words_, work.tokens.ids, work.values))
      all.back().push_back({t.token, names.name(t.label.index), t.label.probability});
  }
  return all;
}

std::vector<double> text_calls::score(const std::vector<std::string>& texts) {
  const std::shared_ptr<next_token_network> network = writer();
  std::vector<double> all;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const token_ids ids = words_.encode(texts[i]).ids;
    if (ids.size() < 2 || ids.size() > static_cast<std::size_t>(context_))
      throw error(place_of(i) + ": the text has " + std::to_string(ids.size()) + " tokens; expected 2 to " +
                  std::to_string(context_));
    const std::vector<double> log_p = log_probabilities(*network, ids);
    all.push_back(std::accumulate(log_p.begin(), log_p.end(), 0.0));
  }
  return all;
}

std::vector<std::vector<std::string>> text_calls::translate(const std::vector<std::string>& texts,
                                                            const beam_options& how,
                                                            std::size_t most_tokens) {
  const std::shared_ptr<next_token_network> network = writer(how.width);
  std::optional<tokenizer> target = programs::target_tokenizer_of(parts_, {}, network->vocabulary());
  programs::translator to(*network, words_, target ? *std::move(target) : words_, parts_,
                          static_cast<std::size_t>(context_));
  std::vector<std::vector<std::string>> all;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    all.emplace_back();
    for (const hypothesis& h : to(texts[i], place_of(i), how, most_tokens))
      all.back().push_back(to.text_of(h));
  }
  return all;
}

const token_spellings& text_calls::spellings() {
  std::call_once(are_spelled_, [&] { spelled_.emplace(words_); });
  return *spelled_;
}

text_calls::written_text text_calls::generate(const std::string& prompt, const sampling_options& how,
                                              std::size_t most_tokens, std::vector<std::string> stops,
                                              std::optional<byte_grammar> says) {
  const auto context = static_cast<std::size_t>(context_);
  token_ids ids = programs::prompt_ids(prompt, "the prompt", words_, parts_, context);
  const stopping_options until{.max_tokens = std::min(most_tokens, context - ids.size()),
                               .end = programs::ids_of(parts_.end, words_)};
  for (const std::string& stop : stops)
    if (stop.empty()) throw error("stop: expected a string that is not empty");
  std::optional<token_grammar> grammar;
  if (says) grammar.emplace(*std::move(says), spellings(), until.end);
  written_text text{writer(), nullptr, grammar.has_value()};
  text.writer = std::make_unique<programs::text_writer>(*text.network, words_, std::move(ids), how, until,
                                                        std::move(stops), 0, std::move(grammar));
  return text;
}

} // namespace fovea::library
