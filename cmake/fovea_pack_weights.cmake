# fovea_pack_weights(NAME CALLER HEADER header MODEL expression FORMAT format WEIGHTS file SETS set... [METADATA key=number...])
#
# Has the build write NAME_packed.gguf, the weights of a model as one instruction set reads them: the best of SETS that the
# building machine runs, or of those up to the one that FOVEA_ISA names. A program that has the file in it uses the weights
# where they lie; in another set it converts them at start. FORMAT is that in memory.

function(fovea_pack_weights name caller)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "HEADER;MODEL;FORMAT;WEIGHTS" "SETS;METADATA")
  fovea_include_of("${arg_HEADER}" include)
  fovea_numbers_by_name("${caller}" METADATA metadata "${arg_METADATA}")
  fovea_quoted_list(sets arg_SETS)
  fovea_quoted(quoted_name "${name}")
  fovea_quoted(quoted_model "${arg_MODEL}")
  fovea_quoted(quoted_format "${arg_FORMAT}")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}_packing")
  file(
    CONFIGURE
    OUTPUT "${folder}/main.cpp"
    CONTENT
      [[@include@
#include <fovea/programs/pack.hpp>

namespace fovea_program::chosen {
using namespace fovea;
using format = @arg_FORMAT@;
} // namespace fovea_program::chosen

int main(int count, char** words) {
  return fovea::programs::pack<fovea_program::chosen::format>(
      @arg_MODEL@, {.name = @quoted_name@, .model = @quoted_model@, .format = @quoted_format@, .sets = {@sets@}, .metadata = {@metadata@}}, count, words);
}
]]
    @ONLY
  )
  add_executable(${name}_packer EXCLUDE_FROM_ALL "${folder}/main.cpp")
  target_compile_features(${name}_packer PRIVATE cxx_std_20)
  target_link_libraries(${name}_packer PRIVATE fovea::programs)
  fovea_link_set(${name}_packer ${arg_SETS})

  cmake_path(ABSOLUTE_PATH arg_WEIGHTS BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  set(packed "${CMAKE_CURRENT_BINARY_DIR}/${name}_packed.gguf")
  add_custom_command(
    OUTPUT "${packed}"
    COMMAND ${name}_packer "${arg_WEIGHTS}" "${packed}"
    DEPENDS ${name}_packer "${arg_WEIGHTS}"
    COMMENT "Packing the weights of ${name}"
    VERBATIM
  )
endfunction()

# fovea_pack_built(CALLER TARGET model): with EMBED, packs the weights of what fovea_built_parts has parsed for the target that
# has them in it.
function(fovea_pack_built caller target model)
  if(arg_EMBED)
    fovea_pack_weights(${name} "${caller}" HEADER "${arg_HEADER}" MODEL "${model}" FORMAT "${arg_FORMAT}" WEIGHTS "${arg_WEIGHTS}"
                       SETS ${sets} METADATA ${arg_METADATA})
    target_sources(${target} PRIVATE "${packed}")
  endif()
endfunction()
