# fovea_add_executable(NAME HEADER header MODEL expression APP embed|classify|tag|generate|translate|score|stream|serve|transcribe
#                      [WEIGHTS file] [TOKENIZER file] [TARGET_TOKENIZER file] [GENERATION_CONFIG file] [EMBED|PACKED] [STATIC] [FORMAT q8_0]
#                      [ISA portable baseline sse41 avx2 avx512 neon64] [ROUTE completions|embeddings] [CONTEXT n] [LABELS label...]
#                      [BEGIN token] [END token...] [PROMPT_LOOKUP] [DRAFT expression] [DRAFT_WEIGHTS file]
#                      [DRAFT_FORMAT q8_0] [METADATA key=number...])
#
# Makes the program NAME: a model with its command line.
#
#     fovea_add_executable(ask HEADER model.hpp MODEL ask::encoder APP embed WEIGHTS model.safetensors TOKENIZER tokenizer.json
#                          CONTEXT 256 EMBED STATIC)
#
# HEADER, MODEL and ISA are as fovea_add_model takes them, which compiles the model for each instruction set. What each APP
# asks of a model's inputs and outputs is in <fovea/programs/APP.hpp>. WEIGHTS and TOKENIZER are files beside the caller's
# CMakeLists.txt that the program opens where its command line names no others: as they lie there or, with EMBED, as part of
# the program, the weights as they are used in memory (fovea_pack_weights); without EMBED, WEIGHTS may be a folder. With
# PACKED the program opens NAME_packed.gguf, in which the build writes the weights so. Of conversations the files beside
# TOKENIZER say how the model knows them. TARGET_TOKENIZER is that of translations, where it is another, and GENERATION_CONFIG
# says what a program that transcribes may write. FORMAT is that of the weights in memory. STATIC links all libraries into the
# one file. ROUTE is what a program that serves answers at: completions of a model as `generate` takes it, or embeddings of
# one as `embed` does. CONTEXT is the most tokens of a text, LABELS are those of a classifier's or tagger's scores in order,
# BEGIN is the token that an empty prompt and a translation begin with, END those that end what is generated; the first of
# them ends the source of a translation, too. With PROMPT_LOOKUP a program that generates scores all that it reads, prompts
# too, and so can read ahead what its text has said before (--prompt-lookup). DRAFT is a small model in HEADER with the same
# tokens, with weights and a format of its own: what it proposes is read ahead (--draft). METADATA are numbers that weights
# are refused for where they say others of themselves (fovea::expect_metadata).

include("${CMAKE_CURRENT_LIST_DIR}/fovea_add_model.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/fovea_built_parts.cmake")

function(fovea_add_executable name)
  set(caller "fovea_add_executable(${name})")
  fovea_built_arguments("${caller}" "APP;TOKENIZER;TARGET_TOKENIZER;GENERATION_CONFIG;ROUTE;CONTEXT;BEGIN;DRAFT;DRAFT_WEIGHTS;DRAFT_FORMAT" "LABELS;END" PACKED PROMPT_LOOKUP)
  fovea_expect_options("${caller}" APP)
  fovea_built_app("${caller}" "classify;embed;generate;score;serve;stream;tag;transcribe;translate")
  string(MAKE_C_IDENTIFIER "compiled_${name}" compiled)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}_program")

  # How each kind of program takes its model. A program that writes needs the scores after the last token alone.
  set(model "${arg_MODEL}")
  set(library fovea::programs)
  if(arg_APP STREQUAL "serve")
    if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux)
      message(FATAL_ERROR "${caller}: APP serve is offered on Linux; found ${CMAKE_SYSTEM_NAME}")
    endif()
    set(library fovea::serve)
    if(NOT arg_ROUTE)
      set(arg_ROUTE completions)
    endif()
    if(NOT arg_ROUTE MATCHES "^(completions|embeddings)$")
      message(FATAL_ERROR "${caller}: expected ROUTE to be completions or embeddings, found '${arg_ROUTE}'")
    endif()
    if(NOT TARGET fovea::serve)
      message(FATAL_ERROR "${caller}: APP serve needs a Fovea that was built with cpp-httplib (Debian: libcpp-httplib-dev)")
    endif()
    if(arg_STATIC)
      message(FATAL_ERROR "${caller}: APP serve cannot be STATIC, since cpp-httplib is a shared library")
    endif()
  endif()
  # What it is compiled with beside the model.
  set(second "")
  set(maker_of_second "")
  set(include_second "")
  set(more_makers "")
  if(arg_APP STREQUAL "transcribe")
    set(library fovea::transcribe)
    if(NOT TARGET fovea::transcribe)
      message(FATAL_ERROR "${caller}: APP transcribe needs a Fovea that was built with libsndfile, libsamplerate and zlib (Debian: libsndfile1-dev, libsamplerate0-dev, zlib1g-dev)")
    endif()
    if(arg_STATIC)
      message(FATAL_ERROR "${caller}: APP transcribe cannot be STATIC, since libsndfile is a shared library")
    endif()
    # What the model hears: as many mels as it takes, compiled as the model is.
    string(MAKE_C_IDENTIFIER "heard_by_${name}" second)
    fovea_include_of("${arg_HEADER}" include)
    file(
      CONFIGURE
      OUTPUT "${folder}/hearing.hpp"
      CONTENT [[#pragma once
@include@
#include <fovea/programs/hearing.hpp>
]]
      @ONLY
    )
    fovea_add_model(
      ${second} HEADER "${folder}/hearing.hpp" MODEL "fovea::programs::hearing_of<std::remove_cvref_t<decltype(${arg_MODEL})>>"
      ISA ${arg_ISA} CALLER "${caller}"
    )
    set(include_second "
#include <${second}.hpp>")
    set(
      maker_of_second
      "
constexpr auto heard = [](const fovea::model_weights& weights, const fovea::compile_options& options) {
  return ${second}::compile(weights, options);
};
"
    )
    set(more_makers ", fovea_program::heard")
  endif()
  if(arg_APP MATCHES "^(generate|score|stream|transcribe|translate)$" OR arg_ROUTE STREQUAL "completions")
    if(arg_PROMPT_LOOKUP OR arg_DRAFT)
      set(more_makers ", true")
    elseif(arg_APP MATCHES "^(generate|serve|transcribe|translate)$")
      set(model "fovea::last<fovea::dim{\"T\"}>(${arg_MODEL})")
    endif()
    fovea_add_model(${compiled} HEADER "${arg_HEADER}" MODEL "${model}" STREAM "fovea::dim{\"T\"}" ISA ${arg_ISA} CALLER "${caller}" DECLARED "${arg_MODEL}")
    set(made "stream<fovea::dim{\"T\"}, chosen::format>")
  else()
    fovea_add_model(${compiled} HEADER "${arg_HEADER}" MODEL "${model}" ISA ${arg_ISA} CALLER "${caller}")
    set(made "compile<chosen::format>")
  endif()

  fovea_built_parts("${caller}" ${compiled})
  if(arg_DRAFT)
    set(second "${compiled}_draft")
    if(NOT arg_DRAFT_FORMAT)
      set(arg_DRAFT_FORMAT "${arg_FORMAT}")
    endif()
    fovea_expect_format("${caller}" DRAFT_FORMAT)
    fovea_add_model(${second} HEADER "${arg_HEADER}" MODEL "${arg_DRAFT}" STREAM "fovea::dim{\"T\"}" ISA ${arg_ISA} CALLER "${caller}" DECLARED "${arg_DRAFT}")
    fovea_built_draft("${caller}")
    set(include_second "\n#include <${second}.hpp>")
    set(
      maker_of_second
      "
namespace chosen {
using draft_format = ${arg_DRAFT_FORMAT};
} // namespace chosen
constexpr auto drafted = [](const fovea::model_weights& weights, const fovea::compile_options& options) {
  return ${second}::stream<fovea::dim{\"T\"}, chosen::draft_format>(weights, options);
};
using draft_model = std::remove_cvref_t<decltype(${arg_DRAFT})>;
"
    )
    set(more_makers ", true, fovea_program::draft_model, fovea_program::drafted")
  elseif(arg_DRAFT_WEIGHTS OR arg_DRAFT_FORMAT)
    message(FATAL_ERROR "${caller}: DRAFT_WEIGHTS and DRAFT_FORMAT are of a DRAFT, which is missing")
  endif()
  if(arg_APP STREQUAL "generate" OR arg_ROUTE STREQUAL "completions")
    fovea_built_chats("${caller}")
  endif()
  file(
    CONFIGURE
    OUTPUT "${folder}/main.cpp"
    CONTENT
      [[#include <@compiled@.hpp>@include_second@
#include <fovea/programs/@arg_APP@.hpp>

#include <type_traits>
@embedded@
// A namespace of its own: the header of a model may use any other name.
namespace fovea_program {

namespace chosen {
using namespace fovea;
using format = @arg_FORMAT@;
} // namespace chosen

constexpr auto made = [](const fovea::model_weights& weights, const fovea::compile_options& options) {
  return @compiled@::@made@(weights, options);
};
@maker_of_second@
static fovea::programs::program_parts parts() {
  return {@parts@};
}

using model = std::remove_cvref_t<decltype(@model@)>;

} // namespace fovea_program

int main(int count, char** words) {
  return fovea::programs::@arg_APP@<fovea_program::model, fovea_program::made@more_makers@>(fovea_program::parts(), count, words);
}
]]
    @ONLY
  )
  add_executable(${name} "${folder}/main.cpp")
  target_compile_features(${name} PRIVATE cxx_std_20)
  set_source_files_properties("${folder}/main.cpp" PROPERTIES OBJECT_DEPENDS "${files}")
  target_link_libraries(${name} PRIVATE ${compiled} ${second} ${library})
  fovea_pack_weights(${name} "${model}")
  if(arg_DRAFT)
    fovea_pack_draft(${name})
  endif()
  target_link_options(${name} PRIVATE $<$<CONFIG:Release,MinSizeRel>:-s>)
  if(arg_STATIC)
    target_link_options(${name} PRIVATE -static)
  endif()
endfunction()
