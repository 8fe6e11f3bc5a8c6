# fovea_add_library(NAME HEADER header MODEL expression [STREAM dim] [CAPACITY dim=size...] [WEIGHTS file] [EMBED] [STATIC]
#                   [FORMAT q8_0] [ISA portable baseline sse41 avx2 avx512 neon64] [METADATA key=number...] [TOKENIZERS] [WASM])
#
# Makes a model a library for C, and for everything that calls C: the targets NAME, which is libNAME.so, and NAME_static,
# which is libNAME.a, the header NAME.h, and NAME.pc for pkg-config. `cmake --install BUILD --component NAME` installs them. The names of NAME.h are
# all that either defines, so that libraries of several models, or of several versions of Fovea, live in one program.
#
#     fovea_add_library(ask HEADER model.hpp MODEL ask::encoder CAPACITY B=8 T=256 WEIGHTS model.safetensors)
#     target_link_libraries(program_in_c PRIVATE ask)
#
# HEADER, MODEL, STREAM and ISA are as fovea_add_model takes them; with STREAM the header has streams, too. CAPACITY is the
# largest size of each dim, where a caller says no other. WEIGHTS, EMBED, FORMAT and METADATA are as fovea_add_executable
# takes them. STATIC links the libraries of C++ into libNAME.so, which then needs those of C alone. TOKENIZERS adds functions
# that read tokenizers, which need libutf8proc. WASM adds the target NAME_wasm: the same model as a module for JavaScript.
#
# For Windows it makes the target NAME alone, which is libNAME.dll, with libNAME.dll.a for the linker of MinGW and NAME.def for others.
# For WebAssembly it makes the target NAME alone, which is NAME.wasm, the module NAME.mjs for JavaScript, and its types
# NAME.d.mts, in the folder of the build that belongs to the caller's.

include("${CMAKE_CURRENT_LIST_DIR}/fovea_add_model.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/fovea_built_parts.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/fovea_link_dll.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/fovea_link_module.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/fovea_wasm_modules.cmake")
include(GNUInstallDirs)

set_property(GLOBAL PROPERTY fovea_version "${fovea_VERSION}")

function(fovea_add_library name)
  set(caller "fovea_add_library(${name})")
  fovea_built_arguments("${caller}" "STREAM" "CAPACITY" TOKENIZERS WASM)
  if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "fovea_add_library: expected a name that C can begin names with, found '${name}'")
  endif()
  if(APPLE)
    message(FATAL_ERROR "${caller}: libraries for C are offered on Linux, Windows and in WebAssembly; found macOS")
  endif()

  set(compiled "compiled_${name}")
  set(stream "")
  if(arg_STREAM)
    set(stream STREAM "${arg_STREAM}")
  endif()
  fovea_add_model(${compiled} HEADER "${arg_HEADER}" MODEL "${arg_MODEL}" ${stream} ISA ${arg_ISA} CALLER "${caller}")
  fovea_built_parts("${caller}" ${compiled})
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}_library")
  fovea_write_library()

  # What is to be kept: the functions of NAME.h, all that they need, and the sets that the model is compiled for.
  set(functions version error inputs outputs open open_bytes copy close run output)
  if(arg_STREAM)
    foreach(function IN ITEMS open open_bytes copy close stride latency begin step finish reset position output)
      list(APPEND functions stream_${function})
    endforeach()
  endif()
  if(arg_TOKENIZERS)
    foreach(function IN ITEMS open open_bytes close encode decode)
      list(APPEND functions tokenizer_${function})
    endforeach()
  endif()
  list(TRANSFORM functions PREPEND "${name}_")
  set(archives ${compiled} fovea::library fovea::programs fovea::runtime fovea::kernels)
  if(WASI)
    fovea_link_module()
  elseif(WIN32)
    fovea_link_dll()
  else()
    fovea_link_libraries()
  endif()
  if(arg_WASM AND NOT WASI)
    fovea_wasm_module()
  endif()
endfunction()

# Libraries for C, shared and static.
macro(fovea_link_libraries)
  # One object that defines the names of NAME.h alone, as fovea_isa_object makes them.
  add_library(${name}_objects OBJECT "${folder}/${name}.cpp")
  set_source_files_properties("${folder}/${name}.cpp" PROPERTIES OBJECT_DEPENDS "${files}")
  fovea_pack_weights(${name}_objects "${arg_MODEL}")
  target_include_directories(${name}_objects PRIVATE "${folder}/include")
  target_link_libraries(${name}_objects PRIVATE ${compiled} fovea::library)
  fovea_for_libraries(${name}_objects)
  list(TRANSFORM archives REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archive_files)
  list(TRANSFORM functions PREPEND "-u" OUTPUT_VARIABLE kept)
  list(TRANSFORM sets PREPEND "-ufovea_sizes_" OUTPUT_VARIABLE sets_to_link)
  set(object "${folder}/${name}.o")
  add_custom_command(
    OUTPUT "${object}"
    COMMAND "${FOVEA_LD}" -r --force-group-allocation --gc-sections ${kept} ${sets_to_link} -o "${object}.whole" "$<TARGET_OBJECTS:${name}_objects>"
            --start-group ${archive_files} --end-group
    COMMAND "${FOVEA_OBJCOPY}" --wildcard "--keep-global-symbol=${name}_*" "${object}.whole" "${object}"
    DEPENDS ${name}_objects "$<TARGET_OBJECTS:${name}_objects>" ${archives} ${archive_files}
    COMMENT "Making the symbols of lib${name} local"
    VERBATIM COMMAND_EXPAND_LISTS)
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)

  find_package(Threads REQUIRED)
  add_library(${name} SHARED "${object}")
  add_library(${name}_static STATIC "${object}")
  foreach(target IN ITEMS ${name} ${name}_static)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE CXX PUBLIC_HEADER "${folder}/include/${name}.h")
    target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${folder}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  endforeach()
  target_link_libraries(${name} PRIVATE Threads::Threads $<$<BOOL:${arg_TOKENIZERS}>:utf8proc::utf8proc>)
  # Linkers define names of their own, which LLVM's library for C++ would have them show.
  file(CONFIGURE OUTPUT "${folder}/${name}.map" CONTENT "{ global: ${name}_*; local: *; };\n")
  target_link_options(${name} PRIVATE LINKER:--gc-sections "LINKER:--version-script=${folder}/${name}.map"
                      $<$<CONFIG:Release,MinSizeRel>:-s>)
  if(arg_STATIC)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc LINKER:--exclude-libs,ALL)
  endif()
  target_link_libraries(${name}_static INTERFACE ${cxx_libraries} m Threads::Threads $<$<BOOL:${arg_TOKENIZERS}>:utf8proc::utf8proc>)
  install(TARGETS ${name} ${name}_static COMPONENT ${name} EXCLUDE_FROM_ALL PUBLIC_HEADER DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT ${name})
  install(FILES "${folder}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT ${name} EXCLUDE_FROM_ALL)
endmacro()

# The sources, from what stands in the caller's variables.
macro(fovea_write_library)
  get_property(version GLOBAL PROPERTY fovea_version)
  # A program in C that links libNAME.a takes the compiler's own library for C++, too: GNU's or LLVM's.
  set(cxx_libraries ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
  list(FILTER cxx_libraries INCLUDE REGEX "^(std)?c[+][+](abi)?$")
  list(TRANSFORM cxx_libraries PREPEND "-l" OUTPUT_VARIABLE cxx_link_flags)
  list(JOIN cxx_link_flags " " cxx_link_flags)
  string(REGEX REPLACE "[^/]+" ".." up "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  set(dim "${arg_STREAM}")
  if(arg_STREAM MATCHES "\"([^\"]+)\"")
    set(dim "${CMAKE_MATCH_1}")
  endif()
  foreach(template IN ITEMS types.h model.cpp.in stream.h.in stream.cpp.in tokenizer.h.in tokenizer.cpp.in)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${fovea_library_folder}/c/${template}")
  endforeach()
  file(READ "${fovea_library_folder}/c/types.h" types)
  file(READ "${fovea_library_folder}/c/model.cpp.in" source)
  set(stream "")
  if(arg_STREAM)
    file(READ "${fovea_library_folder}/c/stream.h.in" stream)
    string(CONFIGURE "${stream}" stream @ONLY)
    file(READ "${fovea_library_folder}/c/stream.cpp.in" more)
    string(APPEND source "${more}")
  endif()
  set(tokenizer "")
  set(private_libraries "")
  if(arg_TOKENIZERS)
    set(private_libraries " -lutf8proc")
    file(READ "${fovea_library_folder}/c/tokenizer.h.in" tokenizer)
    string(CONFIGURE "${tokenizer}" tokenizer @ONLY)
    file(READ "${fovea_library_folder}/c/tokenizer.cpp.in" more)
    string(APPEND source "${more}")
  endif()
  file(CONFIGURE OUTPUT "${folder}/${name}.cpp" CONTENT "${source}" @ONLY)
  configure_file("${fovea_library_folder}/c/model.h.in" "${folder}/include/${name}.h" @ONLY)
  configure_file("${fovea_library_folder}/c/library.pc.in" "${folder}/${name}.pc" @ONLY)
endmacro()
