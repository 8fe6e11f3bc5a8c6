# The target utf8proc::utf8proc, for a utf8proc that brings no configuration of its own, as Debian's.
find_library(utf8proc_LIBRARY utf8proc)
find_path(utf8proc_INCLUDE_DIR utf8proc.h)
mark_as_advanced(utf8proc_LIBRARY utf8proc_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(utf8proc REQUIRED_VARS utf8proc_LIBRARY utf8proc_INCLUDE_DIR)

if(utf8proc_FOUND AND NOT TARGET utf8proc::utf8proc)
  # By its name, not by its path: a program that is linked statically takes the archive.
  add_library(utf8proc::utf8proc INTERFACE IMPORTED GLOBAL) # libraries of models link it, too
  cmake_path(GET utf8proc_LIBRARY PARENT_PATH folder)
  target_link_libraries(utf8proc::utf8proc INTERFACE utf8proc)
  target_link_directories(utf8proc::utf8proc INTERFACE ${folder})
  target_include_directories(utf8proc::utf8proc INTERFACE ${utf8proc_INCLUDE_DIR})
endif()
