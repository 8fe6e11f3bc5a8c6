#include <fovea/runtime/chat/parser.hpp>

#include <fovea/base/in_quotes.hpp>
#include <fovea/base/read_number.hpp>
#include <fovea/runtime/chat/functions.hpp>
#include <fovea/runtime/chat/tokens.hpp>

#include <algorithm>
#include <initializer_list>

namespace fovea::core::jinja {
namespace {

using kind = node::kind;

// Trees that nest deeper than any that a person writes would have the evaluator call itself as deep.
constexpr std::size_t most_nested = 150;

class parser {
public:
  parser(std::string_view text, const std::string& name) : tokens_(tokens_of(text, name)), name_(name) {}

  node_ptr whole() {
    node_ptr made = statements({});
    if (!is(token::kind::end)) fail("the end of the template");
    return made;
  }

private:
  // Tokens.

  const token& now() const { return tokens_[at_]; }
  bool is(token::kind what) const { return now().what == what; }
  bool is_symbol(std::string_view text) const { return is(token::kind::symbol) && now().text == text; }
  bool is_name(std::string_view text) const { return is(token::kind::name) && now().text == text; }
  bool is_name_of(std::initializer_list<std::string_view> texts) const {
    return std::ranges::any_of(texts, [&](std::string_view text) { return is_name(text); });
  }
  bool follows(token::kind what, std::string_view text) const { // after a token that is not the last
    return tokens_[at_ + 1].what == what && tokens_[at_ + 1].text == text;
  }
  const token& take() { return is(token::kind::end) ? tokens_[at_] : tokens_[at_++]; }
  bool skip_symbol(std::string_view text) {
    const bool found = is_symbol(text);
    if (found) ++at_;
    return found;
  }
  bool skip_name(std::string_view text) {
    const bool found = is_name(text);
    if (found) ++at_;
    return found;
  }
  void expect(token::kind what, const char* expected) {
    if (!is(what)) fail(expected);
    ++at_;
  }
  void expect_symbol(const char* text) {
    if (!skip_symbol(text)) fail(text);
  }
  std::string expect_name(const char* expected) {
    if (!is(token::kind::name)) fail(expected);
    return take().text;
  }
  [[noreturn]] void fail(const std::string& expected) const { fail(expected, shown(now())); }
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw error(name_ + ":" + std::to_string(now().line) + ": expected " + expected + "; found " + found);
  }

  // Nodes.

  /// Parts are moved: a list of them in braces would copy.
  template <class... part>
  static std::vector<node_ptr> parts_of(part... parts) {
    std::vector<node_ptr> made;
    (made.push_back(std::move(parts)), ...);
    return made;
  }
  node_ptr make(node made) const {
    for (const node_ptr& part : made.parts)
      if (part != nullptr) made.depth = std::max(made.depth, part->depth + 1);
    if (made.depth > most_nested) too_deep();
    return std::make_unique<const node>(std::move(made));
  }
  [[noreturn]] void too_deep() const {
    fail("parts nested at most " + std::to_string(most_nested) + " deep", "more");
  }
  node_ptr constant(value v) const {
    return make({.what = kind::constant, .line = now().line, .constant = std::move(v)});
  }

  /// Counts how deep the parser has called itself.
  class nested {
  public:
    explicit nested(const parser& in) : in_(in) {
      if (++in_.depth_ > most_nested) in_.too_deep();
    }
    nested(const nested&) = delete;
    nested& operator=(const nested&) = delete;
    ~nested() { --in_.depth_; }

  private:
    const parser& in_;
  };

  // Statements.

  /// Up to a tag with one of these names, which is left with its name to come, or to the end.
  node_ptr statements(std::initializer_list<std::string_view> ends) {
    const nested here(*this);
    node made{.what = kind::block, .line = now().line};
    for (;;) {
      const std::size_t line = now().line;
      if (is(token::kind::data)) {
        node_ptr text = constant(take().text);
        made.parts.push_back(make({.what = kind::print, .line = line, .parts = parts_of(std::move(text))}));
      } else if (is(token::kind::begin_output)) {
        ++at_;
        node_ptr shown = tuple();
        expect(token::kind::end_output, "an operator or }}");
        made.parts.push_back(make({.what = kind::print, .line = line, .parts = parts_of(std::move(shown))}));
      } else if (is(token::kind::begin_block)) {
        ++at_;
        if (is_name_of(ends)) return make(std::move(made));
        made.parts.push_back(statement());
      } else {
        return make(std::move(made));
      }
    }
  }

  /// The body of a tag, up to one of these, and then the end of that.
  node_ptr body(const char* end) {
    end_tag();
    node_ptr made = statements({end});
    close(end);
    return made;
  }
  void end_tag() { expect(token::kind::end_block, "an operator or %}"); }
  void close(const char* end) {
    if (!skip_name(end)) fail("{% " + std::string(end) + " %}");
    end_tag();
  }

  node_ptr statement() {
    const std::size_t line = now().line;
    const token& tag = now();
    expect(token::kind::name, "the name of a tag");
    if (tag.text == "if") return branches(line);
    if (tag.text == "for") return loop(line);
    if (tag.text == "set") return set(line);
    if (tag.text == "macro") return macro(line);
    if (tag.text == "filter") return filter_block(line);
    if (tag.text == "generation") { // marks what a model is trained on
      node_ptr text = filtered_body({}, "endgeneration", line);
      return make({.what = kind::print, .line = line, .parts = parts_of(std::move(text))});
    }
    if (tag.text == "break" || tag.text == "continue") {
      if (loops_ == 0) fail("this tag within a loop", "{% " + tag.text + " %} outside of one");
      end_tag();
      return make({.what = tag.text == "break" ? kind::leave : kind::go_on, .line = line});
    }
    --at_;
    fail("the tag if, for, set, macro, filter, generation, break, continue or raw");
  }

  node_ptr branches(std::size_t line) {
    node made{.what = kind::branches, .line = line};
    for (;;) {
      made.parts.push_back(tuple());
      end_tag();
      made.parts.push_back(statements({"elif", "else", "endif"}));
      if (skip_name("elif")) continue;
      if (skip_name("else"))
        made.parts.push_back(body("endif"));
      else
        close("endif");
      return make(std::move(made));
    }
  }

  node_ptr loop(std::size_t line) {
    node_ptr to = target();
    if (!skip_name("in")) fail("in");
    node_ptr over = tuple(false), condition, otherwise;
    if (skip_name("if")) condition = expression();
    if (is_name("recursive")) fail("a loop that is not recursive");
    end_tag();
    ++loops_;
    node_ptr each = statements({"else", "endfor"});
    --loops_;
    if (skip_name("else"))
      otherwise = body("endfor");
    else
      close("endfor");
    return make({.what = kind::loop,
                 .line = line,
                 .parts = parts_of(std::move(to), std::move(over), std::move(condition), std::move(each),
                                   std::move(otherwise))});
  }

  /// A name, or several with commas between them.
  node_ptr target() {
    const std::size_t line = now().line;
    std::vector<node_ptr> names;
    bool several = false;
    const bool in_brackets = skip_symbol("(");
    do {
      if (several && !is(token::kind::name)) break;
      names.push_back(
          make({.what = kind::name, .line = line, .text = expect_name("the name of a variable")}));
      several = several || is_symbol(",");
    } while (skip_symbol(","));
    if (in_brackets) expect_symbol(")");
    if (!several) return std::move(names.front());
    return make({.what = kind::tuple, .line = line, .parts = std::move(names)});
  }

  node_ptr set(std::size_t line) {
    node_ptr to;
    if (follows(token::kind::symbol, ".")) {
      node_ptr names =
          make({.what = kind::name, .line = line, .text = expect_name("the name of a namespace")});
      expect_symbol(".");
      std::string member = expect_name("the name of a member");
      to = make({.what = kind::attribute,
                 .line = line,
                 .text = std::move(member),
                 .parts = parts_of(std::move(names))});
    } else {
      to = target();
    }
    if (skip_symbol("=")) {
      node_ptr from = tuple();
      end_tag();
      return make({.what = kind::set, .line = line, .parts = parts_of(std::move(to), std::move(from))});
    }
    std::vector<node> filters;
    while (skip_symbol("|")) filters.push_back(filter_call());
    node_ptr from = filtered_body(std::move(filters), "endset", line);
    return make({.what = kind::set, .line = line, .parts = parts_of(std::move(to), std::move(from))});
  }

  /// The text of a body, through these filters.
  node_ptr filtered_body(std::vector<node> filters, const char* end, std::size_t line) {
    const std::size_t loops = std::exchange(loops_, 0); // none that a tag in here may leave
    node_ptr text = body(end);
    loops_ = loops;
    node_ptr made = make({.what = kind::capture, .line = line, .parts = parts_of(std::move(text))});
    for (node& filter : filters) {
      filter.parts.front() = std::move(made);
      made = make(std::move(filter));
    }
    return made;
  }

  node_ptr filter_block(std::size_t line) {
    std::vector<node> filters;
    do filters.push_back(filter_call());
    while (skip_symbol("|"));
    node_ptr text = filtered_body(std::move(filters), "endfilter", line);
    return make({.what = kind::print, .line = line, .parts = parts_of(std::move(text))});
  }

  node_ptr macro(std::size_t line) {
    std::string name = expect_name("the name of a macro");
    node_ptr to = make({.what = kind::name, .line = line, .text = name});
    node made{.what = kind::macro, .line = line, .text = std::move(name)};
    expect_symbol("(");
    while (!skip_symbol(")")) {
      if (!made.names.empty()) expect_symbol(",");
      made.names.push_back(expect_name("the name of a parameter"));
      if (skip_symbol("="))
        made.parts.push_back(expression());
      else if (!made.parts.empty())
        fail("a default of this parameter too, for the one before it has one");
    }
    const std::size_t loops = std::exchange(loops_, 0);
    made.parts.push_back(body("endmacro"));
    loops_ = loops;
    node_ptr from = make(std::move(made));
    return make({.what = kind::set, .line = line, .parts = parts_of(std::move(to), std::move(from))});
  }

  // Expressions.

  /// One, or a tuple of several with commas between them.
  node_ptr tuple(bool with_choice = true) {
    const std::size_t line = now().line;
    const auto one = [&] { return with_choice ? expression() : either(); };
    node_ptr first = one();
    if (!is_symbol(",")) return first;
    node made{.what = kind::tuple, .line = line, .parts = parts_of(std::move(first))};
    while (skip_symbol(",")) {
      if (is(token::kind::end_block) || is(token::kind::end_output) || is_symbol(")")) break;
      made.parts.push_back(one());
    }
    return make(std::move(made));
  }

  node_ptr expression() {
    const nested here(*this);
    const std::size_t line = now().line;
    node_ptr made = either();
    while (skip_name("if")) {
      node_ptr condition = either(), otherwise;
      if (skip_name("else")) otherwise = expression();
      made = make({.what = kind::choice,
                   .line = line,
                   .parts = parts_of(std::move(condition), std::move(made), std::move(otherwise))});
    }
    return made;
  }

  node_ptr either() {
    node_ptr made = both();
    while (is_name("or")) made = joined(kind::either, std::move(made), &parser::both);
    return made;
  }
  node_ptr both() {
    node_ptr made = negation();
    while (is_name("and")) made = joined(kind::both, std::move(made), &parser::negation);
    return made;
  }
  node_ptr negation() {
    if (!is_name("not")) return comparison();
    const nested here(*this);
    node made{.what = kind::unary, .line = now().line, .text = take().text};
    made.parts.push_back(negation());
    return make(std::move(made));
  }

  node_ptr comparison() {
    node made{.what = kind::compare, .line = now().line};
    made.parts.push_back(sum());
    for (;;) {
      if (is_name("not") && follows(token::kind::name, "in")) {
        at_ += 2;
        made.names.emplace_back("not in");
      } else if (is_name("in") || is_operator({"==", "!=", "<", "<=", ">", ">="})) {
        made.names.push_back(take().text);
      } else {
        break;
      }
      made.parts.push_back(sum());
    }
    return made.names.empty() ? std::move(made.parts.front()) : make(std::move(made));
  }

  bool is_operator(std::initializer_list<std::string_view> texts) const {
    return is(token::kind::symbol) && std::ranges::find(texts, now().text) != texts.end();
  }
  /// The operator or the word that comes, and its right part.
  node_ptr joined(kind what, node_ptr left, node_ptr (parser::*right)()) {
    node made{.what = what, .line = now().line, .text = take().text};
    made.parts.push_back(std::move(left));
    made.parts.push_back((this->*right)());
    return make(std::move(made));
  }
  node_ptr sum() {
    node_ptr made = concatenation();
    while (is_operator({"+", "-"})) {
      made = joined(kind::binary, std::move(made), &parser::concatenation);
      for (const node_ptr& side : made->parts) // whose marked text would have jinja2 escape the other
        if (side->what == kind::filter && side->text == "safe")
          fail("~ beside the filter safe", in_quotes(made->text));
    }
    return made;
  }
  node_ptr concatenation() {
    node_ptr made = product();
    while (is_operator({"~"})) made = joined(kind::binary, std::move(made), &parser::product);
    return made;
  }
  node_ptr product() {
    node_ptr made = power();
    while (is_operator({"*", "/", "//", "%"})) made = joined(kind::binary, std::move(made), &parser::power);
    return made;
  }
  node_ptr power() {
    node_ptr made = unary();
    while (is_operator({"**"})) made = joined(kind::binary, std::move(made), &parser::unary);
    return made;
  }
  node_ptr unary() { return filtered(signed_primary()); }
  node_ptr signed_primary() {
    const nested here(*this);
    if (!is_operator({"+", "-"})) return postfix(primary());
    node made{.what = kind::unary, .line = now().line, .text = take().text};
    made.parts.push_back(signed_primary());
    return make(std::move(made));
  }

  node_ptr primary() {
    const nested here(*this);
    const std::size_t line = now().line;
    if (is(token::kind::name)) {
      const std::string name = take().text;
      if (name == "true" || name == "True") return constant(true);
      if (name == "false" || name == "False") return constant(false);
      if (name == "none" || name == "None") return constant(nullptr);
      return make({.what = kind::name, .line = line, .text = name});
    }
    if (is(token::kind::text)) {
      std::string text;
      while (is(token::kind::text)) text += take().text;
      return constant(std::move(text));
    }
    if (is(token::kind::integer)) return constant(number<std::int64_t>("a whole number of 64 bits"));
    if (is(token::kind::real)) return constant(number<double>("a number"));
    if (skip_symbol("(")) {
      if (skip_symbol(")")) return make({.what = kind::tuple, .line = line});
      node_ptr made = tuple();
      expect_symbol(")");
      return made;
    }
    if (skip_symbol("[")) {
      node made{.what = kind::list, .line = line};
      while (!skip_symbol("]")) {
        if (!made.parts.empty()) expect_symbol(",");
        if (!made.parts.empty() && skip_symbol("]")) break;
        made.parts.push_back(expression());
      }
      return make(std::move(made));
    }
    if (skip_symbol("{")) {
      node made{.what = kind::dict, .line = line};
      while (!skip_symbol("}")) {
        if (!made.parts.empty()) expect_symbol(",");
        if (!made.parts.empty() && skip_symbol("}")) break;
        if (is(token::kind::integer) || is(token::kind::real)) fail("names of an object that are texts");
        made.parts.push_back(expression());
        expect_symbol(":");
        made.parts.push_back(expression());
      }
      return make(std::move(made));
    }
    fail("an expression");
  }
  template <class type>
  value number(const char* expected) {
    const auto read = number_in<type>(now().text);
    if (!read) fail(expected);
    ++at_;
    return *read;
  }

  node_ptr postfix(node_ptr of) {
    for (;;) {
      const std::size_t line = now().line;
      if (skip_symbol(".")) {
        if (is(token::kind::integer)) {
          node_ptr place = constant(number<std::int64_t>("a whole number of 64 bits"));
          of = make({.what = kind::item, .line = line, .parts = parts_of(std::move(of), std::move(place))});
          continue;
        }
        std::string name = expect_name("the name of a member");
        check_member(*of, name);
        of = make({.what = kind::attribute,
                   .line = line,
                   .text = std::move(name),
                   .parts = parts_of(std::move(of))});
      } else if (skip_symbol("[")) {
        of = subscript(std::move(of), line);
      } else if (is_symbol("(")) {
        node made{.what = kind::call, .line = line, .parts = parts_of(std::move(of))};
        call_arguments(made);
        of = make(std::move(made));
      } else {
        return of;
      }
    }
  }

  /// A method that no value has, and what no loop knows, is refused before it is met.
  void check_member(const node& of, const std::string& name) const {
    if (of.what == kind::name && of.text == "loop") {
      if (std::ranges::find(loop_members, name) == loop_members.end())
        fail("loop." + listed({loop_members.begin(), loop_members.end()}), "loop." + name);
    } else if (is_symbol("(") && std::ranges::find(methods, name) == methods.end()) {
      fail("one of the methods " + listed({methods.begin(), methods.end()}), "." + name + "()");
    }
  }

  node_ptr subscript(node_ptr of, std::size_t line) {
    std::vector<node_ptr> bounds;
    bool is_slice = false;
    for (;;) {
      bounds.push_back(is_symbol(":") || is_symbol("]") ? nullptr : expression());
      if (!skip_symbol(":")) break;
      is_slice = true;
    }
    if (bounds.size() > 3 || (!is_slice && bounds.front() == nullptr))
      fail("a place, or two bounds and a step");
    expect_symbol("]");
    if (!is_slice)
      return make(
          {.what = kind::item, .line = line, .parts = parts_of(std::move(of), std::move(bounds.front()))});
    bounds.resize(3);
    return make(
        {.what = kind::slice,
         .line = line,
         .parts = parts_of(std::move(of), std::move(bounds[0]), std::move(bounds[1]), std::move(bounds[2]))});
  }

  void call_arguments(node& made) {
    expect_symbol("(");
    bool is_first = true, has_names = false;
    while (!skip_symbol(")")) {
      if (!std::exchange(is_first, false)) expect_symbol(",");
      if (skip_symbol(")")) break;
      const bool is_named = is(token::kind::name) && follows(token::kind::symbol, "=");
      if (has_names && !is_named) fail("NAME=, for the argument before it has a name");
      has_names = is_named;
      made.names.push_back(is_named ? take().text : "");
      if (is_named) ++at_;
      made.parts.push_back(expression());
    }
  }

  node_ptr filtered(node_ptr of) {
    for (;;) {
      const std::size_t line = now().line;
      if (skip_symbol("|")) {
        node made = filter_call();
        made.parts.front() = std::move(of);
        of = make(std::move(made));
      } else if (skip_name("is")) {
        of = test(std::move(of), line);
      } else if (is_symbol("(")) { // of what a filter gives
        node made{.what = kind::call, .line = line, .parts = parts_of(std::move(of))};
        call_arguments(made);
        of = make(std::move(made));
      } else {
        return of;
      }
    }
  }

  /// A filter with its arguments, the first of which, what it is applied to, is not there yet.
  node filter_call() {
    node made{.what = kind::filter, .line = now().line, .text = expect_name("the name of a filter")};
    if (!is_filter(made.text)) fail("one of the filters " + filter_names(), in_quotes(made.text));
    made.parts.emplace_back();
    if (is_symbol("(")) call_arguments(made);
    // What these apply to each item is named by a text.
    if (made.text == "map" && made.parts.size() > 1)
      check_named(*made.parts[1], made.names[0].empty(), is_filter, filter_names);
    const std::size_t place = made.text.ends_with("attr") ? 2 : 1;
    if ((made.text.starts_with("select") || made.text.starts_with("reject")) && made.parts.size() > place)
      check_named(*made.parts[place], true, is_test, test_names);
    return made;
  }
  void check_named(const node& name, bool by_place, bool (*known)(std::string_view),
                   std::string (*names)()) const {
    if (!by_place || name.what != kind::constant || name.constant.text() == nullptr) return;
    if (!known(*name.constant.text())) fail("one of " + names(), in_quotes(*name.constant.text()));
  }

  node_ptr test(node_ptr of, std::size_t line) {
    const bool negated = skip_name("not");
    node made{.what = kind::test,
              .line = line,
              .text = expect_name("the name of a test"),
              .parts = parts_of(std::move(of))};
    if (!is_test(made.text)) fail("one of the tests " + test_names(), in_quotes(made.text));
    const bool has_one =
        is(token::kind::text) || is(token::kind::integer) || is(token::kind::real) || is_symbol("[") ||
        is_symbol("{") ||
        (is(token::kind::name) && !is_name_of({"else", "or", "and", "if", "is", "in", "not"}));
    if (is_symbol("(")) {
      call_arguments(made);
    } else if (has_one) {
      made.names.emplace_back();
      made.parts.push_back(postfix(primary()));
    }
    node_ptr result = make(std::move(made));
    if (!negated) return result;
    return make({.what = kind::unary, .line = line, .text = "not", .parts = parts_of(std::move(result))});
  }

  std::vector<token> tokens_;
  const std::string& name_;
  std::size_t at_ = 0, loops_ = 0;
  mutable std::size_t depth_ = 0;
};

} // namespace

node_ptr parsed(std::string_view template_text, const std::string& name) {
  return parser(template_text, name).whole();
}

} // namespace fovea::core::jinja
