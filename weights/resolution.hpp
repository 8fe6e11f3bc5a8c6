#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/weights/convert.hpp>
#include <fovea/weights/name_rules.hpp>
#include <fovea/weights/problems.hpp>
#include <fovea/weights/to_floats.hpp>
#include <fovea/weights/training_names.hpp>
#include <fovea/weights/weights.hpp>

namespace fovea::core {

/// What fills one parameter: a tensor of the checkpoint under its own name, several that are joined, or a
/// direction and its gain, and the rule's transform.
struct filling {
  std::vector<const std::string*> tensors;
  naming::transform how;

  std::string name() const {
    std::string all;
    for (const std::string* each : tensors) all += (all.empty() ? "" : " + ") + *each;
    return all;
  }
};

/// A parameter that is read as it is stored.
struct unconverted {
  std::size_t place; // in wanted
  stored_tensor tensor;
  std::shared_ptr<const packed> owned; // its bytes, if they lie nowhere else
};

/// Second copies by `tied` rules: {our parameter's place in wanted, their tensor}.
using tied_copies = std::vector<std::pair<std::size_t, const std::string*>>;

/// Which tensors fill the parameters of one call of model_weights::resolve, in the order of its members.
class resolution {
public:
  resolution(const std::string& source, const std::map<std::string, stored_tensor>& tensors,
             std::span<const wanted_parameter> wanted, std::span<const name_rule> rules)
      : source_(source), tensors_(tensors), wanted_(wanted), rules_(rules), names_(names_without_prefix()) {}

  /// What fills each parameter. All that does not fit, names and shapes, is one error; where only what is
  /// known need match, shapes alone.
  std::vector<filling> match(matching how) const {
    std::vector<filling> result;
    std::set<const std::string*> used;
    problems missing(", ");
    for (const wanted_parameter& parameter : wanted_) {
      const filling found = find(parameter.name);
      used.insert(found.tensors.begin(), found.tensors.end());
      if (how != matching::known && found.tensors.empty())
        missing.add("'" + parameter.name + "' " + shape_text(parameter.shape) +
                    expected_under(parameter.name));
      result.push_back(found);
    }
    problems extra(", ");
    for (const auto& [name, full] : names_)
      if (how == matching::whole && !used.contains(full) && !is_of_training(*full) && !skipped(name))
        extra.add(in_quotes(*full) + " " + shape_text(tensors_.at(*full).shape));
    const problems misfits = misfits_of(result);
    std::string message;
    const std::size_t kinds = !missing.empty() + !extra.empty() + !misfits.empty();
    const auto say = [&](const char* what, const problems& of) {
      if (!of.empty()) message += (message.empty() ? "" : "; ") + (what + of.text(kinds));
    };
    say("no tensor fills the parameters ", missing);
    say("no parameter wants and no rule ignores the tensors ", extra);
    say("", misfits);
    if (!message.empty()) say("no parameter has a name of the rules for ", idle_rules());
    if (!message.empty()) throw error(source_ + ": " + message);
    return result;
  }

  tied_copies copies() const {
    tied_copies result;
    for (const name_rule& rule : rules_) {
      if (!rule.how.is(kind::tied)) continue;
      for (std::size_t i = 0; i < wanted_.size(); ++i)
        if (const auto indices = match_indices(rule.ours, wanted_[i].name))
          if (const auto found = names_.find(fill_indices(rule.theirs, *indices)); found != names_.end())
            result.emplace_back(i, found->second);
    }
    return result;
  }

  /// The parameters that their user reads as they are stored. What has a second copy is compared as floats.
  std::vector<unconverted> left_as_stored(const std::vector<filling>& fillings,
                                          const tied_copies& copies) const {
    std::vector<unconverted> left;
    for (std::size_t i = 0; i < fillings.size(); ++i) {
      if (!wanted_[i].stored || fillings[i].tensors.size() != 1) continue;
      const stored_tensor& tensor = tensors_.at(*fillings[i].tensors.front());
      if (tensor.type != *wanted_[i].stored &&
          format_beside(wanted_[i].format, tensor.type) == wanted_[i].format)
        continue;
      if (std::ranges::any_of(copies, [&](const auto& copy) { return copy.first == i; })) continue;
      if (auto rows = whole_rows(tensor, fillings[i].how))
        left.push_back({i, std::move(rows->tensor), std::move(rows->owned)});
    }
    return left;
  }

private:
  using kind = naming::transform::kind;

  /// The checkpoint's tensors by the names that rules use: without an optional prefix.
  std::map<std::string_view, const std::string*> names_without_prefix() const {
    std::map<std::string_view, const std::string*> names;
    for (const auto& [full, tensor] : tensors_) {
      std::string_view name = full;
      for (const name_rule& rule : rules_)
        if (rule.how.is(kind::optional_prefix) && name.starts_with(rule.theirs)) {
          name.remove_prefix(std::string_view(rule.theirs).size());
          break;
        }
      const auto [other, added] = names.emplace(name, &full);
      if (!added)
        throw error(source_ + ": tensors " + in_quotes(*other->second) + " and " + in_quotes(full) +
                    " are both " + in_quotes(name) + " once an optional prefix is taken off");
    }
    return names;
  }

  /// Rules whose own side no parameter has. A table may serve several models: they are told beside a problem.
  problems idle_rules() const {
    problems idle(", ");
    for (const name_rule& rule : rules_)
      if (fills(rule) && std::ranges::none_of(wanted_, [&](const wanted_parameter& parameter) {
            return match_indices(rule.ours, parameter.name).has_value();
          }))
        idle.add(in_quotes(rule.ours));
    return idle;
  }

  /// The tensors that are there under the right name and of another shape or type.
  problems misfits_of(const std::vector<filling>& fillings) const {
    problems misfits("; ");
    for (std::size_t i = 0; i < fillings.size(); ++i) {
      const filling& f = fillings[i];
      if (f.tensors.empty()) continue;
      const std::string what =
          "tensor '" + f.name() + "'" + (f.name() == wanted_[i].name ? "" : " for '" + wanted_[i].name + "'");
      try {
        const auto shape = joined_shape(f);
        if (shape != wanted_[i].shape)
          misfits.add(what + ": expected " + shape_text(wanted_[i].shape) + "; found " + shape_text(shape) +
                      (f.how.count ? ", made of " + shape_text(tensors_.at(*f.tensors.front()).shape) : ""));
      } catch (const error& reason) {
        misfits.add(what + ": " + reason.what());
      }
    }
    return misfits;
  }

  /// The shape that a filling gives its parameter.
  std::vector<std::size_t> joined_shape(const filling& f) const {
    std::vector<std::size_t> whole;
    for (const std::string* each : f.tensors) {
      const stored_tensor& tensor = tensors_.at(*each);
      if (!holds_reals(tensor.type))
        throw error("expected a type that holds reals; found " + std::string(element_name(tensor.type)));
      if (f.how.takes_a_gain() && each != f.tensors.front()) {
        check_gain(tensor.shape, tensors_.at(*f.tensors.front()).shape);
        continue;
      }
      auto shape = transformed_shape(f.how, tensor.shape);
      if (!whole.empty()) {
        if (!std::ranges::equal(std::span(shape).subspan(1), std::span(whole).subspan(1)))
          throw error("cannot join " + shape_text(whole) + " and " + shape_text(shape));
        shape[0] += whole[0];
      }
      whole = std::move(shape);
    }
    return whole;
  }

  static void check_gain(const std::vector<std::size_t>& gain, const std::vector<std::size_t>& direction) {
    bool fits = gain.size() == direction.size();
    for (std::size_t i = 0; fits && i < gain.size(); ++i) fits = gain[i] == 1 || gain[i] == direction[i];
    if (!fits)
      throw error("expected a gain of 1 or as many along each axis of " + shape_text(direction) + "; found " +
                  shape_text(gain));
  }

  /// The name of the gain beside a direction.
  static std::string gain_of(const std::string& direction) {
    for (const auto& [of_direction, of_gain] : {std::pair{"_v", "_g"}, std::pair{"original1", "original0"}})
      if (direction.ends_with(of_direction))
        return direction.substr(0, direction.size() - std::string_view(of_direction).size()) + of_gain;
    throw error("names table: '" + direction +
                "': weight_normed expected the name of a direction, which ends in _v or original1");
  }

  static bool fills(const name_rule& rule) {
    return !rule.how.is(kind::ignored) && !rule.how.is(kind::optional_prefix) && !rule.how.is(kind::tied);
  }

  static std::optional<long> first_part(const name_rule& rule) {
    return rule.how.joins() ? std::optional<long>(0) : std::nullopt;
  }

  filling find(const std::string& parameter) const {
    for (const name_rule& rule : rules_) {
      if (!fills(rule)) continue;
      const auto indices = match_indices(rule.ours, parameter);
      if (!indices) continue;
      filling made{{}, rule.how};
      for (std::optional<long> part = first_part(rule); true; ++*part) {
        const auto found = names_.find(fill_indices(rule.theirs, *indices, part));
        if (found == names_.end()) break;
        made.tensors.push_back(found->second);
        if (!part) break;
      }
      if (!made.tensors.empty() && rule.how.takes_a_gain()) {
        const auto gain = names_.find(gain_of(fill_indices(rule.theirs, *indices)));
        if (gain == names_.end()) continue;
        made.tensors.push_back(gain->second);
      }
      if (!made.tensors.empty()) return made;
    }
    const auto found = names_.find(parameter);
    if (found == names_.end()) return {};
    return {{found->second}, {}};
  }

  std::string expected_under(const std::string& parameter) const {
    std::string names;
    for (const name_rule& rule : rules_)
      if (fills(rule))
        if (const auto indices = match_indices(rule.ours, parameter)) {
          const std::string theirs = fill_indices(rule.theirs, *indices, first_part(rule));
          names += (names.empty() ? "'" : " or '") + theirs + "'";
          if (rule.how.takes_a_gain()) names += " and '" + gain_of(theirs) + "'";
        }
    return names.empty() ? "" : " (expected as " + names + ")";
  }

  bool skipped(std::string_view name) const {
    return std::ranges::any_of(rules_, [&](const name_rule& rule) {
      return (rule.how.is(kind::ignored) || rule.how.is(kind::tied)) && matches_some_index(rule.theirs, name);
    });
  }

  const std::string& source_;
  const std::map<std::string, stored_tensor>& tensors_;
  std::span<const wanted_parameter> wanted_;
  std::span<const name_rule> rules_;
  std::map<std::string_view, const std::string*> names_;
};

} // namespace fovea::core
