# RTL beside the models: Verilated blocks, `lyra_rtl` (the lyra program with them) and the co-simulation tests.
find_program(VERILATOR verilator)
if(NOT VERILATOR)
  message(STATUS "co-simulation: Verilator is not installed (scripts/setup does it): no lyra_rtl, its tests are left out")
  return()
endif()
execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)
set(RTL ${CMAKE_CURRENT_LIST_DIR})
set(VERILATED ${CMAKE_BINARY_DIR}/verilated)

# verilated(PREFIX TOP [verilator arguments]): library verilated_PREFIX of testbench/rtl/TOP.sv, model class PREFIX
function(verilated prefix top)
  set(dir ${VERILATED}/${prefix})
  add_custom_command(OUTPUT ${dir}/${prefix}__ALL.a ${dir}/${prefix}.h
    COMMAND ${VERILATOR} --cc -Wall --Mdir ${dir} --prefix ${prefix} --top-module ${top} -O3 --x-initial unique --output-split 0 ${ARGN} ${RTL}/${top}.sv
    COMMAND make -s -C ${dir} -f ${prefix}.mk OPT_FAST=-O2 OPT_SLOW=-O0 OPT_GLOBAL=-O2 CFG_CXXFLAGS_STD_NEWEST=-std=gnu++17 USER_CPPFLAGS=-fPIC ${prefix}__ALL.a
    DEPENDS ${RTL}/${top}.sv COMMENT "Verilating ${prefix}" VERBATIM)
  add_custom_target(verilate_${prefix} DEPENDS ${dir}/${prefix}__ALL.a)
  add_library(verilated_${prefix} INTERFACE)
  add_dependencies(verilated_${prefix} verilate_${prefix})
  target_include_directories(verilated_${prefix} SYSTEM INTERFACE ${dir})
  target_link_libraries(verilated_${prefix} INTERFACE ${dir}/${prefix}__ALL.a verilated_runtime)
endfunction()

add_library(verilated_runtime STATIC ${VERILATOR_ROOT}/include/verilated.cpp ${VERILATOR_ROOT}/include/verilated_threads.cpp)
target_include_directories(verilated_runtime SYSTEM PUBLIC ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
target_compile_options(verilated_runtime PRIVATE -O1 -w)
find_package(Threads REQUIRED)
target_link_libraries(verilated_runtime PUBLIC Threads::Threads)

verilated(Vlds lds)
verilated(Vlds_bug lds "-GBUG=1'b1")
verilated(Vatomic_unit atomic_unit)
verilated(Vatomic_unit_bug atomic_unit "-GBUG=1'b1")
verilated(Vaxi4_memory axi4_memory)
verilated(Vaxi4_memory_64 axi4_memory -GDATA_BITS=64)

add_library(lyra_rtl_blocks OBJECT ${RTL}/register_blocks.cpp) # an object: it registers itself
target_include_directories(lyra_rtl_blocks PUBLIC ${CMAKE_SOURCE_DIR}/testbench)
target_link_libraries(lyra_rtl_blocks PUBLIC lyra_models verilated_Vlds verilated_Vlds_bug verilated_Vatomic_unit verilated_Vatomic_unit_bug verilated_Vaxi4_memory verilated_Vaxi4_memory_64)
target_compile_options(lyra_rtl_blocks PRIVATE -O2)
add_executable(lyra_rtl ${CMAKE_SOURCE_DIR}/platforms/main.cpp)
target_link_libraries(lyra_rtl PRIVATE lyra_platform lyra_rtl_blocks lyra_warnings)
