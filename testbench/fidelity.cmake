# `lyra bench` on vega10: rows within their tolerance, and that it notices a row that is not.
foreach(what rows failure)
  add_test(NAME cli/fidelity/${what} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/cli/fidelity.py $<TARGET_FILE:lyra> ${what})
  set_tests_properties(cli/fidelity/${what} PROPERTIES TIMEOUT 900)
endforeach()
