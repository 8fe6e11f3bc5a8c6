# fovea_pack_weights(TARGET model): with EMBED or PACKED, has the build write `packed` of what fovea_built_parts has set, for
# the target that has it in it or opens it: the weights of the model, an expression, as one instruction set reads them. That is
# the best of its sets that the building machine runs, or of those up to the one that FOVEA_ISA names. A program uses the
# weights where they lie; in another set it converts them at start. TOKENIZER is packed too, or that of WEIGHTS.
function(fovea_pack_weights target model)
  if(NOT (arg_EMBED OR arg_PACKED))
    return()
  endif()
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    if(arg_PACKED)
      set(word PACKED)
    else()
      set(word EMBED)
    endif()
    message(FATAL_ERROR "${caller}: ${word} runs a program of the target while the project is built; expected CMAKE_CROSSCOMPILING_EMULATOR to say by what, found nothing")
  endif()
  fovea_include_of("${arg_HEADER}" include)
  fovea_expected_model("${caller}" "${arg_HEADER}" "${arg_MODEL}" expected)
  fovea_quoted(quoted_model "${model}")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}_packing")
  file(
    CONFIGURE
    OUTPUT "${folder}/main.cpp"
    CONTENT
      [[@include@
@expected@#line 5 "@folder@/main.cpp"
#include <fovea/programs/pack.hpp>

namespace fovea_program::chosen {
using namespace fovea;
using format = @arg_FORMAT@;
} // namespace fovea_program::chosen

int main(int count, char** words) {
  return fovea::programs::pack<fovea_program::chosen::format>(
      @model@, {.name = @quoted_name@, .model = @quoted_model@, .format = @quoted_arg_FORMAT@, .sets = {@quoted_sets@}, .metadata = {@metadata@}}, count, words);
}
]]
    @ONLY
  )
  add_executable(${name}_packer EXCLUDE_FROM_ALL "${folder}/main.cpp")
  target_compile_features(${name}_packer PRIVATE cxx_std_20)
  target_link_libraries(${name}_packer PRIVATE fovea::programs)
  fovea_link_set(${name}_packer ${sets})

  cmake_path(ABSOLUTE_PATH arg_WEIGHTS BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  set(tokenizer_to_pack "")
  set(option_of_tokenizer "")
  if(arg_TOKENIZER)
    cmake_path(ABSOLUTE_PATH arg_TOKENIZER BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE tokenizer_to_pack)
    set(option_of_tokenizer --tokenizer "${tokenizer_to_pack}")
  endif()
  add_custom_command(
    OUTPUT "${packed}"
    COMMAND ${name}_packer "${arg_WEIGHTS}" "${packed}" ${option_of_tokenizer}
    DEPENDS ${name}_packer "${arg_WEIGHTS}" ${tokenizer_to_pack}
    COMMENT "Packing the weights of ${name}"
    VERBATIM
  )
  target_sources(${target} PRIVATE "${packed}")
endfunction()

# fovea_pack_draft(TARGET): the same of its DRAFT, as `packed_draft`.
function(fovea_pack_draft target)
  set(packed "${packed_draft}")
  set(name "${name}_draft")
  set(metadata "")
  set(arg_TOKENIZER "")
  foreach(part IN ITEMS WEIGHTS FORMAT)
    set(arg_${part} "${arg_DRAFT_${part}}")
  endforeach()
  set(arg_MODEL "${arg_DRAFT}")
  set(quoted_name "${quoted_draft_name}")
  set(quoted_arg_FORMAT "${quoted_DRAFT_FORMAT}")
  fovea_pack_weights(${target} "${arg_DRAFT}")
endfunction()
