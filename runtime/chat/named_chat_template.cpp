#include <fovea/runtime/chat/chat_template.hpp>

#include <fovea/base/in_quotes.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace fovea::core {
namespace {

struct named_form {
  std::string_view name;
  std::vector<std::string> ends;
  std::string_view text;
};

/// In front of each: what a message may be.
constexpr std::string_view checks = R"jinja(
{%- for m in messages %}
  {%- if m.role not in ['system', 'developer', 'user', 'assistant'] %}
    {{- raise_exception('expected the roles system, developer, user and assistant; found ' ~ m.role) }}
  {%- elif m.content is not string %}
    {{- raise_exception('expected contents that are texts; the ' ~ m.role ~ ' has another') }}
  {%- endif %}
{%- endfor %}
{%- macro role(m) %}{{ 'system' if m.role == 'developer' else m.role }}{% endmacro %}
)jinja";

/// What ends an answer of the plain form is what a model writes in the place of somebody else.
const std::array<named_form, 4>& named_forms() {
  static const std::array<named_form, 4> all{{
      {"plain", {"\nuser:", "\nsystem:"}, R"jinja(
{%- for m in messages %}
  {{- role(m) ~ ': ' ~ m.content ~ '\n' }}
{%- endfor %}
{{- 'assistant:' if add_generation_prompt }}
)jinja"},
      {"chatml", {"<|im_end|>"}, R"jinja(
{%- for m in messages %}
  {{- '<|im_start|>' ~ role(m) ~ '\n' ~ m.content ~ '<|im_end|>\n' }}
{%- endfor %}
{{- '<|im_start|>assistant\n' if add_generation_prompt }}
)jinja"},
      {"llama2", {"</s>"}, R"jinja(
{%- set said = namespace(system='', any=false) %}
{%- for m in messages %}
  {%- if role(m) == 'system' %}
    {%- set said.system = '<<SYS>>\n' ~ m.content ~ '\n<</SYS>>\n\n' %}
  {%- elif m.role == 'assistant' %}
    {{- ' ' ~ m.content ~ ' </s>' }}
    {%- set said.any = true %}
  {%- else %}
    {{- ('<s>' if said.any else '') ~ '[INST] ' ~ said.system ~ m.content ~ ' [/INST]' }}
    {%- set said.any = true %}
    {%- set said.system = '' %}
  {%- endif %}
{%- endfor %}
)jinja"},
      {"llama3", {"<|eot_id|>"}, R"jinja(
{%- for m in messages %}
  {{- '<|start_header_id|>' ~ role(m) ~ '<|end_header_id|>\n\n' ~ m.content ~ '<|eot_id|>' }}
{%- endfor %}
{{- '<|start_header_id|>assistant<|end_header_id|>\n\n' if add_generation_prompt }}
)jinja"},
  }};
  return all;
}

} // namespace

chat_template chat_template::named(std::string_view name) {
  const auto found = std::ranges::find(named_forms(), name, &named_form::name);
  if (found == named_forms().end())
    throw error("expected plain, chatml, llama2 or llama3; found " + in_quotes(name));
  return from_text(std::string(checks) + std::string(found->text), {}, "the form " + std::string(name))
      .with_ends(found->ends);
}

} // namespace fovea::core
