// Catch2's main where its package is for another processor.

#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
