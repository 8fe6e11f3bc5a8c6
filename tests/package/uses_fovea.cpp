// A program that links everything and runs something of it.
#include "also_uses_dsl.hpp"

#include <fovea/fovea.hpp>

#include <cstdio>

int main() {
  std::puts(std::string(fovea::instruction_set()).c_str());
  return parameters_elsewhere() == tiny.parameters() ? 0 : 1;
}
