# Compile through ccache where it is installed. The sloppiness lets it cache units that use a precompiled header; paths
# below this folder count as relative, so that clones share what they compile.
find_program(FOVEA_CCACHE ccache)
if(FOVEA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${FOVEA_CCACHE}
  )
endif()
