# fovea_add_python_module(NAME HEADER header MODEL expression [APP embed|classify|tag|generate|translate|score|stream]
#                         [WEIGHTS file] [TOKENIZER file] [TARGET_TOKENIZER file] [EMBED] [STATIC] [FORMAT q8_0]
#                         [ISA portable baseline sse41 avx2 avx512 neon64] [CONTEXT n] [LABELS label...] [BEGIN token] [END token...]
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
#       fovea_add_python_module(ask HEADER model.hpp MODEL ask::encoder APP embed WEIGHTS model.safetensors TOKENIZER tokenizer.json
#                               CONTEXT 256 EMBED)
#     endif()

include("${CMAKE_CURRENT_LIST_DIR}/fovea_add_model.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/fovea_built_parts.cmake")

function(fovea_add_python_module name)
  set(caller "fovea_add_python_module(${name})")
  if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux)
    message(FATAL_ERROR "${caller}: Python modules are offered on Linux; found ${CMAKE_SYSTEM_NAME}")
  endif()
  fovea_built_arguments("${caller}" "APP;TOKENIZER;TARGET_TOKENIZER;CONTEXT;BEGIN" "LABELS;END;CAPACITY")
  if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "fovea_add_python_module: expected a name that Python can import, found '${name}'")
  endif()
  if(arg_APP)
    fovea_built_app("${caller}" "classify;embed;generate;score;stream;tag;translate")
    foreach(size IN ITEMS B=8 T=${arg_CONTEXT})
      string(REGEX MATCH "^[^=]+=" dim ${size})
      if(arg_CONTEXT AND NOT ";${arg_CAPACITY}" MATCHES ";${dim}")
        list(APPEND arg_CAPACITY ${size})
      endif()
    endforeach()
  endif()
  find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
  find_package(nanobind CONFIG REQUIRED)

  set(stream "")
  if(arg_APP STREQUAL "stream")
    set(stream STREAM "fovea::dim{\"T\"}")
  endif()
  fovea_add_model(compiled_${name} HEADER "${arg_HEADER}" MODEL "${arg_MODEL}" ${stream} ISA ${arg_ISA} CALLER "${caller}")
  set(libraries compiled_${name})
  set(include "")
  if(arg_APP MATCHES "^(generate|score|translate)$")
    set(written "${arg_MODEL}")
    if(NOT arg_APP STREQUAL "score")
      set(written "fovea::last<fovea::dim{\"T\"}>(${arg_MODEL})")
    endif()
    fovea_add_model(written_${name} HEADER "${arg_HEADER}" MODEL "${written}" STREAM "fovea::dim{\"T\"}" ISA ${arg_ISA} CALLER "${caller}" DECLARED "${arg_MODEL}")
    list(APPEND libraries written_${name})
    set(include "#include <written_${name}.hpp>\n")
  endif()

  fovea_built_parts("${caller}" compiled_${name})
  fovea_quoted(quoted_arg_APP "${arg_APP}")
  set(code "")
  set(more "")
  if(arg_APP MATCHES "^(embed|classify|tag)$")
    set(output logits)
    if(arg_APP STREQUAL "embed")
      set(output sentence)
    endif()
    fovea_made_of(reads model "text_network_of<M, compiled, \"${output}\">")
  elseif(arg_APP MATCHES "^(generate|score|translate)$")
    file(READ "${fovea_library_folder}/python/written.cpp.in" code)
    fovea_made_of(writes written_model "next_token_network_of<M, written>")
  elseif(arg_APP STREQUAL "stream")
    file(READ "${fovea_library_folder}/python/stream.cpp.in" code)
    set(more ".streams = fovea::programs::made_where_streams<model>([]<class M> { return &streams_of<M>; })")
  endif()
  string(CONFIGURE "${code}" code @ONLY)

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}_python")
  configure_file("${fovea_library_folder}/python/module.cpp.in" "${folder}/${name}.cpp" @ONLY)
  configure_file("${fovea_library_folder}/python/package.py.in" "${folder}/${name}/__init__.py" @ONLY)

  # Its own domain: modules of several models have classes of the same C++ types, which nanobind knows each once in a domain.
  # The package as it is installed, also in the build's folder, where the stub's maker imports it.
  nanobind_add_module(_${name} NB_STATIC NB_DOMAIN fovea_${name} NOMINSIZE "${folder}/${name}.cpp")
  set_target_properties(_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${folder}/${name}")
  set_source_files_properties("${folder}/${name}.cpp" PROPERTIES OBJECT_DEPENDS "${files}")
  fovea_pack_weights(_${name} "${arg_MODEL}")
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

# fovea_made_of(MEMBER model network): sets `more` to what an APP does with texts, by networks over a model that fits it.
macro(fovea_made_of member model network)
  set(more ".texts = {.app = ${quoted_arg_APP}, .${member} = fovea::programs::made_where_fits<${model}, fovea::programs::terms::${arg_APP}>([]<class M> { return fovea::programs::${network}::make; })}")
endmacro()
