#include "fuzzed.hpp"

#include <fovea/runtime/decoding/grammar/grammar_states.hpp>

/// Reads a text as a regular expression and as a JSON schema, and goes through what each allows by the text itself.
void fovea::core::fuzz::run(std::string_view input) {
  for (const auto made : {regular_expression, json_schema})
    attempt([&] {
      grammar::states states(made(input));
      grammar::states::state at = states.start();
      for (const char byte : input.substr(0, 1000)) {
        states.begin_work();
        if (const auto next = states.next(at, static_cast<unsigned char>(byte));
            next != grammar::states::nowhere)
          at = next;
      }
    });
}
