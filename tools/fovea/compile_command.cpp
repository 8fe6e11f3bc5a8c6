#include "compile_command.hpp"

#include "failure.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

namespace tool {

namespace {

namespace fs = std::filesystem;
constexpr const char* database_name = "compile_commands.json";

/// The words of a line as a POSIX shell divides it.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = '\0';
  const auto add = [&](char c) {
    if (!inside) words.emplace_back();
    inside = true;
    words.back() += c;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      add(line[++i]);
    } else if (quote != '\0') {
      if (c == quote)
        quote = '\0';
      else
        add(c);
    } else if (c == '"' || c == '\'') {
      quote = c;
      if (!inside) words.emplace_back();
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      inside = false;
    } else {
      add(c);
    }
  }
  return words;
}

struct database_entry {
  fs::path file, folder;
  std::vector<std::string> words;
};

std::vector<database_entry> read_database(const fs::path& path) {
  std::ifstream in(path);
  if (!in) throw failure(path.string() + " cannot be read");
  try {
    std::vector<database_entry> entries;
    for (const nlohmann::json& one : nlohmann::json::parse(in)) {
      const fs::path folder = one.at("directory").get<std::string>();
      database_entry entry{(folder / one.at("file").get<std::string>()).lexically_normal(), folder, {}};
      if (one.contains("arguments"))
        entry.words = one.at("arguments").get<std::vector<std::string>>();
      else
        entry.words = words_of(one.at("command").get<std::string>());
      if (!entry.words.empty()) entries.push_back(std::move(entry));
    }
    return entries;
  } catch (const nlohmann::json::exception& problem) {
    throw failure(path.string() + " is no list of compile commands: " + problem.what());
  }
}

std::optional<fs::path> find_database(const fs::path& file) {
  for (fs::path folder = file.parent_path();; folder = folder.parent_path()) {
    for (const fs::path& path : {folder / database_name, folder / "build" / database_name})
      if (fs::exists(path)) return path;
    if (folder == folder.parent_path()) return std::nullopt;
  }
}

/// The file itself; else, of those that are not compiled for one instruction set, which includes less than a program
/// does, that whose path is most like it.
const database_entry& most_alike(const std::vector<database_entry>& entries, const fs::path& file) {
  const std::string wanted = file.string();
  const auto likeness = [&](const database_entry& entry) {
    const std::string path = entry.file.string();
    const auto common =
        std::mismatch(path.begin(), path.end(), wanted.begin(), wanted.end()).first - path.begin();
    const bool of_one_set =
        std::ranges::find(entry.words, "-DFOVEA_OF_ONE_INSTRUCTION_SET") != entry.words.end();
    return std::tuple(entry.file == file, !of_one_set, common);
  };
  return *std::ranges::max_element(entries, {}, likeness);
}

/// Less the file, the output, and what was precompiled with other macros: that is included as text.
std::vector<std::string> flags_of(const database_entry& entry) {
  const auto is_source = [&](const std::string& word) {
    return word[0] != '-' && (entry.folder / word).lexically_normal() == entry.file;
  };
  std::size_t first = 0; // the compiler, behind a launcher such as ccache
  if (fs::path(entry.words.front()).filename().string().ends_with("ccache") && entry.words.size() > 1)
    first = 1;
  std::vector<std::string> kept{entry.words[first]};
  for (std::size_t i = first + 1; i < entry.words.size(); ++i) {
    const std::string& word = entry.words[i];
    if (word.empty() || word == "-c" || word == "-MD" || word == "-MMD" || word == "-MP" || word == "--" ||
        (word.starts_with("-o") && word.size() > 2) || word == "-Winvalid-pch" ||
        word == "-fpch-instantiate-templates")
      continue;
    if (word == "-o" || word == "-MF" || word == "-MT" || word == "-MQ" || word == "-include-pch") {
      ++i;
    } else if (word == "-Xclang" && i + 3 < entry.words.size() && entry.words[i + 1] == "-include-pch") {
      i += 3;
    } else if (!is_source(word)) {
      kept.push_back(word);
    }
  }
  return kept;
}

std::string default_compiler() {
  const char* named = std::getenv("CXX");
  return named != nullptr && *named != '\0' ? named : "c++";
}

/// include/ of the nearest folder above this program that has Fovea's headers: where it is installed, or was
/// built.
std::vector<std::string> flags_of_installation() {
  std::vector<std::string> flags{"-std=c++20"};
  for (const fs::path& folder : folders_above_this_program())
    if (fs::exists(folder / "include" / "fovea" / "dsl.hpp")) {
      flags.push_back("-I" + (folder / "include").string());
      break;
    }
  return flags;
}

} // namespace

std::vector<fs::path> folders_above_this_program() {
  std::vector<fs::path> folders;
  std::error_code none;
  for (fs::path folder = fs::read_symlink("/proc/self/exe", none).parent_path(); folder.has_relative_path();
       folder = folder.parent_path())
    folders.push_back(folder);
  return folders;
}

compile_command command_for(const fs::path& file, const compile_wishes& wishes) {
  std::optional<fs::path> database;
  if (!wishes.build.empty()) {
    database = fs::absolute(wishes.build) / database_name;
    if (!fs::exists(*database))
      throw failure("there is no " + database->string() +
                    "; CMake makes it where CMAKE_EXPORT_COMPILE_COMMANDS is ON");
  } else if (wishes.flags.empty()) {
    database = find_database(file);
  }

  compile_command command{{}, fs::current_path()};
  if (database) {
    const std::vector<database_entry> entries = read_database(*database);
    if (entries.empty()) throw failure(database->string() + " lists no file");
    const database_entry& entry = most_alike(entries, file);
    command = {flags_of(entry), entry.folder};
    if (!wishes.compiler.empty()) command.words.front() = wishes.compiler;
  } else {
    command.words = words_of(wishes.compiler.empty() ? default_compiler() : wishes.compiler);
    if (wishes.flags.empty()) {
      const std::vector<std::string> flags = flags_of_installation();
      command.words.insert(command.words.end(), flags.begin(), flags.end());
    }
  }
  command.words.insert(command.words.end(), wishes.flags.begin(), wishes.flags.end());
  return command;
}

} // namespace tool
