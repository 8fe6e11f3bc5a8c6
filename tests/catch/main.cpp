// Catch2's main where its package is for another processor, or with another library for C++.

#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
