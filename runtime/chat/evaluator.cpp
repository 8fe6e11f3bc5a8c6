#include <fovea/runtime/chat/evaluator.hpp>

#include <fovea/runtime/chat/chat_error.hpp>
#include <fovea/runtime/chat/functions.hpp>
#include <fovea/runtime/chat/strftime.hpp>

#include <algorithm>

namespace fovea::core::jinja {
namespace {

using kind = node::kind;
using names = std::vector<std::pair<std::string, value>>;

/// What the names of a part of the template mean.
struct scope {
  scope* outer;
  names own = {};
  bool is_kept = false; // a macro sees it, which may be called after the part has ended

  value* find(std::string_view name) {
    const auto found = std::ranges::find(own, name, &names::value_type::first);
    return found != own.end() ? &found->second : outer != nullptr ? outer->find(name) : nullptr;
  }
  void set(const std::string& name, value v) {
    const auto found = std::ranges::find(own, name, &names::value_type::first);
    if (found == own.end())
      own.emplace_back(name, std::move(v));
    else
      found->second = std::move(v);
  }
};

/// How a statement ends.
enum class flow { next, leave, go_on };

class evaluator {
public:
  evaluator(names variables, const std::tm& now) : now_(now) {
    add_functions();
    for (auto& [name, v] : variables) top_.set(name, std::move(v));
  }
  evaluator(const evaluator&) = delete;
  evaluator& operator=(const evaluator&) = delete;
  /// Namespaces may hold one another, and themselves.
  ~evaluator() {
    for (const auto& made : spaces_) made->members.clear();
  }

  std::string run(const node& whole) {
    std::string out;
    execute(whole, out);
    return out;
  }
  std::size_t line() const { return line_; }

private:
  // What it may cost.

  void spend(std::size_t bytes) {
    steps_ += 1 + bytes / bytes_of_step;
    if (steps_ > most_steps)
      throw error("expected a template that ends within " + std::to_string(most_steps) +
                  " steps; found one that goes on");
  }

  class nested {
  public:
    nested(evaluator& in, const node& at) : in_(in) {
      in.line_ = at.line;
      in.spend(0);
      if (in.depth_ == most_calls)
        throw error("expected a template that calls itself at most " + std::to_string(most_calls) +
                    " deep; found more");
      ++in.depth_;
    }
    nested(const nested&) = delete;
    nested& operator=(const nested&) = delete;
    ~nested() { --in_.depth_; }

  private:
    evaluator& in_;
  };

  /// A scope within the present one, or within that of a macro.
  class inner {
  public:
    inner(evaluator& in, scope* outer)
        : in_(in), before_(in.scope_), made_(std::make_unique<scope>(scope{outer})) {
      in.scope_ = made_.get();
    }
    inner(const inner&) = delete;
    inner& operator=(const inner&) = delete;
    ~inner() {
      in_.scope_ = before_;
      if (made_->is_kept) in_.kept_.push_back(std::move(made_));
    }

  private:
    evaluator& in_;
    scope* before_;
    std::unique_ptr<scope> made_;
  };

  // Statements.

  flow execute(const node& n, std::string& out) {
    const nested here(*this, n);
    switch (n.what) {
      case kind::block:
        for (const node_ptr& part : n.parts)
          if (const flow ended = execute(*part, out); ended != flow::next) return ended;
        return flow::next;
      case kind::print:
        print(evaluate(*n.parts.front()), out);
        return flow::next;
      case kind::branches:
        return branch(n, out);
      case kind::loop:
        return loop(n, out);
      case kind::set:
        assign(*n.parts[0], evaluate(*n.parts[1]));
        return flow::next;
      case kind::leave:
        return flow::leave;
      default:
        return flow::go_on;
    }
  }

  void print(const value& v, std::string& out) {
    spend(v.size());
    if (const std::string* text = v.text())
      out += *text;
    else
      out += printed(v);
    check_size(out.size());
  }

  flow branch(const node& n, std::string& out) {
    std::size_t i = 0;
    for (; i + 1 < n.parts.size(); i += 2)
      if (is_true(evaluate(*n.parts[i]))) return execute(*n.parts[i + 1], out);
    return i < n.parts.size() ? execute(*n.parts[i], out) : flow::next;
  }

  flow loop(const node& n, std::string& out) {
    const node &target = *n.parts[0], &body = *n.parts[3];
    const std::vector<value> all = chosen(n);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const inner here(*this, scope_);
      assign(target, all[i]);
      spend(16 * bytes_of_step); // what a loop says of itself costs as much
      scope_->set("loop", state_of_loop(all, i));
      if (execute(body, out) == flow::leave) break;
    }
    if (all.empty() && n.parts[4] != nullptr) return execute(*n.parts[4], out);
    return flow::next;
  }

  /// What a loop goes through, without what its condition leaves out.
  std::vector<value> chosen(const node& n) {
    const value over = evaluate(*n.parts[1]);
    spend(over.size());
    std::vector<value> all = iterated(over);
    if (n.parts[2] == nullptr) return all;
    std::vector<value> made;
    for (value& one : all) {
      const inner here(*this, scope_);
      assign(*n.parts[0], one);
      if (is_true(evaluate(*n.parts[2]))) made.push_back(std::move(one));
    }
    return made;
  }

  static value state_of_loop(const std::vector<value>& all, std::size_t i) {
    const auto number = [](std::size_t n) { return value(static_cast<std::int64_t>(n)); };
    const std::size_t left = all.size() - i;
    names state{{"index", number(i + 1)},        {"index0", number(i)}, {"revindex", number(left)},
                {"revindex0", number(left - 1)}, {"first", i == 0},     {"last", left == 1},
                {"length", number(all.size())},  {"depth", number(1)},  {"depth0", number(0)}};
    if (i > 0) state.emplace_back("previtem", all[i - 1]);
    if (left > 1) state.emplace_back("nextitem", all[i + 1]);
    state.emplace_back("cycle", function([i](const arguments& given) {
                         if (given.places.empty())
                           throw error("loop.cycle: expected an argument; found none");
                         return given.places[i % given.places.size()];
                       }));
    return value::of_dict(std::move(state));
  }

  void assign(const node& target, const value& v) {
    if (target.what == kind::name) {
      scope_->set(target.text, v);
    } else if (target.what == kind::attribute) {
      const value held = evaluate(*target.parts.front());
      if (held.names() == nullptr)
        throw error("expected a namespace to set a member of; found " + described(held));
      (*held.names())[target.text] = v;
    } else {
      const std::vector<value> all = iterated(v);
      if (all.size() != target.parts.size())
        throw error("expected " + std::to_string(target.parts.size()) + " values for as many names; found " +
                    std::to_string(all.size()));
      for (std::size_t i = 0; i < all.size(); ++i) scope_->set(target.parts[i]->text, all[i]);
    }
  }

  // Expressions.

  value evaluate(const node& n) {
    const nested here(*this, n);
    switch (n.what) {
      case kind::constant:
        return n.constant;
      case kind::name:
        return named(n.text);
      case kind::list:
      case kind::tuple:
        return value::of_list(all_of(n, 0), n.what == kind::tuple);
      case kind::dict:
        return dict_of(n);
      case kind::attribute:
        return attribute(evaluate(*n.parts[0]), n.text);
      case kind::item: {
        const value of = evaluate(*n.parts[0]), by = evaluate(*n.parts[1]);
        spend(of.text() != nullptr ? of.size() : 0);
        return item(of, by);
      }
      case kind::slice: {
        const std::vector<value> all = all_of(n, 0);
        spend(all[0].size());
        return slice(all[0], all[1], all[2], all[3]);
      }
      case kind::call:
      case kind::filter:
      case kind::test:
        return applied(n);
      case kind::unary:
        return unary(n.text, evaluate(*n.parts[0]));
      case kind::binary:
        return operated(n);
      case kind::compare:
        return comparison(n);
      case kind::both: {
        value left = evaluate(*n.parts[0]);
        return is_true(left) ? evaluate(*n.parts[1]) : left;
      }
      case kind::either: {
        value left = evaluate(*n.parts[0]);
        return is_true(left) ? left : evaluate(*n.parts[1]);
      }
      case kind::choice:
        if (is_true(evaluate(*n.parts[0]))) return evaluate(*n.parts[1]);
        return n.parts[2] == nullptr ? value() : evaluate(*n.parts[2]);
      case kind::capture: {
        const inner scope_of_body(*this, scope_);
        std::string text;
        execute(*n.parts.front(), text);
        return text;
      }
      default:
        return macro(n);
    }
  }

  value named(const std::string& name) {
    const value* found = scope_->find(name);
    return found != nullptr ? *found : undefined{std::make_shared<const std::string>(name)};
  }

  std::vector<value> all_of(const node& n, std::size_t from) {
    std::vector<value> made;
    for (std::size_t i = from; i < n.parts.size(); ++i)
      made.push_back(n.parts[i] == nullptr ? value() : evaluate(*n.parts[i]));
    return made;
  }

  value dict_of(const node& n) {
    name_space made; // of a name that comes twice the last counts
    for (std::size_t i = 0; i < n.parts.size(); i += 2) {
      const value name = evaluate(*n.parts[i]);
      made[name.text_of("names of an object that are texts")] = evaluate(*n.parts[i + 1]);
    }
    return value::of_dict(std::move(made.members));
  }

  value operated(const node& n) {
    const value left = evaluate(*n.parts[0]), right = evaluate(*n.parts[1]);
    line_ = n.line;
    value made = binary(n.text, left, right);
    spend(made.size());
    return made;
  }

  value comparison(const node& n) {
    value left = evaluate(*n.parts[0]);
    for (std::size_t i = 0; i < n.names.size(); ++i) {
      value right = evaluate(*n.parts[i + 1]);
      line_ = n.line;
      spend(std::min(left.size(), right.size()) + (n.names[i].ends_with("in") ? right.size() : 0));
      if (!compared(n.names[i], left, right)) return false;
      left = std::move(right);
    }
    return true;
  }

  /// A call, a filter or a test.
  value applied(const node& n) {
    const value first = evaluate(*n.parts.front());
    arguments given;
    if (n.what != kind::call) given.places.push_back(first);
    std::size_t bytes = first.size(); // of a method, what it is one of
    for (std::size_t i = 0; i < n.names.size(); ++i) {
      value one = evaluate(*n.parts[i + 1]);
      bytes += one.size();
      if (n.names[i].empty())
        given.places.push_back(std::move(one));
      else
        given.named.emplace_back(n.names[i], std::move(one));
    }
    line_ = n.line;
    spend(bytes);
    if (n.what == kind::test) return tested(n.text, given);
    if (n.what == kind::call && first.call() == nullptr)
      throw error("expected a function; found " + described(first));
    value made = n.what == kind::filter ? filtered(n.text, given) : (*first.call())(given);
    line_ = n.line;
    spend(made.size());
    return made;
  }

  value macro(const node& n) {
    for (scope* seen = scope_; seen != nullptr; seen = seen->outer) seen->is_kept = true;
    return function([this, &n, seen = scope_](const arguments& given) { return called(n, seen, given); });
  }

  value called(const node& n, scope* seen, const arguments& given) {
    const inner here(*this, seen);
    check_arguments(n.text, {n.names.begin(), n.names.end()}, given);
    const std::size_t without_default = n.names.size() + 1 - n.parts.size();
    for (std::size_t i = 0; i < n.names.size(); ++i) {
      value v = given.at(i, n.names[i]);
      if (!given.has(i, n.names[i]))
        v = i >= without_default ? evaluate(*n.parts[i - without_default])
                                 : undefined{std::make_shared<const std::string>(n.names[i])};
      scope_->set(n.names[i], std::move(v));
    }
    std::string text;
    execute(*n.parts.back(), text);
    return text;
  }

  // Functions of every template.

  void add_functions() {
    top_.set("range", function(range));
    top_.set("dict", function([](const arguments& given) { return value::of_dict(members_of(given)); }));
    top_.set("namespace", function([this](const arguments& given) {
               spaces_.push_back(std::make_shared<name_space>(name_space{members_of(given)}));
               return value(spaces_.back());
             }));
    top_.set("raise_exception",
             function([](const arguments& given) -> value { throw error(printed(given.at(0, "message"))); }));
    top_.set("strftime_now", function([this](const arguments& given) {
               return value(time_text(given.at(0, "format").text_of("a format of strftime"), now_));
             }));
  }

  static names members_of(const arguments& given) {
    name_space made;
    if (!given.places.empty()) {
      const dict* from = given.places.front().members();
      if (from == nullptr) throw error("expected an object; found " + described(given.places.front()));
      made.members = from->members;
    }
    for (const auto& [name, v] : given.named) made[name] = v;
    return std::move(made.members);
  }

  static value range(const arguments& given) {
    constexpr std::int64_t most = 100'000; // of jinja2's sandbox
    if (given.places.empty() || given.places.size() > 3)
      throw error("range: expected one to three whole numbers; found " + std::to_string(given.places.size()));
    const auto number = [&](std::size_t i) {
      const std::int64_t n = given.places[i].integer();
      if (n > most || n < -most)
        throw error("range: expected whole numbers up to " + std::to_string(most) + "; found " +
                    std::to_string(n));
      return n;
    };
    const std::int64_t begin = given.places.size() == 1 ? 0 : number(0),
                       end = number(given.places.size() == 1 ? 0 : 1),
                       step = given.places.size() == 3 ? number(2) : 1;
    if (step == 0) throw error("range: expected a step other than 0; found 0");
    std::vector<value> made;
    for (std::int64_t i = begin; step > 0 ? i < end : i > end; i += step) made.emplace_back(i);
    return value::of_list(std::move(made));
  }

  scope top_{nullptr};
  scope* scope_ = &top_;
  std::vector<std::unique_ptr<scope>> kept_;
  std::vector<std::shared_ptr<name_space>> spaces_;
  std::size_t steps_ = 0, depth_ = 0, line_ = 1;
  const std::tm& now_;
};

} // namespace

std::string rendered(const node& whole, std::vector<std::pair<std::string, value>> variables,
                     const std::tm& now, const std::string& name) {
  evaluator run(std::move(variables), now);
  try {
    return run.run(whole);
  } catch (const error& problem) {
    throw chat_error(name + ":" + std::to_string(run.line()), problem.what());
  }
}

} // namespace fovea::core::jinja
