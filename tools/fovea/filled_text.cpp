#include "filled_text.hpp"

#include "failure.hpp"

#include <vector>

namespace tool {
namespace {

class filler {
public:
  explicit filler(const text_values& values) : values_(values) {}

  std::string fill(std::string_view text) {
    while (!text.empty()) {
      ++line_;
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      take(text.substr(0, end));
      text.remove_prefix(end);
    }
    if (!kept_.empty()) fail("##if without ##end");
    return std::move(made_);
  }

private:
  [[noreturn]] void fail(const std::string& what) const {
    throw failure("a text of this program, line " + std::to_string(line_) + ": " + what);
  }
  const std::string& value(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) fail("nothing is called " + std::string(name));
    return found->second;
  }
  bool kept() const {
    for (const bool one : kept_)
      if (!one) return false;
    return true;
  }

  void take(std::string_view line) {
    const std::string_view word = line.substr(0, line.find_last_not_of('\n') + 1);
    constexpr std::string_view begin = "##if ";
    if (word.starts_with(begin)) {
      const bool negated = word[begin.size()] == '!';
      kept_.push_back(value(word.substr(begin.size() + negated)).empty() == negated);
    } else if (word == "##else" || word == "##end") {
      if (kept_.empty()) fail(std::string(word) + " without ##if");
      if (word == "##end")
        kept_.pop_back();
      else
        kept_.back() = !kept_.back();
    } else if (kept()) {
      append(line);
    }
  }
  void append(std::string_view line) {
    for (std::size_t at; (at = line.find("${")) != line.npos;) {
      if (at > 0 && line[at - 1] == '$') { // $${ is a ${ of the text
        made_ += line.substr(0, at - 1);
        made_ += "${";
        line.remove_prefix(at + 2);
        continue;
      }
      const std::size_t end = line.find('}', at);
      if (end == line.npos) fail("${ without }");
      made_ += line.substr(0, at);
      made_ += value(line.substr(at + 2, end - at - 2));
      line.remove_prefix(end + 1);
    }
    made_ += line;
  }

  const text_values& values_;
  std::string made_;
  std::vector<bool> kept_; // of each ##if around
  int line_ = 0;
};

} // namespace

std::string filled(std::string_view text, const text_values& values) { return filler(values).fill(text); }

} // namespace tool
