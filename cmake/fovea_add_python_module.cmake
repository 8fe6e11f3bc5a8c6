# fovea_add_python_module(NAME HEADER header MODEL expression [APP embed|classify|tag|generate|translate|score|stream]
#                         [WEIGHTS file] [TOKENIZER file] [TARGET_TOKENIZER file] [EMBED] [STATIC] [FORMAT q8_0]
#                         [ISA portable baseline sse41 avx2 avx512] [CONTEXT n] [LABELS label...] [BEGIN token] [END token...]
#                         [CAPACITY dim=size...] [METADATA key=number...])
#
# Makes a model the package NAME of Python: NAME.Model, with type stubs. It is what fovea_add_executable makes a program, and
# takes the same words; APP says what Model does with texts, beside calls by arrays. CAPACITY is the largest size of each
# dim, where Python says no other: 8 of B and CONTEXT of T, where an APP reads texts. EMBED has weights and tokenizer in the
# module; without it they are copied beside it.
#
# It needs nanobind and a Python to build for, which scikit-build-core gives to a project of this CMakeLists.txt:
#
#     if(SKBUILD)
#       fovea_add_python_module(ask HEADER model.hpp MODEL ask::model APP embed WEIGHTS model.safetensors TOKENIZER tokenizer.json
#                               CONTEXT 256 EMBED)
#     endif()

include("${CMAKE_CURRENT_LIST_DIR}/fovea_add_model.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/fovea_built_parts.cmake")

function(fovea_add_python_module name)
  set(caller "fovea_add_python_module(${name})")
  set(one HEADER MODEL APP WEIGHTS TOKENIZER TARGET_TOKENIZER FORMAT CONTEXT BEGIN)
  set(many ISA LABELS END CAPACITY METADATA)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EMBED;STATIC" "${one}" "${many}")
  if(arg_UNPARSED_ARGUMENTS)
    list(JOIN one ", " known)
    message(FATAL_ERROR "${caller}: expected ${known}, ISA, LABELS, END, CAPACITY, METADATA, EMBED and STATIC, found '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  foreach(needed IN ITEMS HEADER MODEL)
    if(NOT arg_${needed})
      message(FATAL_ERROR "${caller}: ${needed} is missing")
    endif()
  endforeach()
  if(arg_APP AND NOT arg_APP MATCHES "^(embed|classify|tag|generate|translate|score|stream)$")
    message(FATAL_ERROR "${caller}: expected APP to be one of embed, classify, tag, generate, translate, score, stream; found '${arg_APP}'")
  endif()
  if(NOT arg_FORMAT)
    set(arg_FORMAT f32)
  endif()
  if(NOT arg_CONTEXT)
    set(arg_CONTEXT 0)
  endif()
  find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
  find_package(nanobind CONFIG REQUIRED)

  set(isa "")
  if(arg_ISA)
    set(isa ISA ${arg_ISA})
  endif()
  set(stream "")
  if(arg_APP STREQUAL "stream")
    set(stream STREAM "fovea::dim{\"T\"}")
  endif()
  fovea_add_model(compiled_${name} HEADER "${arg_HEADER}" MODEL "${arg_MODEL}" ${stream} ${isa})
  set(libraries compiled_${name})
  set(include "")
  if(arg_APP MATCHES "^(generate|score|translate)$")
    set(written "${arg_MODEL}")
    if(NOT arg_APP STREQUAL "score")
      set(written "fovea::last<fovea::dim{\"T\"}>(${arg_MODEL})")
    endif()
    fovea_add_model(written_${name} HEADER "${arg_HEADER}" MODEL "${written}" STREAM "fovea::dim{\"T\"}" ${isa})
    list(APPEND libraries written_${name})
    set(include "#include <written_${name}.hpp>\n")
  endif()

  set(files "")
  set(embedded "")
  foreach(part IN ITEMS weights tokenizer target_tokenizer)
    string(TOUPPER ${part} option)
    fovea_built_file("${caller}" ${option} ${part} "${arg_${option}}" "${arg_EMBED}")
  endforeach()
  fovea_numbers_by_name("${caller}" METADATA metadata "${arg_METADATA}")
  fovea_capacities("${caller}" capacity "${arg_CAPACITY}")
  if(NOT arg_CAPACITY AND arg_CONTEXT AND arg_APP)
    fovea_capacities("${caller}" capacity "B=8;T=${arg_CONTEXT}")
  endif()
  get_target_property(sets compiled_${name} FOVEA_SETS)
  foreach(list IN ITEMS sets arg_LABELS arg_END)
    fovea_quoted_list(quoted_${list} ${list})
  endforeach()
  foreach(text IN ITEMS name arg_MODEL arg_FORMAT arg_BEGIN arg_APP)
    fovea_quoted(quoted_${text} "${${text}}")
  endforeach()

  set(parts
      ".name = ${quoted_name}, .model = ${quoted_arg_MODEL}, .format = ${quoted_arg_FORMAT}, .sets = {${quoted_sets}}, .weights = ${weights}, .tokenizer = ${tokenizer}, .target_tokenizer = ${target_tokenizer}, .metadata = {${metadata}}, .capacity = {${capacity}}, .context = ${arg_CONTEXT}, .labels = {${quoted_arg_LABELS}}, .begin = ${quoted_arg_BEGIN}, .end = {${quoted_arg_END}}"
  )
  set(code "")
  set(more "")
  if(arg_APP MATCHES "^(embed|classify|tag)$")
    set(output logits)
    if(arg_APP STREQUAL "embed")
      set(output sentence)
    endif()
    set(more ".texts = {.app = ${quoted_arg_APP}, .reads = fovea::programs::text_network_of<model, compiled, \"${output}\">::make}")
  elseif(arg_APP MATCHES "^(generate|score|translate)$")
    file(READ "${fovea_library_folder}/python/written.cpp.in" code)
    set(more ".texts = {.app = ${quoted_arg_APP}, .writes = fovea::programs::next_token_network_of<written_model, written>::make}")
  elseif(arg_APP STREQUAL "stream")
    file(READ "${fovea_library_folder}/python/stream.cpp.in" code)
    set(more ".begin_inputs = stream::begin_ports::table, .step_inputs = stream::step_ports::table, .step_outputs = stream::output_ports::table, .streamed = make<stream, fovea::library::stream>, .stride = stream::stride, .latency = stream::latency")
  endif()
  string(CONFIGURE "${code}" code @ONLY)

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}_python")
  configure_file("${fovea_library_folder}/python/module.cpp.in" "${folder}/${name}.cpp" @ONLY)
  configure_file("${fovea_library_folder}/python/package.py.in" "${folder}/${name}/__init__.py" @ONLY)

  # The package as it is installed, also in the build's folder, where the stub's maker imports it.
  nanobind_add_module(_${name} NB_STATIC NOMINSIZE "${folder}/${name}.cpp")
  set_target_properties(_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${folder}/${name}")
  set_source_files_properties("${folder}/${name}.cpp" PROPERTIES OBJECT_DEPENDS "${files}")
  target_compile_features(_${name} PRIVATE cxx_std_20)
  target_compile_options(_${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  target_link_libraries(_${name} PRIVATE ${libraries} fovea::library)
  target_link_options(_${name} PRIVATE LINKER:--exclude-libs,ALL)
  if(arg_STATIC)
    target_link_options(_${name} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  nanobind_add_stub(
    ${name}_stub MODULE _${name} PYTHON_PATH "${folder}/${name}" OUTPUT "${folder}/${name}/_${name}.pyi" MARKER_FILE "${folder}/${name}/py.typed"
    DEPENDS _${name}
  )
  install(TARGETS _${name} LIBRARY DESTINATION ${name} COMPONENT ${name})
  install(FILES "${folder}/${name}/__init__.py" "${folder}/${name}/_${name}.pyi" "${folder}/${name}/py.typed" DESTINATION ${name} COMPONENT ${name})
endfunction()
