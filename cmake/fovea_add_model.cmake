# fovea_add_model(NAME HEADER header MODEL expression [STREAM dim] [TRAIN] [ISA portable baseline sse41 avx2 avx512 neon64])
#
# Makes the library NAME: the code that is generated for one model, compiled once for each instruction set, and the header
# NAME.hpp with
#
#     auto net = NAME::compile(weights, options);            # or NAME::compile<fovea::q8_0>(weights, options)
#     auto live = NAME::stream<T>(weights, options);         # with STREAM T
#     auto fit = NAME::train(optimizer, weights, options);   # with TRAIN
#
# called as fovea::compile, stream and train are, with the set chosen at start-up (fovea::instruction_set()). Where ISA is
# not given, that is every set that programs link by themselves. HEADER
# declares the model: a file beside the caller's CMakeLists.txt, or what is written between the angle brackets of an
# include. It is compiled for every set, so it includes <fovea/dsl.hpp> and nothing that allocates. MODEL is the model as
# an expression, such as gpt<small>, and so is the dim of STREAM.
#
#     fovea_add_model(compiled_decoder HEADER decoder.hpp MODEL "decoder<tiny>" STREAM T)
#     target_link_libraries(program PRIVATE compiled_decoder)
#
# NAME is a C++ namespace and the name of a header, so it is neither the model's name nor HEADER's. A function that makes
# something of a model names itself as CALLER, "fovea_add_executable(ask)", and as DECLARED the model that it made MODEL of:
# what is wrong is told in these words.

include("${CMAKE_CURRENT_LIST_DIR}/fovea_for_libraries.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/fovea_isa_object.cmake")

function(fovea_add_model name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TRAIN" "HEADER;MODEL;STREAM;CALLER;DECLARED" "ISA")
  set(caller "${arg_CALLER}")
  if(NOT caller)
    set(caller "fovea_add_model(${name})")
  endif()
  if(NOT arg_DECLARED)
    set(arg_DECLARED "${arg_MODEL}")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${caller}: expected HEADER, MODEL, STREAM, TRAIN and ISA, found '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  fovea_expect_options("${caller}" HEADER MODEL)
  fovea_expect_header("${caller}" "${arg_HEADER}")
  if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "fovea_add_model: expected a C++ identifier as the name, found '${name}'")
  endif()
  cmake_path(GET arg_HEADER STEM header_name)
  if(name STREQUAL header_name OR name STREQUAL arg_MODEL)
    message(FATAL_ERROR "${caller}: expected a name that neither the header nor the model has, as in compiled_${name}")
  endif()
  if(NOT arg_ISA)
    set(arg_ISA ${FOVEA_INSTRUCTION_SETS})
    foreach(set IN LISTS FOVEA_SETS_ON_REQUEST)
      list(REMOVE_ITEM arg_ISA ${set})
    endforeach()
  endif()
  foreach(set IN LISTS arg_ISA)
    if(NOT set IN_LIST FOVEA_INSTRUCTION_SETS)
      list(JOIN FOVEA_INSTRUCTION_SETS ", " known)
      message(FATAL_ERROR "${caller}: expected ISA to name some of ${known}, found '${set}'")
    endif()
  endforeach()
  fovea_include_of("${arg_HEADER}" include)
  fovea_expected_model("${caller}" "${arg_HEADER}" "${arg_DECLARED}" expected)

  list(TRANSFORM arg_ISA REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE set_names)
  list(JOIN set_names ", " set_names)

  # What is made beside the steps of the plan, and the functions that use it.
  set(made "false")
  set(functions "")
  set(also "")
  if(arg_TRAIN OR arg_STREAM)
    set(also "#include <fovea/fovea.hpp>\n")
  endif()
  if(arg_TRAIN)
    set(made "true")
    string(
      APPEND functions
      "
/// As fovea::train.
template <class backend = fovea::f32, class optimizer>
auto train(const optimizer& how, const fovea::model_weights& weights, const fovea::train_options& options = {}) {
  return fovea::core::generated::train<backend, ${set_names}>(${arg_MODEL}, how, weights, options, code().gradients, code().steps);
}
")
  endif()
  if(arg_STREAM)
    fovea_quoted(along "${name} is made to be streamed along ${arg_STREAM}")
    string(APPEND made ", ${arg_STREAM}")
    string(
      APPEND functions
      "
/// As fovea::stream.
template <fovea::dim time = ${arg_STREAM}, class format = fovea::f32>
auto stream(const fovea::model_weights& weights, const fovea::compile_options& options = {}) {
  static_assert(time == ${arg_STREAM}, ${along});
  return fovea::core::generated::stream<time, format, ${set_names}>(${arg_MODEL}, weights, options, code().stream);
}
")
  endif()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}_model")
  set(objects "")
  set(declarations "")
  set(choices "")
  set(choice "")
  # The best set that is built and no better than the one in use. Where there is none, what runs the last says so.
  set(sets "")
  foreach(set IN LISTS FOVEA_INSTRUCTION_SETS)
    if(NOT set IN_LIST arg_ISA)
      continue()
    endif()
    list(APPEND sets ${set})
    if(choice)
      string(APPEND choices "${choice} : ")
    endif()
    set(symbol "fovea_model_${name}_${set}")
    set(choice "fovea::core::simd::may_run(\"${set}\") ? ${symbol}")
    file(
      CONFIGURE
      OUTPUT "${folder}/${set}.cpp"
      CONTENT
        [[@include@
@expected@#line 5 "@folder@/@set@.cpp"
#include <fovea/backends/simd/generate_model.hpp>

extern "C" {
extern const fovea::core::simd::generated_model @symbol@;
constinit const fovea::core::simd::generated_model @symbol@ =
    fovea::core::simd::code_of_all<decltype(@arg_MODEL@), "@set@", @made@>();
}
]]
      @ONLY
    )
    fovea_isa_object(${name}_${set} ${set} "${folder}/${set}.cpp" ${symbol})
    list(APPEND objects "${${name}_${set}}")
    string(APPEND declarations "extern const fovea::core::simd::generated_model ${symbol};\n")
  endforeach()
  file(
    CONFIGURE
    OUTPUT "${folder}/${name}.cpp"
    CONTENT
      [[@include@
#include <fovea/backends/simd/make_engine.hpp>

#include <type_traits>

#include "@name@.hpp"

extern "C" {
@declarations@}

namespace @name@ {

const fovea::core::simd::generated_model& code() { return @choices@@symbol@; }

fovea::core::simd::engine_maker engine() {
  return {fovea::core::simd::make_engine<std::remove_cvref_t<decltype(@arg_MODEL@)>, code>};
}

} // namespace @name@
]]
    @ONLY
  )
  file(
    CONFIGURE
    OUTPUT "${folder}/${name}.hpp"
    CONTENT
      [[#pragma once

@include@
@expected@#line 7 "@folder@/@name@.hpp"
#include <fovea/backends/simd/engine_elsewhere.hpp>
#include <fovea/runtime/compiled.hpp>
@also@
namespace @name@ {

/// The model's own code for the instruction set in use, and what makes an engine of it.
const fovea::core::simd::generated_model& code();
fovea::core::simd::engine_maker engine();

/// As fovea::compile.
template <class format = fovea::f32>
auto compile(const fovea::model_weights& weights, const fovea::compile_options& options = {}) {
  using backend = fovea::core::simd::elsewhere;
  constexpr auto kept_in = fovea::core::format_named<format>;
  return fovea::core::compiled_by<backend>(@arg_MODEL@, weights, options, kept_in, backend::in_format<kept_in, @set_names@>(engine()));
}
@functions@
} // namespace @name@
]]
    @ONLY
  )
  add_library(${name} STATIC ${objects} "${folder}/${name}.cpp" "${folder}/${name}.hpp")
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX FOVEA_SETS "${sets}")
  fovea_for_libraries(${name})
  target_include_directories(${name} PUBLIC "${folder}")
  target_link_libraries(${name} PUBLIC fovea::fovea)
  foreach(set IN LISTS arg_ISA)
    fovea_link_set(${name} ${set})
  endforeach()
endfunction()

# fovea_expect_options(CALLER option...): that the caller was given each, as arg_OPTION.
function(fovea_expect_options caller)
  foreach(needed IN LISTS ARGN)
    if(NOT arg_${needed})
      message(FATAL_ERROR "${caller}: ${needed} is missing")
    endif()
  endforeach()
endfunction()

# fovea_expect_header(CALLER header): that a HEADER is there, in a folder where the compiler will look for it.
function(fovea_expect_header caller header)
  get_target_property(own fovea::dsl INTERFACE_INCLUDE_DIRECTORIES)
  list(TRANSFORM own REPLACE "^\\$<BUILD_INTERFACE:(.*)>$" "\\1")
  get_directory_property(included INCLUDE_DIRECTORIES)
  string(REPLACE ":" ";" environment "$ENV{CPATH}:$ENV{CPLUS_INCLUDE_PATH}")
  foreach(folder IN LISTS CMAKE_CURRENT_SOURCE_DIR own included environment CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    if(EXISTS "${folder}/${header}")
      return()
    endif()
  endforeach()
  # Flags and generator expressions may name any folder.
  if("${CMAKE_CXX_FLAGS} ${included}" MATCHES "-I|-isystem|-iquote|\\$<" OR (IS_ABSOLUTE "${header}" AND EXISTS "${header}"))
    return()
  endif()
  message(FATAL_ERROR "${caller}: expected HEADER to be a file beside CMakeLists.txt or one that an include finds, found nothing at '${header}'")
endfunction()

# fovea_include_of(header RESULT): the line that includes a HEADER.
function(fovea_include_of header result)
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${header}")
    set(${result} "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${header}\"" PARENT_SCOPE)
  else()
    set(${result} "#include <${header}>" PARENT_SCOPE)
  endif()
endfunction()

# fovea_expected_model(CALLER header model RESULT): lines of C++ behind the include of the HEADER that fail where it declares
# no such MODEL. The compiler says so in the caller's words, which stand where it names a file.
function(fovea_expected_model caller header model result)
  fovea_quoted(expected "${caller}: expected HEADER ${header} to declare MODEL ${model}")
  set(${result} "#line 1 ${expected}\nstatic_assert(sizeof(${model}) > 0);\n" PARENT_SCOPE)
endfunction()

# fovea_quoted(RESULT text): the text as a string of C++ and of the assembler.
function(fovea_quoted result text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n" text "${text}")
  set(${result} "\"${text}\"" PARENT_SCOPE)
endfunction()
