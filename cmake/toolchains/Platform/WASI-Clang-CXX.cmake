# One module has no code whose place is open.
set(CMAKE_CXX_COMPILE_OPTIONS_PIC "")
