#include "report.hpp"

#include <picture/curves.hpp>

#include <fovea/backends/simd/isa/dispatch.hpp>
#include <fovea/base/error.hpp>
#include <fovea/base/threads.hpp>
#include <fovea/weights/temporary_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <sstream>

namespace training {
namespace {

constexpr const char* page_begin = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{}</title>
<style>
body {{ font: 15px/1.5 sans-serif; margin: 2em auto; max-width: 54em; padding: 0 1em; color: #222; }}
h1 {{ font-size: 1.5em; }} h2 {{ font-size: 1.1em; margin-top: 2em; }}
table {{ border-collapse: collapse; }} td {{ padding: .15em 1.5em .15em 0; vertical-align: top; }}
td:first-child {{ color: #666; }} svg, img {{ max-width: 100%; height: auto; }}
pre {{ background: #f4f5f7; padding: 1em; white-space: pre-wrap; }}
</style>
</head>
<body>
<h1>{}</h1>
)";

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      default:
        safe += c;
    }
  return safe;
}

std::string table(const char* title, const facts& rows) {
  std::string text = fmt::format("<h2>{}</h2>\n<table>\n", title);
  for (const auto& [what, value] : rows)
    text += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escaped(what), escaped(value));
  return text + "</table>\n";
}

/// As part of an address (RFC 3986, section 2): a picture so held has names of its own for its parts.
std::string in_address(const std::string& text) {
  std::string safe;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      safe += c;
    else
      safe += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return safe;
}

std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

void draw(const std::vector<log_row>& rows, const std::string& held_out_name,
          const std::filesystem::path& file) {
  picture::curve learned{"loss", {}, picture::blue}, held_out{held_out_name + " loss", {}, picture::orange};
  for (const log_row& row : rows) {
    learned.points.push_back({static_cast<double>(row.step), row.loss});
    held_out.points.push_back({static_cast<double>(row.step), row.validation});
  }
  picture::save(std::array{learned, held_out}, "step", file);
}

} // namespace

std::string share(std::size_t part, std::size_t all) {
  return fmt::format("{:.2f} % of {}", 100 * static_cast<double>(part) / static_cast<double>(all), all);
}

void write_report(const report& r, const std::filesystem::path& folder) {
  const std::string title = escaped(r.title);
  std::string page = fmt::format(fmt::runtime(page_begin), title, title) + table("Figures", r.figures);
  if (!r.rows.empty()) {
    draw(r.rows, r.held_out, folder / "curves.svg");
    const std::string picture = content(folder / "curves.svg");
    // A page holds the element alone, without the declaration of a file.
    page += "<h2>Loss</h2>\n" + picture.substr(std::min(picture.find("<svg"), picture.size()));
  }
  page += table("Options", r.options);
  if (!r.samples.empty()) page += "<h2>Samples</h2>\n";
  for (const std::string& sample : r.samples) page += "<pre>" + escaped(sample) + "</pre>\n";
  for (const auto& picture : r.pictures)
    page += "<img alt=\"" + escaped(picture.stem().string()) + "\" src=\"data:image/svg+xml," +
            in_address(content(picture)) + "\">\n";
  page += "</body>\n</html>\n";
  fovea::core::temporary_file file(folder / "report.html");
  file.write(std::as_bytes(std::span(page)));
  file.commit();
}

facts machine(int threads) {
  std::ifstream in("/proc/cpuinfo");
  std::string processor = "unknown";
  for (std::string line; std::getline(in, line);)
    if (const std::size_t colon = line.find(": "); line.starts_with("model name") && colon != line.npos) {
      processor = line.substr(colon + 2);
      break;
    }
#ifdef __clang__
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
  const std::size_t used = threads > 0 ? static_cast<std::size_t>(threads) : fovea::usable_processors();
  return {{"processor", processor},
          {"threads", std::to_string(used)},
          {"instruction set", fovea::instruction_set()},
          {"compiler", compiler}};
}

} // namespace training
