# Code for one instruction set, without leaks: fovea_isa_object() compiles a source with the flags of a set and makes
# every symbol but the named ones local, so that no inline function of it can stand in for ordinary code
# (backends/simd/isa/README.md).

# GNU binutils also where clang is the compiler: lld has no --force-group-allocation. For another processor they have a
# prefix, as CMake's own objcopy has.
string(REGEX MATCH "[^/]*-(linux-gnu[^/]*|mingw32)-" prefix "${CMAKE_OBJCOPY}")
if(APPLE) # LLVM's, which knows of its objects
  find_program(FOVEA_OBJCOPY NAMES llvm-objcopy llvm-objcopy-19 REQUIRED)
elseif(NOT WASI)
  find_program(FOVEA_LD NAMES ${prefix}ld.bfd ${prefix}ld REQUIRED)
  find_program(FOVEA_OBJCOPY NAMES ${prefix}objcopy REQUIRED)
endif()

# -O3 whatever the build type, since a kernel is of use only when it is fast; the sanitisers' build takes less.
set(FOVEA_KERNEL_OPTIMISATION "-O3" CACHE STRING "Optimisation of what is compiled for one instruction set")
mark_as_advanced(FOVEA_KERNEL_OPTIMISATION)

include("${CMAKE_CURRENT_LIST_DIR}/instruction_sets.cmake")
set(fovea_own_symbols "${CMAKE_CURRENT_LIST_DIR}/own_symbols.cmake" CACHE INTERNAL "")

# fovea_isa_object(NAME SET SOURCE SYMBOLS): compiles SOURCE for SET as the object library NAME_objects and sets NAME in
# the caller's scope to an object file whose only global definitions are SYMBOLS: a C name, in which * stands for any text.
# Give that file to a target as a source. Each function has a section of its own, so that a linker can leave it out.
function(fovea_isa_object name set source symbols)
  fovea_isa_flags(${set} flags)
  add_library(${name}_objects OBJECT "${source}")
  target_link_libraries(${name}_objects PRIVATE fovea::dsl xsimd)
  target_compile_definitions(${name}_objects PRIVATE FOVEA_OF_ONE_INSTRUCTION_SET)
  target_compile_options(${name}_objects PRIVATE ${FOVEA_KERNEL_OPTIMISATION} ${flags} -fno-exceptions
                                                 -fno-rtti -fno-lto -ffunction-sections -fdata-sections $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>
                                                 $<$<BOOL:${WIN32}>:-fno-asynchronous-unwind-tables>)
  set_target_properties(${name}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${name}.o")
  if(WASI) # a module is one set, whose functions stand in for no other's
    set(making "${CMAKE_COMMAND}" -E copy "$<TARGET_OBJECTS:${name}_objects>" "${object}")
  elseif(WIN32 OR APPLE) # whose formats have no groups that a linker could resolve beforehand: all names are made those of the set
    set(making "${CMAKE_COMMAND}" "-Dobjdump=${CMAKE_OBJDUMP}" "-Dnm=${CMAKE_NM}" "-Dobjcopy=${FOVEA_OBJCOPY}" "-Dset=${set}" "-Dsymbols=${symbols}"
               "-Dfrom=$<TARGET_OBJECTS:${name}_objects>" "-Dto=${object}" -P "${fovea_own_symbols}")
  else()
    set(making "${FOVEA_LD}" -r --force-group-allocation -o "${object}.whole" "$<TARGET_OBJECTS:${name}_objects>"
        COMMAND "${FOVEA_OBJCOPY}" --wildcard "--keep-global-symbol=${symbols}" "${object}.whole" "${object}")
  endif()
  add_custom_command(
    OUTPUT "${object}"
    COMMAND ${making}
    DEPENDS ${name}_objects "$<TARGET_OBJECTS:${name}_objects>"
    COMMENT "Making the symbols of ${name} local"
    VERBATIM COMMAND_EXPAND_LISTS)
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set_property(GLOBAL APPEND PROPERTY fovea_isa_objects "${object}|${symbols}") # for tests/leak
  set(${name} "${object}" PARENT_SCOPE)
endfunction()
