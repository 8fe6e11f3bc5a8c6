#include <fovea/programs/serve/request.hpp>

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/parse_json.hpp>

#include <fmt/format.h>

#include <map>
#include <random>
#include <utility>

namespace fovea::programs {
namespace {

using core::shown;
using nlohmann::json;

/// The members of a request's body.
class body_reader {
public:
  explicit body_reader(const std::string& body) : document_(parsed(body)) {
    if (!document_->is_object())
      throw refused_request(400, "body: expected an object of JSON; found " + shown(*document_));
  }

  /// Nothing where it is missing or null.
  const json* find(const char* key) const {
    const auto found = document_->find(key);
    return found == document_->end() || found->is_null() ? nullptr : &*found;
  }
  [[noreturn]] static void fail(const char* key, const std::string& expected, const json& found) {
    throw refused_request(400, fmt::format("{}: expected {}; found {}", key, expected, shown(found)));
  }

  double number(const char* key, double otherwise, double least, double most) const {
    const json* value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_number() || value->get<double>() < least || value->get<double>() > most)
      fail(key, fmt::format("a number from {} to {}", least, most), *value);
    return value->get<double>();
  }
  std::size_t whole(const char* key, std::size_t otherwise, std::size_t least, std::size_t most) const {
    const json* value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_number_integer() || value->get<double>() < static_cast<double>(least) ||
        value->get<double>() > static_cast<double>(most))
      fail(key, fmt::format("a whole number from {} to {}", least, most), *value);
    return value->get<std::size_t>();
  }
  bool flag(const char* key) const {
    const json* value = find(key);
    if (value != nullptr && !value->is_boolean()) fail(key, "true or false", *value);
    return value != nullptr && value->get<bool>();
  }
  /// A text, or a list of them.
  std::vector<std::string> texts(const char* key) const {
    const json* value = find(key);
    if (value == nullptr) return {};
    if (value->is_string()) return {value->get<std::string>()};
    const bool fits = value->is_array() && !value->empty() &&
                      std::ranges::all_of(*value, [](const json& one) { return one.is_string(); });
    if (!fits) fail(key, "a text, or a list of texts", *value);
    return value->get<std::vector<std::string>>();
  }
  /// What would change the answer is refused where it cannot be had.
  void refuse(const char* key, std::initializer_list<json> harmless) const {
    const json* value = find(key);
    if (value == nullptr || std::ranges::find(harmless, *value) != harmless.end()) return;
    throw refused_request(400, fmt::format("{}: this is not supported; found {}", key, shown(*value)));
  }

private:
  static core::json_document parsed(const std::string& body) {
    try {
      return core::parse_json(body);
    } catch (const error& problem) {
      throw refused_request(400, std::string("body: ") + problem.what());
    }
  }

  core::json_document document_;
};

constexpr std::size_t most_whole = std::size_t{1} << 24;

/// What both kinds say of how a text is written.
writing_request read_writing(const body_reader& body) {
  writing_request made;
  made.how.temperature = body.number("temperature", 1, 0, 1000);
  made.how.top_p = body.number("top_p", 1, 0, 1);
  made.how.min_p = body.number("min_p", 0, 0, 1);
  made.how.top_k = body.whole("top_k", 0, 0, most_whole);
  made.how.repetition_penalty = body.number("repetition_penalty", 1, 0.001, 1000);
  made.how.seed = body.whole("seed", std::random_device()(), 0, std::size_t{1} << 53);
  made.how.samples = body.whole("n", 1, 1, 128);
  made.stops = body.texts("stop");
  for (const std::string& stop : made.stops)
    if (stop.empty()) body_reader::fail("stop", "a text that is not empty", json(stop));
  made.streamed = body.flag("stream");
  if (const json* options = body.find("stream_options"); options != nullptr) {
    if (!options->is_object()) body_reader::fail("stream_options", "an object", *options);
    made.with_usage = options->value("include_usage", json(false)) == json(true);
  }
  for (const char* key : {"logprobs", "top_logprobs", "suffix", "tools", "tool_choice", "functions",
                          "function_call", "logit_bias", "grammar"})
    body.refuse(key, {json(false), json(0), json::object(), json::array(), json(""), json("none")});
  body.refuse("echo", {json(false)});
  body.refuse("best_of", {json(1)});
  body.refuse("response_format", {json{{"type", "text"}}});
  for (const char* key : {"presence_penalty", "frequency_penalty"}) body.refuse(key, {json(0), json(0.0)});
  return made;
}

struct chat_message {
  std::string role, content;
};

std::string text_of(const std::vector<chat_message>& messages, chat_format format) {
  std::string text;
  switch (format) {
    case chat_format::plain:
      for (const chat_message& m : messages) text += m.role + ": " + m.content + "\n";
      return text + "assistant:";
    case chat_format::chatml:
      for (const chat_message& m : messages)
        text += "<|im_start|>" + m.role + "\n" + m.content + "<|im_end|>\n";
      return text + "<|im_start|>assistant\n";
    case chat_format::llama3:
      for (const chat_message& m : messages)
        text += "<|start_header_id|>" + m.role + "<|end_header_id|>\n\n" + m.content + "<|eot_id|>";
      return text + "<|start_header_id|>assistant<|end_header_id|>\n\n";
    case chat_format::llama2: {
      std::string system;
      for (const chat_message& m : messages) {
        if (m.role == "system") {
          system = "<<SYS>>\n" + m.content + "\n<</SYS>>\n\n";
        } else if (m.role == "assistant") {
          text += " " + m.content + " </s>";
        } else {
          text += (text.empty() ? "" : "<s>") + ("[INST] " + system) + m.content + " [/INST]";
          system.clear();
        }
      }
      return text;
    }
  }
  return text;
}

std::vector<chat_message> read_messages(const body_reader& body) {
  const json* list = body.find("messages");
  if (list == nullptr) throw refused_request(400, "messages: expected a list of messages; there is none");
  if (!list->is_array() || list->empty())
    body_reader::fail("messages", "a list of at least one message", *list);
  std::vector<chat_message> messages;
  for (const json& one : *list) {
    const json role = one.is_object() ? one.value("role", json()) : json(),
               content = one.is_object() ? one.value("content", json()) : json();
    if (!role.is_string()) body_reader::fail("messages", "a role, as in \"user\", in each", one);
    const std::string name = role.get<std::string>();
    if (name != "system" && name != "developer" && name != "user" && name != "assistant")
      body_reader::fail("messages", "the roles system, developer, user and assistant", role);
    std::string text;
    if (content.is_array()) {
      for (const json& part : content) {
        const json piece = part.is_object() ? part.value("text", json()) : json();
        if (!piece.is_string()) body_reader::fail("messages", "contents that are texts", part);
        text += piece.get<std::string>();
      }
    } else if (content.is_string()) {
      text = content.get<std::string>();
    } else {
      body_reader::fail("messages", "contents that are texts", one);
    }
    messages.push_back({name == "developer" ? "system" : name, std::move(text)});
  }
  return messages;
}

} // namespace

chat_format chat_format_of(const std::string& name) {
  static const std::map<std::string, chat_format> known{{"plain", chat_format::plain},
                                                        {"chatml", chat_format::chatml},
                                                        {"llama2", chat_format::llama2},
                                                        {"llama3", chat_format::llama3}};
  const auto found = known.find(name);
  if (found == known.end())
    throw error("--chat: expected plain, chatml, llama2 or llama3; found " + core::in_quotes(name));
  return found->second;
}

writing_request read_completion(const std::string& body) {
  const body_reader from(body);
  writing_request made = read_writing(from);
  if (from.find("prompt") == nullptr) throw refused_request(400, "prompt: expected a text; there is none");
  made.prompts = from.texts("prompt");
  made.most_tokens = from.whole("max_tokens", 16, 1, most_whole);
  return made;
}

writing_request read_chat(const std::string& body, chat_format format) {
  const body_reader from(body);
  writing_request made = read_writing(from);
  made.prompts = {text_of(read_messages(from), format)};
  made.most_tokens = from.whole("max_tokens", most_whole, 1, most_whole);
  made.most_tokens = from.whole("max_completion_tokens", made.most_tokens, 1, most_whole);
  // What a model writes in the place of somebody else.
  if (format == chat_format::plain)
    for (const char* role : {"\nuser:", "\nsystem:"}) made.stops.emplace_back(role);
  if (format == chat_format::chatml) made.stops.emplace_back("<|im_end|>");
  if (format == chat_format::llama3) made.stops.emplace_back("<|eot_id|>");
  return made;
}

embedding_request read_embeddings(const std::string& body) {
  const body_reader from(body);
  embedding_request made;
  if (from.find("input") == nullptr) throw refused_request(400, "input: expected a text; there is none");
  made.texts = from.texts("input");
  if (const json* format = from.find("encoding_format"); format != nullptr) {
    if (*format != "float" && *format != "base64")
      body_reader::fail("encoding_format", "\"float\" or \"base64\"", *format);
    made.base64 = *format == "base64";
  }
  from.refuse("dimensions", {});
  return made;
}

attention_request read_attention(const std::string& body, std::span<const std::size_t> heads) {
  const body_reader from(body);
  const json* text = from.find("input");
  if (text == nullptr) throw refused_request(400, "input: expected a text; there is none");
  if (!text->is_string()) body_reader::fail("input", "a text", *text);
  const std::size_t layer = from.whole("layer", 1, 1, heads.size());
  return {text->get<std::string>(), layer, from.whole("head", 0, 1, heads[layer - 1])};
}

} // namespace fovea::programs
