#include <fovea/programs/stream.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/file_path.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/read_number.hpp>
#include <fovea/base/system/file.hpp>
#include <fovea/programs/options.hpp>
#include <fovea/programs/sequence.hpp>
#include <fovea/programs/text_input.hpp>

#include <program/program.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <system_error>

namespace fovea::programs {
namespace {

static_assert(std::endian::native == std::endian::little, "--raw reads and writes floats of low bytes first");

struct arguments : options {
  bool raw = false;
};

void declare_numbers(CLI::App& app, arguments& a, const program_parts& parts) {
  declare_model(app, a, parts);
  app.add_option(
      "FILE", a.files,
      "Numbers, a line for each position; -: the standard input, which is read where no file is named");
  a.context = parts.context == 0 ? 256 : parts.context;
  app.add_option("--context", a.context,
                 "The most positions of a step; of a whole sequence, where the model keeps them all")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 24));
  app.add_flag("--json", a.json, "Print a line of JSON for each position");
  app.add_flag("--raw", a.raw, "Read and write float32, low byte first, in place of lines")
      ->excludes("--json");
}

constexpr const char* of_raw = "; --raw reads float32 in place of lines";

/// The numbers of a line, between spaces, tabs or commas.
void append_numbers(std::vector<float>& to, const input_text& line, std::size_t width) {
  const std::string_view text = line.text;
  const std::size_t before = to.size();
  const auto between = [](char c) { return c == ' ' || c == '\t' || c == ','; };
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t'; };
  if (std::ranges::any_of(text, is_control))
    throw error(line.place + ": expected numbers; found bytes that are no text" + of_raw);
  for (std::size_t i = 0; i < text.size();) {
    if (between(text[i])) {
      ++i;
      continue;
    }
    const std::size_t last = static_cast<std::size_t>(
        std::find_if(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), between) - text.begin());
    const std::string_view word = text.substr(i, last - i);
    float value = 0;
    const std::errc problem = core::read_number(word, value);
    if (problem == std::errc::result_out_of_range)
      throw error(fmt::format("{}: {} is beyond the range of float32", line.place, core::shortened(word)));
    if (problem != std::errc())
      throw error(fmt::format("{}: expected a number; found \"{}\"", line.place, core::shortened(word)));
    if (!std::isfinite(value))
      throw error(fmt::format("{}: expected a finite number; found \"{}\"", line.place, word));
    to.push_back(value);
    i = last;
  }
  if (to.size() - before != width)
    throw error(fmt::format("{}: expected {} number{}, as the model takes at each position; found {}",
                            line.place, width, width == 1 ? "" : "s", to.size() - before));
}

std::string lines_of(std::span<const float> values, std::size_t width, bool json) {
  std::string lines;
  for (; !values.empty(); values = values.subspan(width)) {
    std::vector<std::string> numbers;
    for (const float value : values.first(width)) // JSON has no other word for what is no number
      numbers.push_back(json && !std::isfinite(value) ? "null" : fmt::to_string(value));
    lines += json ? fmt::format("{{\"output\": [{}]}}\n", fmt::join(numbers, ", "))
                  : fmt::format("{}\n", fmt::join(numbers, " "));
  }
  return lines;
}

/// A line of numbers for each position; an empty line ends a sequence, and another is begun behind it.
void run_lines(const arguments& a, number_network& network) {
  const auto most = static_cast<std::size_t>(a.context);
  sequence along(network, most, [&](std::span<const float> values) {
    program::print(lines_of(values, network.output_width(), a.json));
  });
  text_input input(a.files, {.of_bytes = of_raw});
  std::string place = "standard input";
  for (auto lines = input.next(most); !lines.empty(); lines = input.next(most)) {
    std::vector<float> numbers;
    for (const input_text& line : lines) {
      place = line.place;
      if (!line.text.empty()) {
        append_numbers(numbers, line, network.input_width());
        continue;
      }
      along.take(numbers), numbers.clear();
      along.end(place);
      program::print("\n");
    }
    along.take(numbers);
  }
  along.end(place);
}

/// Bytes of a file or the standard input, as many as are there.
std::size_t read_some(const core::system::file& from, std::span<std::byte> to, const std::string& name) {
  const std::ptrdiff_t got = from.read(to);
  if (got < 0) throw error(name + ": cannot be read: " + std::generic_category().message(errno));
  return static_cast<std::size_t>(got);
}

/// Float32 in and out, the files one after another as one sequence.
void run_raw(const arguments& a, number_network& network) {
  const auto most = static_cast<std::size_t>(a.context);
  sequence along(network, most, [](std::span<const float> values) {
    program::print({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  });
  const std::size_t bytes = sizeof(float) * network.input_width();
  std::vector<std::byte> block(most * bytes);
  std::vector<float> numbers;
  std::size_t held = 0; // bytes of a position that has not come whole
  std::string name;
  for (const std::string& file : a.files.empty() ? std::vector<std::string>{"-"} : a.files) {
    name = file == "-" ? "standard input" : file;
    const core::system::file from =
        file == "-" ? core::system::standard_input() : core::system::open_to_read(core::file_path(file));
    if (!from) throw error(file + ": cannot open: " + std::generic_category().message(errno));
    while (const std::size_t got = read_some(from, std::span(block).subspan(held), name)) {
      held += got;
      const std::size_t whole = held / bytes * bytes;
      numbers.resize(whole / sizeof(float));
      std::memcpy(numbers.data(), block.data(), whole);
      std::copy(block.begin() + static_cast<std::ptrdiff_t>(whole),
                block.begin() + static_cast<std::ptrdiff_t>(held), block.begin());
      held -= whole;
      along.take(numbers);
    }
  }
  if (held > 0)
    throw error(fmt::format("{}: expected positions of {} bytes; {} are left at the end", name, bytes, held));
  along.end(name);
}

} // namespace

int stream(number_network_maker maker, const program_parts& parts, int count, char** words) {
  return program::run<arguments>(
      parts.name.c_str(), "Moves along sequences of numbers, and prints what comes out at each position.",
      count, words, [&](CLI::App& app, arguments& a) { declare_numbers(app, a, parts); },
      [&](const arguments& a) {
        const std::unique_ptr<number_network> network = made_for_context(a, [&] {
          return maker(weights_of(a, parts),
                       {.capacity = {{"B", 1}, {"T", a.context}}, .threads = a.threads});
        });
        a.raw ? run_raw(a, *network) : run_lines(a, *network);
      });
}

} // namespace fovea::programs
