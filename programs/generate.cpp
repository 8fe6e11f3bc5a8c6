#include <fovea/programs/generate.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/mapped_file.hpp>
#include <fovea/base/system/terminal.hpp>
#include <fovea/programs/answer_texts.hpp>
#include <fovea/programs/built.hpp>
#include <fovea/programs/chat_form.hpp>
#include <fovea/programs/conversation.hpp>
#include <fovea/programs/looking_ahead.hpp>
#include <fovea/programs/text_writer.hpp>
#include <fovea/programs/token_ids.hpp>

#include <program/program.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <optional>

namespace fovea::programs {
namespace {

struct arguments : options {
  std::vector<std::string> prompts;
  sampling_options how;
  std::optional<std::size_t> tokens;
  std::vector<std::string> stops;
  std::size_t lookup = 0;
  std::optional<std::size_t> draft;
  std::filesystem::path draft_weights;
  std::optional<std::string> expression;
  std::filesystem::path schema;
  bool talks = false;
  chat_choice chat;
  std::string system, variables;
};

/// The variables of a template, an object in JSON. Throws fovea::error where they are none.
const std::string& checked_variables(const std::string& given) {
  const nlohmann::json read = nlohmann::json::parse(given.empty() ? "{}" : given, nullptr, false);
  if (!read.is_object())
    throw error(
        "--chat-template-kwargs: expected an object in JSON, as in {\"enable_thinking\": false}; found " +
        core::in_quotes(given));
  return given;
}

void declare_sampling(CLI::App& app, arguments& a) {
  const CLI::Range share(0.0, 1.0);
  app.add_option("PROMPT", a.prompts,
                 "What the texts begin with; without any, the lines of the standard input");
  app.add_option("--prompts", a.files, "Files of more prompts, one a line; -: the standard input")
      ->allow_extra_args(false);
  app.add_option("--tokens", a.tokens,
                 "The most tokens generated for a text; 200, or in a conversation what the context leaves")
      ->check(CLI::Range(1, 1 << 24));
  app.add_option("--temperature", a.how.temperature, "0: always the most likely token")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1000.0));
  app.add_option("--top-k", a.how.top_k, "Only the k most likely tokens; 0: all")->capture_default_str();
  app.add_option("--top-p", a.how.top_p, "Only the most likely tokens that sum to p")
      ->capture_default_str()
      ->check(share);
  app.add_option("--min-p", a.how.min_p, "Only tokens at least p times as likely as the likeliest")
      ->capture_default_str()
      ->check(share);
  app.add_option("--repetition-penalty", a.how.repetition_penalty,
                 "Scores of tokens that the text holds are divided by it; 1: off")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 1000.0));
  app.add_option("--seed", a.how.seed, "The same seed writes the same text")->capture_default_str();
  app.add_option("--stop", a.stops, "Ends a text before this string; may be given several times")
      ->allow_extra_args(false);
  app.add_option("--prompt-lookup", a.lookup,
                 "Read so many tokens ahead at most, those that followed the same words before; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  app.add_option("--draft", a.draft,
                 "Read so many tokens ahead at most, those that the small model of the program proposes; 0: "
                 "none. 4 where it has weights of one")
      ->check(CLI::Range(0, 1024))
      ->excludes("--prompt-lookup");
  app.add_option("--draft-weights", a.draft_weights, "Of the small model: as --weights");
  app.add_option("--grammar-regex", a.expression,
                 "Texts are what this regular expression matches as a whole");
  app.add_option("--json-schema", a.schema, "Texts are JSON that fits the schema in this file")
      ->excludes("--grammar-regex");
}

/// What texts may say, if the command line has a word in it.
std::optional<byte_grammar> grammar_of(const arguments& a) {
  if (a.expression) return regular_expression(*a.expression);
  if (a.schema.empty()) return std::nullopt;
  const core::mapped_file file(a.schema);
  try {
    return json_schema({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
  } catch (const error& problem) {
    throw error(a.schema.string() + ": " + problem.what());
  }
}

void declare_chat(CLI::App& app, arguments& a) {
  CLI::Option* chat = app.add_option_function<std::string>(
      "--chat",
      [&a](const std::string& name) {
        a.talks = true;
        a.chat.name = name == "{}" ? "" : name; // that is what stands for nothing
      },
      "Answer each line as a turn of one conversation; the form of the model's files, or this one: plain, "
      "chatml, llama2 or llama3");
  chat->expected(0, 1)->type_name("[NAME]");
  for (const char* name : {"PROMPT", "--shard", "--output"}) chat->excludes(app.get_option(name));
  declare_chat_template(app, a.chat);
  app.add_option("--system", a.system, "What the model is told before the conversation");
  app.add_option("--chat-template-kwargs", a.variables,
                 "Variables of the template, an object in JSON: '{\"enable_thinking\": false}'");
  for (const char* name : {"--chat-template", "--chat-template-kwargs", "--system"})
    app.get_option(name)->needs(chat);
}

/// Writes texts, one after another.
class writer {
public:
  writer(next_token_network& network, tokenizer words, const arguments& a, const program_parts& parts)
      : network_(network), words_(std::move(words)), a_(a), parts_(parts), end_(ids_of(parts.end, words_)) {
    if (a.talks)
      conversation_.emplace(network_, words_, chat_form_of(a.chat, a, parts, words_),
                            checked_variables(a.variables), a.system, context());
    if (std::optional<byte_grammar> says = grammar_of(a))
      grammar_.emplace(*std::move(says), token_spellings(words_),
                       conversation_ ? conversation_->ends() : end_);
  }

  /// Goes on with a text.
  text_answer write(const input_text& prompt) {
    const token_ids ids = prompt_ids(prompt.text, prompt.place, words_, parts_, context());
    text_writer text(network_, words_, ids, a_.how,
                     {.max_tokens = std::min(a_.tokens.value_or(200), context() - ids.size()), .end = end_},
                     a_.stops, 0, grammar_);
    if (written_++ > 0 && !a_.json) program::print("\n");
    if (!a_.json) program::print(text.prompt());
    const std::string all = print(text);
    return {.members = members_of(all, text)};
  }
  /// Answers the next turn of the conversation.
  text_answer answer(const input_text& turn) {
    text_writer& text = conversation_->answer(turn.text, turn.place, a_.how, a_.tokens, a_.stops, grammar_);
    const std::string all = print(text);
    conversation_->keep(all);
    return {.members = members_of(all, text)};
  }

  /// How fast tokens came, the first of each text left out: it waits for the prompt to be read.
  double tokens_a_second() const { return seconds_ > 0 ? static_cast<double>(tokens_) / seconds_ : 0; }

private:
  std::size_t context() const { return static_cast<std::size_t>(a_.context); }

  /// Prints a text token by token, unless JSON is asked for, and returns it.
  std::string print(text_writer& text) {
    using clock = std::chrono::steady_clock;
    std::string all;
    clock::time_point first, last;
    while (const std::optional<std::string> piece = text.next()) {
      last = clock::now();
      if (first == clock::time_point{}) first = last;
      all += *piece;
      if (!a_.json) program::print(*piece);
    }
    tokens_ += text.written().ids.size() - 1;
    seconds_ += std::chrono::duration<double>(last - first).count();
    if (!a_.json) program::print("\n");
    if (grammar_ && text.written().ended == ended_by::length)
      std::fputs("the text was cut before its grammar lets it end: --tokens allows more\n", stderr);
    return all;
  }

  static nlohmann::ordered_json members_of(const std::string& text, text_writer& from) {
    const hypothesis& h = from.written();
    const char* ended = from.stopped() ? "stop" : h.ended == ended_by::length ? "length" : "end";
    return {{"generated", text},
            {"tokens", h.ids.size()},
            {"log_probability", h.log_probability},
            {"ended", ended}};
  }

  next_token_network& network_;
  tokenizer words_;
  const arguments& a_;
  const program_parts& parts_;
  token_ids end_;
  std::optional<conversation> conversation_;
  std::optional<token_grammar> grammar_;
  std::size_t written_ = 0, tokens_ = 0;
  double seconds_ = 0;
};

/// The turns of a conversation, of the files or the standard input.
void converse(const arguments& a, writer& to) {
  text_input input(a.files, {.field = a.field});
  const bool asks = a.files.empty() && core::system::is_terminal(stdin);
  const auto show = [&](const char* text) {
    if (asks) std::fputs(text, stderr);
  };
  for (show("> ");; show("> ")) {
    const std::vector<input_text> turns = input.next(1);
    if (turns.empty()) break;
    if (turns.front().text.find_first_not_of(" \t") == std::string::npos) continue;
    const text_answer answer = to.answer(turns.front());
    if (a.json) program::print(json_line(turns.front(), answer.members));
  }
  show("\n");
}

/// What reads ahead for a network: its own text or a small model, which is made here; nothing where neither is asked for.
draft_of_text draft_of(const arguments& a, const next_token_network& network, next_token_network_maker small,
                       const program_parts& parts) {
  if (a.lookup > 0) {
    if (!network.can_rewind())
      throw error("--prompt-lookup: expected a program that fovea_add_executable made with PROMPT_LOOKUP; "
                  "this one scores the last token of a step alone");
    return draft_by_lookup(a.lookup);
  }
  if (parts.draft.empty()) {
    if (a.draft.value_or(0) > 0 || !a.draft_weights.empty())
      throw error("--draft: expected a program that fovea_add_executable made with DRAFT; this one has no "
                  "small model");
    return {};
  }
  const program_parts& own = parts.draft.front();
  const bool is_there = !a.draft_weights.empty() || has_weights(own);
  const std::size_t tokens = a.draft.value_or(is_there ? 4 : 0);
  if (tokens == 0) return {};
  if (!is_there)
    throw error("--draft-weights is required: the program is built without weights of its small model");
  const model_weights weights = weights_of(own, a.draft_weights);
  return draft_by_network(made_for_context(a,
                                           [&] {
                                             return small(weights, {.capacity = {{"B", 1}, {"T", a.context}},
                                                                    .threads = a.threads,
                                                                    .cache = a.cache});
                                           }),
                          tokens);
}

/// The prompts of the command line and of a file; without any, those of the standard input, or an empty one
/// where that is a terminal.
void run(const arguments& a, const writing_network& makers, const program_parts& parts) {
  for (const std::string& stop : a.stops)
    if (stop.empty()) throw error("--stop: expected a string that is not empty");
  const model_weights weights = weights_of(a, parts);
  const std::unique_ptr<next_token_network> network = made_for_context(a, [&] {
    return makers.writer(weights,
                         {.capacity = {{"B", 1}, {"T", a.context}}, .threads = a.threads, .cache = a.cache});
  });
  std::optional<looking_ahead> ahead;
  if (draft_of_text draft = draft_of(a, *network, makers.draft, parts))
    ahead.emplace(*network, std::move(draft), static_cast<std::size_t>(a.context));
  writer to(ahead ? *ahead : *network, tokenizer_of(a, parts, network->vocabulary()), a, parts);
  const auto write_prompt = [&](const std::string& text) {
    const input_text prompt{text, "the prompt", {}};
    const text_answer answer = to.write(prompt);
    if (a.json) program::print(json_line(prompt, answer.members));
  };
  for (const std::string& prompt : a.prompts) write_prompt(prompt);
  const bool nothing = a.prompts.empty() && a.files.empty();
  if (a.talks)
    converse(a, to);
  else if (nothing && core::system::is_terminal(stdin))
    write_prompt("");
  else if (nothing || !a.files.empty())
    answer_texts(a, parts, 1, [&](const std::vector<input_text>& texts) -> std::vector<text_answer> {
      return {to.write(texts.front())};
    });
  if (!parts.tells_speed || to.tokens_a_second() == 0) return;
  std::string told = fmt::format("{:.0f} tokens a second", to.tokens_a_second());
  if (ahead) told += fmt::format(", {} of {} read ahead came", ahead->accepted(), ahead->proposed());
  program::notice(parts.name, told);
}

} // namespace

int generate(const writing_network& network, const program_parts& parts, int count, char** words) {
  return program::run<arguments>(
      parts.name.c_str(), "Goes on with texts, or answers, and prints each token as it comes.", count, words,
      [&](CLI::App& app, arguments& a) {
        declare(app, a, parts);
        declare_cache(app, a);
        declare_sampling(app, a);
        declare_batch(app, a);
        for (const char* name : {"--shard", "--output"}) app.get_option(name)->excludes("PROMPT");
        declare_chat(app, a);
      },
      [&](const arguments& a) { run(a, network, parts); });
}

} // namespace fovea::programs
