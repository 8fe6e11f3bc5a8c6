# Ranks over MPI, as processes of mpirun.
add_executable(test_mpi EXCLUDE_FROM_ALL mpi/ranks.cpp)
set_test_options(test_mpi)
target_link_libraries(test_mpi PRIVATE fovea::mpi)
add_test(NAME mpi.build COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target test_mpi)
add_test(NAME mpi COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/mpi_test.py ${MPIEXEC_EXECUTABLE} $<TARGET_FILE:test_mpi>)
set_tests_properties(mpi.build PROPERTIES LABELS full FIXTURES_SETUP test_mpi TIMEOUT 1200)
set_tests_properties(mpi PROPERTIES LABELS full FIXTURES_REQUIRED test_mpi)

# The train_ programs by ranks, and runs of which ranks are killed.
if(TARGET train_gpt)
  add_test(NAME mpi.programs COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/programs_test.py ${MPIEXEC_EXECUTABLE}
                                     $<TARGET_FILE_DIR:train_gpt>)
  add_test(NAME mpi.kills COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_LIST_DIR}/kill_test.py ${MPIEXEC_EXECUTABLE}
                                  $<TARGET_FILE:train_gpt> --kills 4)
  set_tests_properties(mpi.programs mpi.kills PROPERTIES LABELS full TIMEOUT 1200)
endif()
