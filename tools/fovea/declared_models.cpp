#include "declared_models.hpp"

#include <algorithm>
#include <cctype>

namespace tool {

namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// C++ as a sequence of names, literals and single characters.
class tokens {
public:
  explicit tokens(std::string_view source) : rest_(source) {}

  /// The next one, empty at the end.
  std::string_view next() {
    skip_blanks_and_comments();
    if (rest_.empty()) return {};
    if (rest_[0] == '"' || rest_[0] == '\'') return take(end_of_literal(0));
    if (!in_name(rest_[0])) return take(1);
    const auto end =
        static_cast<std::size_t>(std::find_if_not(rest_.begin(), rest_.end(), in_name) - rest_.begin());
    const bool prefix = rest_.substr(0, end).ends_with('R') && end < rest_.size() && rest_[end] == '"';
    return take(prefix ? end_of_raw_literal(end) : end);
  }
  int line() const { return line_; }

private:
  std::string_view take(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    line_ += static_cast<int>(std::count(taken.begin(), taken.end(), '\n'));
    return taken;
  }
  void skip_blanks_and_comments() {
    for (;;) {
      if (rest_.empty()) return;
      if (std::isspace(static_cast<unsigned char>(rest_[0])) != 0)
        take(1);
      else if (rest_.starts_with("//"))
        take(std::min(rest_.find('\n'), rest_.size()));
      else if (rest_.starts_with("/*"))
        take(std::min(rest_.find("*/", 2), rest_.size() - 2) + 2);
      else
        return;
    }
  }
  std::size_t end_of_literal(std::size_t at) const {
    const char quote = rest_[at];
    for (++at; at < rest_.size() && rest_[at] != quote && rest_[at] != '\n'; ++at)
      if (rest_[at] == '\\') ++at;
    return std::min(at + 1, rest_.size());
  }
  std::size_t end_of_raw_literal(std::size_t quote) const {
    const std::size_t open = rest_.find('(', quote);
    if (open == rest_.npos) return rest_.size();
    const std::string close = ")" + std::string(rest_.substr(quote + 1, open - quote - 1)) + "\"";
    const std::size_t at = rest_.find(close, open);
    return at == rest_.npos ? rest_.size() : at + close.size();
  }

  std::string_view rest_;
  int line_ = 1;
};

} // namespace

std::vector<declared_model> declared_models_in(std::string_view source) {
  struct call {
    std::size_t model;
    int depth;
  };
  std::vector<declared_model> models;
  std::vector<call> open;
  int depth = 0;
  tokens of(source);
  std::string_view before_last, last;
  for (std::string_view token; !(token = of.next()).empty(); before_last = last, last = token) {
    if (token == "(") ++depth;
    if (token[0] == '"' && last == "(" && before_last == "model") {
      models.push_back({std::string(token.substr(1, token.size() - 2)), of.line(), of.line()});
      open.push_back({models.size() - 1, depth});
    }
    if (token == ")") {
      if (!open.empty() && open.back().depth == depth) {
        models[open.back().model].last_line = of.line();
        open.pop_back();
      }
      --depth;
    }
  }
  return models;
}

} // namespace tool
