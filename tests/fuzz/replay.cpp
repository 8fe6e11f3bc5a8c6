// Runs a target on files, one after another: where there is no libFuzzer, and for what it has found.

#include "fuzzed.hpp"

#include "../file_content.hpp"

#include <cstdio>
#include <filesystem>
#include <vector>

int main(int count, char** arguments) {
  std::vector<std::filesystem::path> inputs;
  for (int i = 1; i < count; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(arguments[i]))
      inputs.push_back(entry.path());
  for (const auto& input : inputs) {
    std::puts(input.c_str());
    fovea::core::fuzz::run(content(input.string()));
  }
  return inputs.empty() ? 1 : 0;
}
