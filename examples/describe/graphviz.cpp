#include "graphviz.hpp"

#include <fovea/base/error.hpp>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>

namespace describe_program {
namespace {

/// A file of its own in the folder of temporary files, gone at the end.
class temporary_file {
public:
  explicit temporary_file(const std::string& text) {
    path_ = (std::filesystem::temp_directory_path() / "fovea-describe-XXXXXX").string();
    const int made = mkstemp(path_.data());
    if (made < 0) throw fovea::error(path_ + ": cannot be written: " + std::strerror(errno));
    close(made);
    std::ofstream(path_, std::ios::binary) << text;
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() { std::filesystem::remove(path_); }

  const std::string& path() const { return path_; }

private:
  std::string path_;
};

} // namespace

void draw_svg(const std::string& graph, const std::filesystem::path& file) {
  const temporary_file source(graph);
  std::string words[] = {"dot", "-Tsvg", "-o", file.string(), source.path()};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(),
                       words[3].data(), words[4].data(), nullptr};
  pid_t child = 0;
  const int problem = posix_spawnp(&child, "dot", nullptr, nullptr, arguments, environ);
  if (problem != 0)
    throw fovea::error("cannot draw " + file.string() + ": Graphviz's program dot was not found (" +
                       std::strerror(problem) + "); install Graphviz, or write the graph itself with --dot");
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw fovea::error("cannot draw " + file.string() + ": Graphviz's program dot failed");
}

} // namespace describe_program
