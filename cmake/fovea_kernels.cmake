# The target fovea_kernels: the library's own kernels, once for each instruction set, and the choice between them.

include("${CMAKE_CURRENT_LIST_DIR}/fovea_for_libraries.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/fovea_isa_object.cmake")
get_filename_component(fovea_root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(fovea_isa_folder "${fovea_root}/backends/simd/isa")

set(fovea_kernel_objects "")
set(fovea_kernel_targets fovea_kernels)
foreach(set IN LISTS FOVEA_INSTRUCTION_SETS)
  fovea_isa_object(fovea_kernels_${set} ${set} "${fovea_isa_folder}/set.cpp" "fovea_*_${set}")
  target_compile_definitions(fovea_kernels_${set}_objects PRIVATE FOVEA_SET=${set})
  list(APPEND fovea_kernel_objects "${fovea_kernels_${set}}")
  list(APPEND fovea_kernel_targets fovea_kernels_${set}_objects)
endforeach()
foreach(variant IN LISTS fovea_variants)
  fovea_isa_object(fovea_${variant} ${variant} "${fovea_isa_folder}/${variant}.cpp" "fovea_*_${variant}")
  list(APPEND fovea_kernel_objects "${fovea_${variant}}")
  list(APPEND fovea_kernel_targets fovea_${variant}_objects)
endforeach()

# What dispatch.cpp knows of the sets.
list(TRANSFORM FOVEA_INSTRUCTION_SETS REPLACE "(.+)" "each(\\1, __VA_ARGS__)" OUTPUT_VARIABLE rows)
list(JOIN rows " " rows)
set(sets_header "#define FOVEA_SETS(each, ...) ${rows}\n")
foreach(set IN LISTS FOVEA_INSTRUCTION_SETS)
  fovea_isa_support(${set} condition)
  set(linked "")
  if(set IN_LIST FOVEA_SETS_ON_REQUEST)
    set(linked "__attribute__((weak))") # null where a program does not ask for it
    set(condition "&fovea_sizes_${set} != nullptr && ${condition}")
  endif()
  string(APPEND sets_header "#define FOVEA_SUPPORTS_${set} (${condition})\n#define FOVEA_LINKED_${set} ${linked}\n")
endforeach()
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/isa/sets.hpp" CONTENT "${sets_header}" @ONLY)

# What the system does, and nobody else asks which it is.
set(fovea_system posix)
if(WIN32)
  set(fovea_system windows)
endif()
set(fovea_system_folder "${fovea_root}/base/system/${fovea_system}")
set(processors "${fovea_system_folder}/processors.cpp")
if(FOVEA_WASM_THREADS)
  file(GLOB processors CONFIGURE_DEPENDS "${fovea_root}/base/system/wasm/*.cpp")
endif()

add_library(
  fovea_kernels STATIC "${fovea_isa_folder}/dispatch.cpp" "${fovea_root}/base/threads.cpp" ${processors} ${fovea_kernel_objects}
)
add_library(fovea::kernels ALIAS fovea_kernels)
find_package(Threads REQUIRED)
target_link_libraries(fovea_kernels PUBLIC Threads::Threads $<$<PLATFORM_ID:Windows>:synchronization>)
target_include_directories(fovea_kernels PUBLIC $<BUILD_INTERFACE:${fovea_root}/include> PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/isa")
target_compile_features(fovea_kernels PUBLIC cxx_std_20)
# g++ collects its garbage only behind a GiB, in users' files, too, which saves most a tenth to a sixth of their time.
target_compile_options(fovea_kernels PUBLIC $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1048576>)
fovea_for_libraries(fovea_kernels)
if(FOVEA_WASM_THREADS)
  set(wrapped malloc calloc realloc aligned_alloc posix_memalign free) # base/system/wasm/allocation.cpp
  list(TRANSFORM wrapped PREPEND LINKER:--wrap=)
  target_link_options(fovea_kernels INTERFACE ${wrapped})
endif()
# A program links the kernels that its models call, and no others.
target_link_options(fovea_kernels INTERFACE LINKER:$<IF:$<PLATFORM_ID:Darwin>,-dead_strip,--gc-sections>)
