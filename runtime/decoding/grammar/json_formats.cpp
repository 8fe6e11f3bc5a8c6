#include <fovea/runtime/decoding/grammar/json_formats.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace fovea::core::grammar {
namespace {

std::string any_of(const std::vector<std::string>& ways) {
  std::string made;
  for (const std::string& way : ways) made += (made.empty() ? "(?:" : "|") + way;
  return made + ")";
}

/// RFC 3339, section 5.6, with the days that each month has.
std::string date() {
  const std::string leap_year =
      any_of({R"(\d\d(?:0[48]|[2468][048]|[13579][26]))", "(?:[02468][048]|[13579][26])00"});
  return any_of({R"(\d{4}-(?:0[13578]|1[02])-31)", R"(\d{4}-(?:0[13-9]|1[0-2])-(?:29|30))",
                 R"(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8]))", leap_year + "-02-29"});
}
/// Of the same section; seconds have at most 6 digits behind the point, and none leaps.
std::string time() {
  const std::string hour_and_minute = R"((?:[01]\d|2[0-3]):[0-5]\d)";
  return hour_and_minute + R"(:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-])" + hour_and_minute + ")";
}
/// RFC 3339, appendix A.
std::string duration() {
  const std::string seconds = R"(\d{1,9}S)", minutes = R"(\d{1,9}M(?:\d{1,9}S)?)",
                    hours = R"(\d{1,9}H(?:\d{1,9}M(?:\d{1,9}S)?)?)",
                    time = "T" + any_of({seconds, minutes, hours}), days = R"(\d{1,9}D)",
                    weeks = R"(\d{1,9}W)", months = R"(\d{1,9}M(?:\d{1,9}D)?)",
                    years = R"(\d{1,9}Y(?:\d{1,9}M(?:\d{1,9}D)?)?)";
  return "P" + any_of({any_of({days, months, years}) + "(?:" + time + ")?", time, weeks});
}
/// RFC 9562, section 4; version 4 is that of section 5.4.
std::string uuid(const std::string& third, const std::string& fourth) {
  const std::string hex = "[0-9A-Fa-f]";
  return hex + "{8}-" + hex + "{4}-" + third + hex + "{3}-" + fourth + hex + "{3}-" + hex + "{12}";
}
/// A label of RFC 1123, section 2.1.
std::string label() { return "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"; }
std::string hostname() { return label() + "(?:\\." + label() + "){0,3}"; }
/// RFC 5321, section 4.1.2: a dot-string at a domain, which ends in letters.
std::string email() {
  const std::string atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
  return atom + "(?:\\." + atom + ")*@(?:" + label() + "\\.)+[A-Za-z]{2,63}";
}
/// RFC 3986, section 3.2.2.
std::string ipv4() {
  const std::string byte = R"((?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))";
  return byte + "(?:\\." + byte + "){3}";
}
/// RFC 4291, section 2.2, forms 1 and 2.
std::string ipv6() {
  const std::string group = "[0-9A-Fa-f]{1,4}", before = "(?:" + group + ":)", behind = "(?::" + group + ")";
  std::vector<std::string> ways{before + "{7}" + group, before + "{1,7}:", ":" + behind + "{1,7}", "::"};
  for (int left = 1; left <= 6; ++left)
    ways.push_back(before + "{1," + std::to_string(left) + "}" + behind + "{1," + std::to_string(7 - left) +
                   "}");
  return any_of(ways);
}
/// RFC 3986, appendix A, with an authority that is a name and a port; at most 2,083 characters.
std::string uri() {
  const auto characters = [](const std::string& more, int most) {
    return "(?:[A-Za-z0-9._~!$&'()*+,;=:@" + more + "-]|%[0-9A-Fa-f]{2}){0," + std::to_string(most) + "}";
  };
  return "[A-Za-z][A-Za-z0-9+.-]{0,15}://" + hostname() + R"((?::\d{1,5})?(?:/)" + characters("/", 400) +
         R"()?(?:\?)" + characters("/?", 150) + ")?(?:#" + characters("/?", 50) + ")?";
}

const std::vector<std::pair<std::string_view, std::string>>& formats() {
  static const std::vector<std::pair<std::string_view, std::string>> all{
      {"date", date()},
      {"time", time()},
      {"date-time", date() + "T" + time()},
      {"duration", duration()},
      {"uuid", uuid("[0-9A-Fa-f]", "[0-9A-Fa-f]")},
      {"uuid4", uuid("4", "[89ABab]")},
      {"email", email()},
      {"hostname", hostname()},
      {"ipv4", ipv4()},
      {"ipv6", ipv6()},
      {"uri", uri()},
      {"password", ""},
      {"binary", ""},
      {"path", ""}};
  return all;
}

} // namespace

std::optional<std::string> expression_of_format(std::string_view format) {
  const auto found = std::ranges::find_if(formats(), [&](const auto& one) { return one.first == format; });
  return found == formats().end() ? std::nullopt : std::optional(found->second);
}

std::string format_names() {
  std::string names;
  for (const auto& [name, says] : formats()) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

} // namespace fovea::core::grammar
