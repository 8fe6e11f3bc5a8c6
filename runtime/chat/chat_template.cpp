#include <fovea/runtime/chat/chat_template.hpp>

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/system/time.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/runtime/chat/evaluator.hpp>
#include <fovea/runtime/chat/json_value.hpp>
#include <fovea/runtime/chat/parser.hpp>
#include <fovea/runtime/chat/tokens.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace fovea::core {

using jinja::value;
using variables = std::vector<std::pair<std::string, value>>;

struct chat_template::state {
  std::string source;
  std::shared_ptr<const jinja::node> tree;
  variables tokens;
  std::vector<std::string> ends;
  std::set<std::string, std::less<>> words; // of its expressions
  std::shared_ptr<const state> with_tools = nullptr;
};

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20;

void check_text(std::string_view text, const std::string& what) try {
  check_utf8(text);
} catch (const error& problem) {
  throw error(what + ": " + problem.what());
}

std::set<std::string, std::less<>> words_of(std::string_view text, const std::string& source) {
  using kind = jinja::token::kind;
  std::set<std::string, std::less<>> words;
  for (jinja::token& one : jinja::tokens_of(text, source))
    if (one.what == kind::name || one.what == kind::text) words.insert(std::move(one.text));
  return words;
}

} // namespace

chat_template chat_template::from_text(std::string_view text, const chat_tokens& tokens,
                                       const std::string& source) {
  if (text.size() > most_bytes)
    throw error(source + ": expected a template of at most " + std::to_string(most_bytes) + " bytes; found " +
                std::to_string(text.size()));
  check_text(text, source);
  auto made =
      std::make_shared<state>(state{source, jinja::parsed(text, source), {}, {}, words_of(text, source)});
  if (!tokens.eos_token.empty()) made->ends.push_back(tokens.eos_token);
  const std::pair<const char*, const std::string&> named[] = {
      {"bos_token", tokens.bos_token},  {"eos_token", tokens.eos_token}, {"unk_token", tokens.unk_token},
      {"sep_token", tokens.sep_token},  {"pad_token", tokens.pad_token}, {"cls_token", tokens.cls_token},
      {"mask_token", tokens.mask_token}};
  for (const auto& [name, token] : named) {
    check_text(token, name);
    if (!token.empty()) made->tokens.emplace_back(name, token);
  }
  return chat_template(std::move(made));
}

namespace {

std::string rendered(const chat_template::state& whole, value messages, const chat_options& options) {
  const chat_template::state& from =
      options.tools.empty() || whole.with_tools == nullptr ? whole : *whole.with_tools;
  variables all = from.tokens;
  const auto json = [](std::string_view text, const char* what) {
    return text.empty() ? value(nullptr) : jinja::read_json(text, what);
  };
  all.emplace_back("messages", std::move(messages));
  all.emplace_back("tools", json(options.tools, "tools"));
  all.emplace_back("documents", nullptr);
  all.emplace_back("add_generation_prompt", options.add_generation_prompt);
  if (const value more = json(options.variables, "variables"); const jinja::dict* members = more.members())
    all.insert(all.end(), members->members.begin(), members->members.end());
  else if (!more.is_none())
    throw error("variables: expected an object in JSON; found " + jinja::described(more));
  return jinja::rendered(*from.tree, std::move(all), options.now ? *options.now : system::local_time(),
                         from.source);
}

} // namespace

std::string chat_template::prompt(const std::vector<chat_message>& messages,
                                  const chat_options& options) const {
  std::vector<value> all;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::string what = "message " + std::to_string(i + 1);
    check_text(messages[i].role, what);
    check_text(messages[i].content, what);
    all.push_back(value::of_dict({{"role", messages[i].role}, {"content", messages[i].content}}));
  }
  return rendered(*state_, value::of_list(std::move(all)), options);
}

std::string chat_template::prompt_of_json(std::string_view messages, const chat_options& options) const {
  value all = jinja::read_json(messages, "messages");
  if (all.items() == nullptr)
    throw error("messages: expected a list in JSON; found " + jinja::described(all));
  return rendered(*state_, std::move(all), options);
}

chat_template chat_template::with_tools(const chat_template& other) const {
  auto made = std::make_shared<state>(*state_);
  made->with_tools = other.state_;
  return chat_template(std::move(made));
}

chat_template chat_template::with_ends(std::vector<std::string> ends) const {
  auto made = std::make_shared<state>(*state_);
  made->ends = std::move(ends);
  return chat_template(std::move(made));
}

const std::vector<std::string>& chat_template::ends() const { return state_->ends; }

bool chat_template::mentions(std::string_view word) const {
  return state_->words.contains(word) ||
         (state_->with_tools != nullptr && state_->with_tools->words.contains(word));
}

} // namespace fovea::core
