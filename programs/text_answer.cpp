#include <fovea/programs/text_answer.hpp>

namespace fovea::programs {

std::string json_line(const input_text& text, const nlohmann::ordered_json& members) {
  using json = nlohmann::ordered_json;
  json line = text.members.empty() ? json{{"text", text.text}} : json::parse(text.members);
  line.update(members);
  return line.dump() + "\n";
}

} // namespace fovea::programs
