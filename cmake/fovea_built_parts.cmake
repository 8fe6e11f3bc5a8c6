# What fovea_add_executable, fovea_add_library and fovea_add_python_module take alike, and what they write of it as C++
# (programs/parts.hpp).

include("${CMAKE_CURRENT_LIST_DIR}/fovea_pack_weights.cmake")

# What each APP takes beside its model, weights and format. All of these are in the cache, for a project above this one sees no
# variable of it.
set(fovea_words_of_embed TOKENIZER CONTEXT CACHE INTERNAL "")
set(fovea_words_of_classify TOKENIZER CONTEXT LABELS CACHE INTERNAL "")
set(fovea_words_of_tag TOKENIZER CONTEXT LABELS CACHE INTERNAL "")
set(fovea_words_of_generate TOKENIZER CONTEXT BEGIN END PROMPT_LOOKUP DRAFT DRAFT_WEIGHTS DRAFT_FORMAT CACHE INTERNAL "")
set(fovea_words_of_score TOKENIZER CONTEXT CACHE INTERNAL "")
set(fovea_words_of_translate TOKENIZER TARGET_TOKENIZER CONTEXT BEGIN END CACHE INTERNAL "")
set(fovea_words_of_stream CONTEXT CACHE INTERNAL "")
set(fovea_words_of_transcribe TOKENIZER GENERATION_CONFIG CACHE INTERNAL "")
set(fovea_words_of_serve ROUTE TOKENIZER CONTEXT BEGIN END CACHE INTERNAL "")

# What FORMAT may be, as weights/weight_format.hpp lists them.
set(fovea_formats f32 f16 bf16 int8 q8_0 q4_0 q5_0 q4_k q6_k integer_products<int8> integer_products<q8_0> integer_products<q4_0> integer_products<q4_k> integer_products<q6_k> bf16_products CACHE INTERNAL "")

# fovea_built_arguments(CALLER one many flag...): the arguments of the function that calls it, as arg_OPTION. `one`, `many` and
# the flags are the options of one value, of several, and of none that it takes beside those that all take.
macro(fovea_built_arguments caller one many)
  set(known_of_one HEADER MODEL WEIGHTS FORMAT ${one})
  set(known_of_many ISA METADATA ${many})
  set(flags EMBED STATIC ${ARGN})
  cmake_parse_arguments(PARSE_ARGV 1 arg "${flags}" "${known_of_one}" "${known_of_many}")
  if(arg_UNPARSED_ARGUMENTS)
    list(JOIN known_of_one ", " known)
    list(JOIN known_of_many ", " known_many)
    list(JOIN flags ", " known_flags)
    message(FATAL_ERROR "${caller}: expected ${known}, ${known_many}, ${known_flags}; found '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT TARGET fovea::programs)
    message(FATAL_ERROR "${caller}: needs a Fovea that was built with FOVEA_PROGRAMS")
  endif()
  if(arg_EMBED AND arg_PACKED)
    message(FATAL_ERROR "${caller}: expected EMBED or PACKED, found both; what is embedded is packed")
  endif()
  if(APPLE AND arg_STATIC)
    message(FATAL_ERROR "${caller}: STATIC is not offered for macOS, which has its own libraries as shared ones alone")
  endif()
  fovea_expect_options("${caller}" HEADER MODEL)
  fovea_expect_header("${caller}" "${arg_HEADER}")
  if(NOT arg_FORMAT)
    set(arg_FORMAT f32)
  endif()
  fovea_expect_format("${caller}" FORMAT)
  if(NOT arg_CONTEXT)
    set(arg_CONTEXT 0)
  endif()
  if(NOT arg_CONTEXT MATCHES "^[0-9]+$")
    message(FATAL_ERROR "${caller}: expected CONTEXT to be a number of tokens, found '${arg_CONTEXT}'")
  endif()
endmacro()

# fovea_expect_format(CALLER OPTION): that arg_OPTION is a format of weights.
function(fovea_expect_format caller option)
  string(REGEX REPLACE "fovea::| " "" format "${arg_${option}}")
  if(NOT format IN_LIST fovea_formats)
    list(JOIN fovea_formats ", " known)
    message(FATAL_ERROR "${caller}: expected ${option} to be one of ${known}, found '${arg_${option}}'")
  endif()
endfunction()

# fovea_built_app(CALLER known): that APP is one of those known, and what stands beside it something that it takes.
function(fovea_built_app caller known)
  if(NOT arg_APP IN_LIST known)
    list(JOIN known ", " known)
    message(FATAL_ERROR "${caller}: expected APP to be one of ${known}, found '${arg_APP}'")
  endif()
  foreach(option IN ITEMS TOKENIZER TARGET_TOKENIZER GENERATION_CONFIG CONTEXT LABELS BEGIN END ROUTE PROMPT_LOOKUP DRAFT DRAFT_WEIGHTS DRAFT_FORMAT)
    if(arg_${option} AND NOT option IN_LIST fovea_words_of_${arg_APP})
      list(JOIN fovea_words_of_${arg_APP} ", " taken)
      message(FATAL_ERROR "${caller}: APP ${arg_APP} has no use for ${option}, it takes ${taken}")
    endif()
  endforeach()
  if(arg_APP STREQUAL "translate" AND NOT (arg_BEGIN AND arg_END))
    message(FATAL_ERROR "${caller}: APP translate needs BEGIN and END, the tokens around a translation")
  endif()
endfunction()

# fovea_built_parts(CALLER model): sets `parts` to the members of a program_parts of what was parsed, where the library
# `model` was made of it; `embedded` and `files` are what it takes to have files in the program.
macro(fovea_built_parts caller model)
  set(files "")
  set(embedded "")
  set(packed "${CMAKE_CURRENT_BINARY_DIR}/${name}_packed.gguf") # by fovea_pack_weights
  fovea_built_file("${caller}" WEIGHTS weights "${arg_WEIGHTS}" "${arg_EMBED}" "${packed}")
  foreach(part IN ITEMS tokenizer target_tokenizer generation_config)
    string(TOUPPER ${part} option)
    fovea_built_file("${caller}" ${option} ${part} "${arg_${option}}" "${arg_EMBED}")
  endforeach()
  fovea_numbers_by_name("${caller}" METADATA metadata "${arg_METADATA}")
  fovea_capacities("${caller}" "${arg_CAPACITY}" capacity capacity_dims)
  get_target_property(sets ${model} FOVEA_SETS)
  foreach(list IN ITEMS sets arg_LABELS arg_END)
    fovea_quoted_list(quoted_${list} ${list})
  endforeach()
  foreach(text IN ITEMS name arg_MODEL arg_FORMAT arg_BEGIN)
    fovea_quoted(quoted_${text} "${${text}}")
  endforeach()
  string(
    CONCAT
    parts
    ".name = ${quoted_name}, .model = ${quoted_arg_MODEL}, .format = ${quoted_arg_FORMAT}, .declared = (${arg_MODEL}).name, "
    ".sets = {${quoted_sets}}, "
    ".weights = ${weights}, .tokenizer = ${tokenizer}, .target_tokenizer = ${target_tokenizer}, .generation_config = ${generation_config}, .metadata = {${metadata}}, "
    ".capacity = {${capacity}}, .context = ${arg_CONTEXT}, .labels = {${quoted_arg_LABELS}}, .begin = ${quoted_arg_BEGIN}, "
    ".end = {${quoted_arg_END}}"
  )
endmacro()

# fovea_built_draft(CALLER): adds to `parts`, `embedded` and `files` what there is of the DRAFT.
macro(fovea_built_draft caller)
  set(packed_draft "${CMAKE_CURRENT_BINARY_DIR}/${name}_draft_packed.gguf") # by fovea_pack_draft
  fovea_built_file("${caller}" DRAFT_WEIGHTS draft_weights "${arg_DRAFT_WEIGHTS}" "${arg_EMBED}" "${packed_draft}")
  foreach(text IN ITEMS DRAFT DRAFT_FORMAT)
    fovea_quoted(quoted_${text} "${arg_${text}}")
  endforeach()
  fovea_quoted(quoted_draft_name "${name}_draft")
  string(
    APPEND
    parts
    ", .draft = {{.name = ${quoted_draft_name}, .model = ${quoted_DRAFT}, .format = ${quoted_DRAFT_FORMAT}, .declared = (${arg_DRAFT}).name, "
    ".sets = {${quoted_sets}}, .weights = ${draft_weights}}}"
  )
endmacro()

# The templates of sources, beside this file where it is installed.
set(fovea_library_folder "${CMAKE_CURRENT_LIST_DIR}/library" CACHE INTERNAL "")
if(NOT EXISTS "${fovea_library_folder}")
  set(fovea_library_folder "${CMAKE_CURRENT_LIST_DIR}/../library" CACHE INTERNAL "")
endif()

# fovea_built_chats(CALLER): adds to `parts`, `embedded` and `files` those beside a tokenizer that is embedded which say how the
# model is talked to (runtime/chat/chat_source.hpp). Without EMBED the program looks for them there.
macro(fovea_built_chats caller)
  set(beside "")
  set(number 0)
  if(arg_EMBED AND arg_TOKENIZER)
    cmake_path(ABSOLUTE_PATH arg_TOKENIZER BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE OUTPUT_VARIABLE chats)
    cmake_path(GET chats PARENT_PATH chats)
    foreach(file IN ITEMS chat_template.jinja chat_template.json tokenizer_config.json generation_config.json
                          additional_chat_templates/tool_use.jinja)
      if(EXISTS "${chats}/${file}")
        math(EXPR number "${number} + 1")
        fovea_built_file("${caller}" TOKENIZER beside_${number} "${chats}/${file}" ON)
        string(APPEND beside "${beside_${number}}, ")
      endif()
    endforeach()
  endif()
  string(APPEND parts ", .beside_tokenizer = {${beside}}")
endmacro()

# fovea_built_file(CALLER OPTION part file EMBED [INSTEAD]): sets `part` to the C++ of a built_file, and adds to `embedded`
# and `files` what it takes to have it in the program, or the file INSTEAD that the build makes of it. With PACKED the program
# opens that one.
function(fovea_built_file caller option part file embed)
  if(NOT file)
    if(embed AND option MATCHES "WEIGHTS$")
      message(FATAL_ERROR "${caller}: EMBED needs ${option}, the file to embed")
    elseif(arg_PACKED AND option MATCHES "WEIGHTS$")
      message(FATAL_ERROR "${caller}: PACKED needs ${option}, the file to pack")
    endif()
    set(${part} "{}" PARENT_SCOPE)
    return()
  endif()
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "${caller}: expected ${option} to be a file, found nothing at '${file}'")
  endif()
  if(IS_DIRECTORY "${file}" AND embed)
    message(FATAL_ERROR "${caller}: EMBED needs ${option} to be a file, found the folder '${file}'")
  endif()
  set(members "")
  if(arg_PACKED AND ARGN)
    set(file "${ARGN}")
    set(members ", .moves_along = true")
  endif()
  fovea_quoted(quoted "${file}")
  if(NOT embed)
    set(${part} "{.path = u8${quoted}${members}}" PARENT_SCOPE)
    return()
  endif()
  if(ARGN)
    set(file "${ARGN}")
  endif()
  fovea_quoted(quoted_bytes "${file}")
  # Beside the read-only data, on pages of its own: the system reads them as they are touched. WebAssembly's assembler asks how much
  # belongs to each name. Those of Windows and macOS have no stack of sections: the compiler names one again before what comes next.
  set(section ".pushsection .rodata.fovea_${part}, \"a\"")
  set(section_end ".popsection")
  set(size "")
  set(size_end "")
  if(WASI)
    set(section ".section .rodata.fovea_${part}, \"\", @\n.type fovea_embedded_${part}, @object\n.type fovea_embedded_${part}_end, @object")
    set(section_end "")
    set(size ".size fovea_embedded_${part}, . - fovea_embedded_${part}")
    set(size_end ".size fovea_embedded_${part}_end, 1")
  elseif(WIN32)
    set(section ".section .rdata$fovea_${part}, \"dr\"")
    set(section_end ".text")
  elseif(APPLE)
    set(section ".section __DATA,__const")
    set(section_end ".text")
  endif()
  string(
    APPEND embedded
    "
asm(R\"(${section}
.balign 4096
.globl fovea_embedded_${part}
fovea_embedded_${part}:
.incbin ${quoted_bytes}
${size}
.globl fovea_embedded_${part}_end
fovea_embedded_${part}_end:
.byte 0
${size_end}
${section_end})\");
extern \"C\" const std::byte fovea_embedded_${part}[] asm(\"fovea_embedded_${part}\");
extern \"C\" const std::byte fovea_embedded_${part}_end[] asm(\"fovea_embedded_${part}_end\");
"
  )
  set(embedded "${embedded}" PARENT_SCOPE)
  set(files "${files};${file}" PARENT_SCOPE)
  set(${part} "{.path = u8${quoted}, .bytes = {fovea_embedded_${part}, fovea_embedded_${part}_end}}" PARENT_SCOPE)
endfunction()

# fovea_quoted_list(RESULT LIST): the texts of the list of that name as strings of C++, each with a comma behind it.
function(fovea_quoted_list result list)
  set(all "")
  foreach(text IN LISTS ${list})
    fovea_quoted(text "${text}")
    string(APPEND all "${text}, ")
  endforeach()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

# fovea_numbers_by_name(CALLER OPTION RESULT list): the entries name=number of a list as pairs of C++, each with a comma
# behind it.
function(fovea_numbers_by_name caller option result list)
  set(all "")
  foreach(entry IN LISTS list)
    if(NOT entry MATCHES "^(.+)=([-+0-9.e]+)$")
      message(FATAL_ERROR "${caller}: expected ${option} as name=number, found '${entry}'")
    endif()
    fovea_quoted(key "${CMAKE_MATCH_1}")
    string(APPEND all "{${key}, ${CMAKE_MATCH_2}}, ")
  endforeach()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

# fovea_capacities(CALLER list CAPACITIES DIMS): the entries dim=size of a list as capacities of C++, and their dims as its
# arguments behind another.
function(fovea_capacities caller list capacities dims)
  set(all "")
  set(known "")
  foreach(entry IN LISTS list)
    if(NOT entry MATCHES "^([^=]+)=([1-9][0-9]*)$")
      message(FATAL_ERROR "${caller}: expected CAPACITY as dim=size with a size of at least 1, found '${entry}'")
    endif()
    fovea_quoted(dim "${CMAKE_MATCH_1}")
    if(dim IN_LIST known)
      message(FATAL_ERROR "${caller}: expected one CAPACITY of ${CMAKE_MATCH_1}, found several: ${list}")
    endif()
    list(APPEND known "${dim}")
    string(APPEND all "{fovea::core::dim::symbol(${dim}), ${CMAKE_MATCH_2}}, ")
  endforeach()
  list(TRANSFORM known REPLACE "(.+)" ", fovea::core::dim(\\1)")
  list(JOIN known "" known)
  set(${capacities} "${all}" PARENT_SCOPE)
  set(${dims} "${known}" PARENT_SCOPE)
endfunction()
