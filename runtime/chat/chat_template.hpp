#pragma once

#include <fovea/base/file_path.hpp>
#include <fovea/runtime/chat/chat_error.hpp>

#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::core {

/// What somebody said. Roles are those that the template knows: "system", "user", "assistant", "tool".
struct chat_message {
  std::string role, content;
};

/// The special tokens that a template prints. What is empty is undefined in the template.
struct chat_tokens {
  std::string bos_token = {}, eos_token = {}, unk_token = {}, sep_token = {}, pad_token = {}, cls_token = {},
              mask_token = {};
};

struct chat_options {
  /// Whether the text ends with the begin of an answer, for the model to go on from there.
  bool add_generation_prompt = false;
  /// A list in JSON of the tools that the model may call; none where it is empty.
  std::string_view tools = {};
  /// An object in JSON whose members are variables of the template, as in {"enable_thinking": false}.
  std::string_view variables = {};
  /// What `strftime_now` tells; the local time where it is absent.
  std::optional<std::tm> now = {};
};

/// Which of the templates of a model.
struct chat_template_choice {
  std::string_view name = "default";
  /// Those that the files do not name.
  chat_tokens tokens = {};
};

/// The template by which a language model was taught conversations: the `chat_template` of Hugging Face's transformers,
/// in the language of jinja2, with the text that `apply_chat_template` there gives with tokenize=False.
///
/// A template from outside is refused when it is read where it has what published chat templates do not have; when it is
/// run, its time, its memory and how deep it calls itself are limited. Members may be called from several threads at once.
///
/// Where a model has a template named "tool_use" beside its default, messages with tools are put by that one.
class chat_template {
public:
  /// From a folder of a model, or one of its files: `chat_template.jinja`, `chat_template.json`, `tokenizer_config.json`;
  /// of a folder the first that is there. Special tokens are those of the `tokenizer_config.json` there. Or from a GGUF
  /// file, which has both.
  /// Throws fovea::error that names the file, the line, what was expected and what was found.
  static chat_template load(const file_path& folder_or_file, const chat_template_choice& which = {});
  /// From a text; `source` is what messages call it.
  static chat_template from_text(std::string_view text, const chat_tokens& tokens = {},
                                 const std::string& source = "chat template");

  /// A form of many models, or of none: "plain", "chatml", "llama2", "llama3". They know texts of system, developer, user
  /// and assistant, and leave what begins a text to the tokenizer. Throws fovea::error for another name.
  static chat_template named(std::string_view name);

  /// The text that the model is to go on with. Throws chat_error that names the line: with what the template gives to
  /// `raise_exception`, or with what it does not find in the messages.
  std::string prompt(const std::vector<chat_message>& messages, const chat_options& options = {}) const;
  /// The same of a list of messages in JSON, which have what members the template knows: calls of tools, contents that
  /// are lists of parts.
  std::string prompt_of_json(std::string_view messages, const chat_options& options = {}) const;

  /// The same, but messages with tools are put by another.
  chat_template with_tools(const chat_template& other) const;

  /// Texts that end an answer: its eos_token, or those of a named form. Most are one token.
  const std::vector<std::string>& ends() const;
  /// Whether its expressions have this name or text, as "tools" where it takes tools.
  bool mentions(std::string_view word) const;

  struct state;

private:
  explicit chat_template(std::shared_ptr<const state> shared) : state_(std::move(shared)) {}
  chat_template with_ends(std::vector<std::string> ends) const;
  std::shared_ptr<const state> state_;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::chat_message, core::chat_options, core::chat_template, core::chat_template_choice,
    core::chat_tokens;
} // namespace fovea
