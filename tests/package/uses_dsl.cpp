// A program that declares a model and needs nothing but its static facts.
#include "also_uses_dsl.hpp"

int main() { return parameters_elsewhere() == tiny.parameters() ? 0 : 1; }
