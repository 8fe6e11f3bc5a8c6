#include <fovea/programs/serve/request.hpp>

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/json/check_members.hpp>
#include <fovea/base/json/parse_json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <random>
#include <utility>

namespace fovea::programs {
namespace {

using core::shown;
using nlohmann::json;
using nlohmann::ordered_json;

/// The members of a request's body.
class body_reader {
public:
  explicit body_reader(const std::string& body) : text_(body), document_(parsed(body)) {
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

  /// The body with the members of objects in their order, which prompts keep.
  ordered_json in_order() const { return ordered_json::parse(text_); }

private:
  static core::json_document parsed(const std::string& body) {
    try {
      core::json_document made = core::parse_json(body);
      core::check_members(*made);
      return made;
    } catch (const error& problem) {
      throw refused_request(400, std::string("body: ") + problem.what());
    }
  }

  const std::string& text_;
  core::json_document document_;
};

constexpr std::size_t most_whole = std::size_t{1} << 24;
constexpr std::size_t most_stops = 64; // each of a request's texts looks for all of them

/// What asks for nothing.
const std::initializer_list<json> nothing{json(false),   json(0),  json::object(),
                                          json::array(), json(""), json("none")};

/// What the texts may say; nothing where they may say anything.
std::optional<byte_grammar> format_of(const body_reader& body) {
  const json* format = body.find("response_format");
  if (format == nullptr) return std::nullopt;
  const json type = format->is_object() ? format->value("type", json()) : json();
  if (type == "text") return std::nullopt;
  if (type == "json_object") return core::any_json_object();
  if (type != "json_schema")
    body_reader::fail("response_format", "a type text, json_object or json_schema", *format);
  const ordered_json in_order = body.in_order();
  const ordered_json& given = in_order["response_format"];
  const auto found = given.find("json_schema");
  if (found == given.end() || !found->is_object() || !found->contains("schema"))
    body_reader::fail("response_format", "a json_schema with a schema", *format);
  try {
    return core::json_schema((*found)["schema"].dump());
  } catch (const error& problem) {
    throw refused_request(400, std::string("response_format: ") + problem.what());
  }
}

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
  if (made.stops.size() > most_stops)
    body_reader::fail("stop", fmt::format("at most {} texts", most_stops), *body.find("stop"));
  for (const std::string& stop : made.stops)
    if (stop.empty()) body_reader::fail("stop", "a text that is not empty", json(stop));
  made.streamed = body.flag("stream");
  if (const json* options = body.find("stream_options"); options != nullptr) {
    if (!options->is_object()) body_reader::fail("stream_options", "an object", *options);
    made.with_usage = options->value("include_usage", json(false)) == json(true);
  }
  for (const char* key :
       {"logprobs", "top_logprobs", "suffix", "functions", "function_call", "logit_bias", "grammar"})
    body.refuse(key, nothing);
  body.refuse("echo", {json(false)});
  body.refuse("best_of", {json(1)});
  made.says = format_of(body);
  for (const char* key : {"presence_penalty", "frequency_penalty"}) body.refuse(key, {json(0), json(0.0)});
  return made;
}

bool calls_tools(const ordered_json& message) {
  const auto found = message.find("tool_calls");
  return found != message.end() && !found->is_null();
}

/// A content as templates take it: a text, of parts that are texts one after another; or null, as beside calls of tools.
ordered_json content_of(const ordered_json& message) {
  const auto found = message.find("content");
  if (found == message.end() || found->is_null()) {
    if (!calls_tools(message)) body_reader::fail("messages", "contents that are texts", json(message));
    return nullptr;
  }
  if (found->is_string()) return *found;
  if (!found->is_array()) body_reader::fail("messages", "contents that are texts", json(message));
  std::string text;
  for (const ordered_json& part : *found) {
    const ordered_json piece = part.is_object() ? part.value("text", ordered_json()) : ordered_json();
    if (!piece.is_string()) body_reader::fail("messages", "contents that are texts", json(part));
    text += piece.get<std::string>();
  }
  return text;
}

/// Templates take the arguments of a call as an object; this interface writes them as a text of JSON.
void read_arguments(ordered_json& calls) {
  const auto refuse = [&](const ordered_json& found) {
    body_reader::fail("messages", "calls of tools, each a function with its name and arguments in JSON",
                      json(found));
  };
  if (!calls.is_array()) refuse(calls);
  for (ordered_json& call : calls) {
    if (!call.is_object() || !call.contains("function") || !call["function"].is_object()) refuse(call);
    ordered_json& function = call["function"];
    const auto found = function.find("arguments");
    if (found == function.end() || !found->is_string()) continue;
    const std::string text = found->get<std::string>();
    try {
      core::check_members(*core::parse_json(text));
      *found = ordered_json::parse(text);
    } catch (const error&) {
      refuse(*found);
    }
  }
}

/// The messages as templates take them.
ordered_json messages_of(const ordered_json& body, const chat_template& form) {
  const auto list = body.find("messages");
  if (list == body.end() || list->is_null())
    throw refused_request(400, "messages: expected a list of messages; there is none");
  if (!list->is_array() || list->empty())
    body_reader::fail("messages", "a list of at least one message", json(*list));
  ordered_json messages = *list;
  for (ordered_json& one : messages) {
    if (!one.is_object() || !one.contains("role") || !one["role"].is_string())
      body_reader::fail("messages", "a role, as in \"user\", in each", json(one));
    if (one["role"] == "developer" && !form.mentions("developer")) one["role"] = "system";
    one["content"] = content_of(one);
    if (calls_tools(one)) read_arguments(one["tool_calls"]);
  }
  return messages;
}

/// The tools that the model may call, in JSON; empty where there are none, or it is told to call none.
std::string tools_of(const body_reader& body, const ordered_json& in_order, const chat_template& form) {
  const json *tools = body.find("tools"), *choice = body.find("tool_choice");
  const bool is_none = choice != nullptr && *choice == "none";
  if (!is_none) body.refuse("tool_choice", {json("auto")});
  if (tools == nullptr || std::ranges::find(nothing, *tools) != nothing.end() || is_none) return "";
  if (!tools->is_array()) body_reader::fail("tools", "a list of tools", *tools);
  if (!form.mentions("tools"))
    throw refused_request(400, "tools: expected none, since the model's chat template takes none; found " +
                                   std::to_string(tools->size()));
  return in_order["tools"].dump();
}

std::string prompt_of(const body_reader& body, const chat_template& form) {
  const ordered_json in_order = body.in_order();
  const std::string messages = messages_of(in_order, form).dump(), tools = tools_of(body, in_order, form);
  const json* more = body.find("chat_template_kwargs");
  if (more != nullptr && !more->is_object()) body_reader::fail("chat_template_kwargs", "an object", *more);
  const std::string variables = more != nullptr ? in_order["chat_template_kwargs"].dump() : "";
  try {
    return form.prompt_of_json(messages,
                               {.add_generation_prompt = true, .tools = tools, .variables = variables});
  } catch (const core::chat_error& problem) {
    throw refused_request(400, "messages: " + problem.sentence());
  } catch (const error& problem) {
    throw refused_request(400, problem.what());
  }
}

} // namespace

writing_request read_completion(const std::string& body) {
  const body_reader from(body);
  writing_request made = read_writing(from);
  if (from.find("prompt") == nullptr) throw refused_request(400, "prompt: expected a text; there is none");
  made.prompts = from.texts("prompt");
  for (const char* key : {"tools", "tool_choice"}) from.refuse(key, nothing);
  made.most_tokens = from.whole("max_tokens", 16, 1, most_whole);
  return made;
}

writing_request read_chat(const std::string& body, const chat_template& form) {
  const body_reader from(body);
  writing_request made = read_writing(from);
  made.prompts = {prompt_of(from, form)};
  made.most_tokens = from.whole("max_tokens", most_whole, 1, most_whole);
  made.most_tokens = from.whole("max_completion_tokens", made.most_tokens, 1, most_whole);
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
