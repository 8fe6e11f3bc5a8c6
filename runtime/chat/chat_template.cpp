#include <fovea/runtime/chat/chat_template.hpp>

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/system/time.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/runtime/chat/evaluator.hpp>
#include <fovea/runtime/chat/json_value.hpp>
#include <fovea/runtime/chat/parser.hpp>
#include <utility>

namespace fovea::core {

using jinja::value;
using variables = std::vector<std::pair<std::string, value>>;

struct chat_template::state {
  std::string source;
  jinja::node_ptr tree;
  variables tokens;
};

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20;

void check_text(std::string_view text, const std::string& what) try {
  check_utf8(text);
} catch (const error& problem) {
  throw error(what + ": " + problem.what());
}

} // namespace

chat_template chat_template::from_text(std::string_view text, const chat_tokens& tokens,
                                       const std::string& source) {
  if (text.size() > most_bytes)
    throw error(source + ": expected a template of at most " + std::to_string(most_bytes) + " bytes; found " +
                std::to_string(text.size()));
  check_text(text, source);
  auto made = std::make_shared<state>(state{source, jinja::parsed(text, source), {}});
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

std::string rendered(const chat_template::state& from, value messages, const chat_options& options) {
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

} // namespace fovea::core
