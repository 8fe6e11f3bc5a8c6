# The target fovea_kernels: the library's own kernels, once for each instruction set, and the choice between them.

include("${CMAKE_CURRENT_LIST_DIR}/fovea_isa_object.cmake")
get_filename_component(fovea_root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)

set(fovea_kernel_objects "")
foreach(set IN LISTS FOVEA_INSTRUCTION_SETS)
  fovea_isa_object(fovea_kernels_${set} ${set} "${fovea_root}/backends/simd/isa/${set}.cpp" fovea_kernels_${set})
  list(APPEND fovea_kernel_objects "${fovea_kernels_${set}}")
endforeach()
if("avx512" IN_LIST FOVEA_INSTRUCTION_SETS)
  fovea_isa_object(fovea_avx512_12_ways avx512_12_ways "${fovea_root}/backends/simd/isa/avx512_12_ways.cpp" fovea_product_kernels_avx512_12_ways)
  fovea_isa_object(fovea_avx512_vnni avx512_vnni "${fovea_root}/backends/simd/isa/avx512_vnni.cpp" fovea_integer_product_avx512_vnni)
  fovea_isa_object(fovea_avx512_bf16 avx512_bf16 "${fovea_root}/backends/simd/isa/avx512_bf16.cpp" fovea_bf16_product_avx512_bf16)
  fovea_isa_object(fovea_avx512_amx avx512_amx "${fovea_root}/backends/simd/isa/avx512_amx.cpp" fovea_tile_kernels_avx512_amx)
  list(APPEND fovea_kernel_objects "${fovea_avx512_12_ways}" "${fovea_avx512_vnni}" "${fovea_avx512_bf16}" "${fovea_avx512_amx}")
endif()

add_library(fovea_kernels STATIC "${fovea_root}/backends/simd/isa/dispatch.cpp" "${fovea_root}/base/threads.cpp"
                                 ${fovea_kernel_objects})
add_library(fovea::kernels ALIAS fovea_kernels)
find_package(Threads REQUIRED)
target_link_libraries(fovea_kernels PUBLIC Threads::Threads)
target_include_directories(fovea_kernels PUBLIC $<BUILD_INTERFACE:${fovea_root}/include>)
target_compile_features(fovea_kernels PUBLIC cxx_std_20)
set_target_properties(fovea_kernels PROPERTIES POSITION_INDEPENDENT_CODE ON)
