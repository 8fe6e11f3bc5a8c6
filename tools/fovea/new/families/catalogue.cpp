#include "catalogue.hpp"

#include <fmt/format.h>

namespace tool {

std::string member_lines(const std::vector<member>& members, int indent) {
  std::string lines;
  for (const auto& [name, value] : members) lines += fmt::format("{:{}}.{} = {},\n", "", indent, name, value);
  return lines;
}

std::string member_group(const std::vector<member>& members) {
  return "{\n" + member_lines(members, 8) + "    }";
}

model_plan catalogue_decoder(const catalogue_names& called, const std::vector<member>& sizes, int context) {
  return {"new/catalogue_decoder.hpp.in",
          "decoder",
          "generate",
          {{"header", called.header},
           {"config", called.config},
           {"names", called.names},
           {"logits", called.logits},
           {"parts", called.parts},
           {"divisors", ""},
           {"members", member_lines(sizes)},
           {"context", std::to_string(context)}}};
}

std::vector<member> llama_members(const decoder_sizes& s, int vocab, bool tied, const rotary_positions& turns,
                                  const checkpoint& from, const std::vector<member>& more) {
  std::vector<member> members{{"layers", std::to_string(s.layers)},
                              {"heads", std::to_string(s.heads)},
                              {"kv_heads", std::to_string(s.kv_heads)},
                              {"width", std::to_string(s.width)},
                              {"inner", std::to_string(s.inner)},
                              {"vocab", std::to_string(vocab)},
                              {"base", number_text(turns.base, from)},
                              {"epsilon", number_text(s.epsilon, from)},
                              {"tied", bool_text(tied)},
                              {"head_width", std::to_string(s.head_width)}};
  if (!turns.scaling.empty()) members.emplace_back("scaling", turns.scaling);
  members.insert(members.end(), more.begin(), more.end());
  return members;
}

} // namespace tool
