#include "convert.hpp"

#include "conversion.hpp"
#include "pack.hpp"

#include "../command.hpp"
#include "../failure.hpp"
#include "../size_text.hpp"

#include <program/text.hpp>
#include <terminal/terminal.hpp>

#include <fovea/base/error.hpp>
#include <fovea/weights/stored_tensor.hpp>
#include <fovea/weights/weight_format.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

namespace tool {
namespace {

namespace fs = std::filesystem;
using namespace convert;
using fovea::element_type;

/// Those that files hold, by name.
const std::map<std::string, element_type> formats = [] {
  std::map<std::string, element_type> made;
  for (const fovea::core::format_traits& each : fovea::core::all_formats::traits)
    if (each.in_files() && !each.rounds_rows) made.emplace(each.name, each.stored);
  return made;
}();

/// The others too, which packed weights may have.
const std::vector<std::string> all_formats = [] {
  std::vector<std::string> made;
  for (const fovea::core::format_traits& each : fovea::core::all_formats::traits)
    made.emplace_back(each.name);
  return made;
}();

struct arguments {
  fs::path from, to;
  std::string format;
  choice asked;
  std::vector<std::string> packed_for; // header and model
  packing packs;
  bool json = false;
};

void declare_options(CLI::App& app, arguments& a) {
  app.add_option("IN", a.from, "Weights: a file of any known format, an index of shards, or a folder")
      ->required();
  app.add_option("OUT", a.to, "The file to write: NAME.gguf, or NAME.safetensors, which has no blocks")
      ->required();
  app.add_option("--format", a.format,
                 fmt::format("Of the matrices: {}; f32 of packed weights where it is not said",
                             fmt::join(std::views::keys(formats), ", ")))
      ->check(CLI::IsMember(all_formats));
  CLI::Option* const keep =
      app.add_option("--keep", a.asked.keep,
                     "Leave tensors of such names as they are ('*embeddings*'); may be given several times. "
                     "compile<q8_0> keeps tables that no product shares in float32")
          ->allow_extra_args(false);
  CLI::Option* const only = app.add_option("--only", a.asked.only,
                                           "Convert tensors of such names alone; may be given several times")
                                ->allow_extra_args(false);
  CLI::Option* const packed =
      app.add_option("--packed", a.packed_for,
                     "Write the weights as this model reads them, which a program uses where they lie: the "
                     "header that declares it, and the model as an expression")
          ->expected(2)
          ->type_name("HEADER MODEL")
          ->excludes(keep)
          ->excludes(only);
  app.add_option("--set", a.packs.set, "The instruction set to pack for; the best of this machine otherwise")
      ->needs(packed);
  app.add_option("--tokenizer", a.packs.tokenizer,
                 "The tokenizer to pack with the weights; tokenizer.json beside them otherwise, or that of a "
                 "GGUF file")
      ->needs(packed);
  add_model_options(app, a.packs.of)->needs(packed);
  add_json(app, a.json);
}

std::string caption_of(kind what, const std::string& format) {
  switch (what) {
    case kind::in_format:
      return "in " + format;
    case kind::vector:
      return "vectors, in f32";
    case kind::other_rank:
      return "of three axes and more";
    case kind::kept:
      return "kept";
    case kind::not_asked:
      return "not asked for";
    case kind::broken_rows:
      return fmt::format("rows no multiple of {}", fovea::core::block_length(formats.at(format)));
    case kind::turned:
      return "[in, out], by their bias";
    case kind::integers:
      return "integers";
    case kind::unknown_type:
      return "left out, no such type";
    case kind::of_training:
      return "left out, of training";
  }
  return "";
}

/// Whether a user may not expect that such tensors are not in the format.
bool is_told(kind what) {
  return what == kind::broken_rows || what == kind::turned || what == kind::unknown_type;
}

std::string some_names(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 2;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, names.size()); ++i) text += (i ? ", " : "") + names[i];
  return text + (names.size() > shown ? ", ..." : "");
}

std::string table_of(const report& made, const arguments& a) {
  const auto row = [](const std::string& caption, const kind_count& count, const std::string& names) {
    return fmt::format("{:<24} {:>7} {:>10} {:>10}{}{}{}\n", caption, count.tensors,
                       size_text(count.bytes_before), size_text(count.bytes_after),
                       count.types.empty() ? "" : "  ", fmt::join(count.types, ", "),
                       names.empty() ? "" : ": " + names);
  };
  std::string text =
      fmt::format("{:<24} {:>7} {:>10} {:>10}  {}\n", "", "tensors", "before", "after", "types before");
  kind_count all;
  for (std::size_t i = 0; i < kinds; ++i) {
    const kind what{static_cast<int>(i)};
    const kind_count& count = made.at(what);
    if (count.tensors == 0) continue;
    text += row(caption_of(what, a.format), count, is_told(what) ? some_names(count.names) : "");
    all.tensors += count.tensors;
    all.bytes_before += count.bytes_before;
    all.bytes_after += count.bytes_after;
  }
  return text + row("all", all, "");
}

std::string text_of(const report& made, const arguments& a) {
  std::string text = table_of(made, a);
  if (made.at(kind::in_format).tensors > 0)
    text += made.worst.empty()
                ? "every value is what it was\n"
                : fmt::format("relative error {:.2g} in the mean of tensors, {:.2g} at most, in {}\n",
                              made.mean_error, made.greatest_error, made.worst);
  return text;
}

nlohmann::ordered_json json_of(const report& made, const arguments& a) {
  nlohmann::ordered_json rows = nlohmann::json::array();
  for (std::size_t i = 0; i < kinds; ++i) {
    const kind_count& count = made.at(kind{static_cast<int>(i)});
    if (count.tensors > 0)
      rows.push_back({{"what", caption_of(kind{static_cast<int>(i)}, a.format)},
                      {"tensors", count.names},
                      {"types_before", count.types},
                      {"bytes_before", count.bytes_before},
                      {"bytes_after", count.bytes_after}});
  }
  nlohmann::ordered_json all = {{"file", a.to.string()}, {"format", a.format}, {"kinds", rows}};
  if (made.at(kind::in_format).tensors > 0)
    all.update(
        {{"mean_error", made.mean_error}, {"greatest_error", made.greatest_error}, {"worst", made.worst}});
  return all;
}

/// The format of that name, which there is.
fovea::core::weight_format format_of(const std::string& name) {
  const auto found = std::ranges::find(all_formats, name);
  return fovea::core::weight_format(found - all_formats.begin());
}

int work_packed(const arguments& a) {
  if (a.to.extension() != ".gguf")
    throw fovea::error(a.to.string() + ": expected an output that ends in .gguf");
  if (!fs::exists(a.from)) throw failure("there are no weights " + a.from.string());
  packing asked = a.packs;
  asked.from = a.from, asked.to = a.to;
  if (asked.tokenizer.empty()) asked.tokenizer = tokenizer_beside(a.from);
  asked.of.header = a.packed_for[0], asked.of.model = a.packed_for[1];
  if (!a.format.empty()) asked.format = format_of(a.format);
  require_header(asked.of);
  packed_report made;
  {
    terminal::progress_bar bar("packing", "steps", 1);
    bar.show(0);
    made = write_packed(asked);
  }
  const std::string format = name_of(asked.format);
  if (a.json) {
    print_json({{"file", a.to.string()},
                {"model", asked.of.model},
                {"format", format},
                {"set", made.set},
                {"panels", {{"tensors", made.panels}, {"bytes", made.panel_bytes}}},
                {"others", {{"tensors", made.others}, {"bytes", made.other_bytes}}},
                {"tokenizer", {{"tensors", made.tables}, {"bytes", made.table_bytes}}}});
    return 0;
  }
  const auto row = [](const std::string& caption, std::size_t tensors, std::size_t bytes) {
    return fmt::format("{:<40} {:>7} {:>10}\n", caption, tensors, size_text(bytes));
  };
  program::print(
      fmt::format("{:<40} {:>7} {:>10}\n", "", "tensors", "bytes") +
      row(fmt::format("in {}, as {} reads them", format, made.set), made.panels, made.panel_bytes) +
      row("others, in f32", made.others, made.other_bytes) +
      (made.tables == 0 ? "" : row("the tokenizer's tables", made.tables, made.table_bytes)) +
      row("all", made.panels + made.others + made.tables,
          made.panel_bytes + made.other_bytes + made.table_bytes));
  return 0;
}

int work(const arguments& given) {
  if (!given.packed_for.empty()) return work_packed(given);
  arguments a = given;
  if (a.format.empty()) throw CLI::RequiredError("--format");
  if (!formats.contains(a.format))
    throw failure(
        fmt::format("--format {}: files of packed weights alone have it (--packed); expected one of {}",
                    a.format, fmt::join(std::views::keys(formats), ", ")));
  a.asked.type = formats.at(a.format);
  a.asked.gguf = a.to.extension() == ".gguf";
  if (!a.asked.gguf && a.to.extension() != ".safetensors")
    throw fovea::error(a.to.string() + ": expected an output that ends in .gguf or .safetensors");
  std::optional<terminal::progress_bar> bar;
  const report made = write_converted(a.from, a.to, a.asked, [&](std::size_t done, std::size_t of) {
    constexpr std::size_t unit = 1'000'000;
    if (!bar) bar.emplace("converting", "MB", of / unit);
    bar->show(done / unit);
  });
  bar.reset();
  if (a.json)
    print_json(json_of(made, a));
  else
    program::print(text_of(made, a));
  if (made.long_names > 0)
    program::notice(
        "fovea",
        fmt::format("{}: {} more than 63 bytes, which llama.cpp refuses", a.to.string(),
                    made.long_names == 1 ? "1 name has" : std::to_string(made.long_names) + " names have"));
  return 0;
}

} // namespace

void declare_convert(CLI::App& app, int& status) {
  add_command(app, status, "convert",
              "Writes weights in another format: a smaller file, which a program maps when it starts",
              declare_options, work);
}

} // namespace tool
