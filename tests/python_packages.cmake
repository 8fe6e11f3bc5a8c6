# Python packages that `make test` does without, in an environment of their own: tests require the fixture.
function(add_python_packages name environment fixture requirements)
  add_test(NAME ${name} COMMAND sh -c "\"$1\" -m venv \"$2\" && \"$2/bin/pip\" install -q -r \"$3\"" sh ${Python3_EXECUTABLE}
                                ${environment} ${requirements})
  set_tests_properties(${name} PROPERTIES LABELS full FIXTURES_SETUP ${fixture})
endfunction()
