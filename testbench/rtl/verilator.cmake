# Verilated blocks, `lyra_rtl` (the lyra program with them), their tests, and testbenches that own the clock (DPI).
execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)
if(CCACHE)
  set(CCACHE_COMMAND ${CCACHE})
endif()

# verilated(PREFIX TOP [verilator arguments and more sources]): library verilated_PREFIX of module TOP, model class PREFIX. Its file is testbench/rtl/TOP.sv, or among the arguments.
function(verilated prefix top)
  set(dir ${VERILATED}/${prefix})
  set(sources ${ARGN})
  list(FILTER sources INCLUDE REGEX "[.](sv|v|vlt)$")
  if(EXISTS ${RTL}/${top}.sv)
    list(APPEND sources ${RTL}/${top}.sv)
    list(APPEND ARGN ${RTL}/${top}.sv)
  endif()
  add_custom_command(OUTPUT ${dir}/${prefix}__ALL.a ${dir}/${prefix}.h
    COMMAND ${VERILATOR} --cc -Wall --Mdir ${dir} --prefix ${prefix} --top-module ${top} -O3 --x-initial unique --output-split 0 ${ARGN}
    COMMAND make -s -C ${dir} -f ${prefix}.mk OPT_FAST=-O2 OPT_SLOW=-O0 OPT_GLOBAL=-O2 OBJCACHE=${CCACHE_COMMAND} CFG_CXXFLAGS_STD_NEWEST=-std=gnu++17 USER_CPPFLAGS=-fPIC ${prefix}__ALL.a
    DEPENDS ${sources} COMMENT "Verilating ${prefix}" VERBATIM)
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

verilated(Vlds lds ${RTL}/lds.vlt) # the .vlt files make arrays accessible
verilated(Vlds_bug lds ${RTL}/lds.vlt "-GBUG=1'b1")
verilated(Vatomic_unit atomic_unit)
verilated(Vatomic_unit_bug atomic_unit "-GBUG=1'b1")
verilated(Vaxi4_memory axi4_memory)
verilated(Vaxi4_memory_64 axi4_memory -GDATA_BITS=64)
verilated(Vaxi4_ram axi4_ram_wrapper ${RTL}/axi4_ram.vlt ${RTL}/axi4_ram.sv)
verilated(Vaxi4_ram_4k axi4_ram_wrapper -GADDRESS_BITS=12 ${RTL}/axi4_ram.vlt ${RTL}/axi4_ram.sv)

add_library(lyra_rtl_blocks OBJECT ${RTL}/register_blocks.cpp) # an object: it registers itself
target_include_directories(lyra_rtl_blocks PUBLIC ${CMAKE_SOURCE_DIR}/testbench)
target_link_libraries(lyra_rtl_blocks PUBLIC lyra_models verilated_Vlds verilated_Vlds_bug verilated_Vatomic_unit verilated_Vatomic_unit_bug verilated_Vaxi4_memory verilated_Vaxi4_memory_64 verilated_Vaxi4_ram verilated_Vaxi4_ram_4k verilated_Vaxi4_checker_512)
target_compile_options(lyra_rtl_blocks PRIVATE -O2)
# RTL of your own from outside of the tree: cmake -DLYRA_RTL_BLOCKS=FILE.cmake (docs/rtl.md)
set(LYRA_RTL_BLOCKS "" CACHE FILEPATH "a CMake file that adds RTL blocks to lyra_rtl")
if(LYRA_RTL_BLOCKS)
  include(${LYRA_RTL_BLOCKS})
endif()
add_executable(lyra_rtl ${CMAKE_SOURCE_DIR}/platforms/main.cpp)
target_link_libraries(lyra_rtl PRIVATE lyra_platform lyra_rtl_blocks lyra_warnings)

foreach(bits 32 64 128 256 512)
  verilated(Vaxi4_checker_${bits} axi4_checker -GDATA_BITS=${bits})
endforeach()

# rtl_cosim(NAME libraries): testbench/rtl/NAME_cosim.cpp, a Boost.Test program with Verilated blocks; one ctest process a case
function(rtl_cosim name)
  set(exe rtl_${name}_cosim)
  set(source ${RTL}/${name}_cosim.cpp)
  add_executable(${exe} ${source})
  target_include_directories(${exe} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/testbench)
  target_link_libraries(${exe} PRIVATE Boost::unit_test_framework lyra_test_support lyra_platform lyra_warnings ${ARGN})
  target_compile_options(${exe} PRIVATE -O1)
  target_compile_definitions(${exe} PRIVATE BOOST_TEST_DYN_LINK BOOST_TEST_NO_MAIN BOOST_TEST_ALTERNATIVE_INIT_API)
  file(STRINGS ${source} cases REGEX "^ *BOOST_AUTO_TEST_CASE\\(")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  foreach(line ${cases})
    string(REGEX REPLACE "^ *BOOST_AUTO_TEST_CASE\\( *([A-Za-z0-9_]+).*" "\\1" case ${line})
    add_test(NAME rtl/${name}/${case} COMMAND ${exe} --run_test=*/${case}:${case} --log_level=message)
    set_tests_properties(rtl/${name}/${case} PROPERTIES TIMEOUT 300)
  endforeach()
endfunction()
rtl_cosim(axi4 verilated_Vaxi4_checker_32 verilated_Vaxi4_checker_64 verilated_Vaxi4_checker_128 verilated_Vaxi4_checker_256 verilated_Vaxi4_checker_512 verilated_Vaxi4_memory_64)
verilated(Vlds_sc lds --sc)
rtl_cosim(lds verilated_Vlds verilated_Vlds_bug verilated_Vlds_sc)

foreach(class WholeMachines WhatMustBeNoticed)
  add_test(NAME rtl/machine/${class} COMMAND ${Python3_EXECUTABLE} ${RTL}/machine_cases.py $<TARGET_FILE:lyra_rtl> $<TARGET_FILE:lyra> ${class})
  set_tests_properties(rtl/machine/${class} PROPERTIES TIMEOUT 300)
endforeach()

rtl_cosim(atomic verilated_Vatomic_unit)
rtl_cosim(reset lyra_rtl_blocks)

# SystemVerilog testbenches that own the clock, Lyra inside them
function(verilator_testbench name) # sources
  set(dir ${VERILATED}/${name})
  list(TRANSFORM ARGN PREPEND ${RTL}/)
  add_custom_command(OUTPUT ${dir}/V${name}
    COMMAND ${VERILATOR} --binary --timing -Wno-fatal -Wno-lint -Wno-style --Mdir ${dir} --top-module ${name} -I${DPI} --output-split 0 -MAKEFLAGS "-s OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1 OBJCACHE=${CCACHE_COMMAND}"
      -LDFLAGS "$<TARGET_FILE:lyra_dpi> -Wl,-rpath,$<TARGET_FILE_DIR:lyra_dpi>" ${DPI}/lyra_pkg.sv ${ARGN} ${RTL}/${name}.sv
    DEPENDS ${ARGN} ${RTL}/${name}.sv ${DPI}/lyra_pkg.sv ${DPI}/lyra.svh COMMENT "Verilating ${name}" VERBATIM)
  add_custom_target(verilator_${name} ALL DEPENDS ${dir}/V${name})
  add_dependencies(verilator_${name} lyra_dpi) # it must be there; a new one needs no new link
endfunction()
verilator_testbench(tb_lds lds.sv)
verilator_testbench(tb_memory axi4_memory.sv axi4_checker.sv)
verilator_testbench(tb_l2 axi4_checker.sv)
cosim_test(verilator/lds_against_lyra ${LDS_RIGHT} ${VERILATED}/tb_lds/Vtb_lds +beats=5000)
cosim_test(verilator/memory_controller_serves_a_kernel ${MEMORY_RIGHT} ${VERILATED}/tb_memory/Vtb_memory +job=${CASES}/mm_lds/job.toml)
cosim_test(verilator/reset_of_the_machine_in_one_run "two resets.*${MEMORY_RIGHT}" ${VERILATED}/tb_memory/Vtb_memory +job=${CASES}/mm_lds/job.toml +reset_at=7000)
cosim_test(verilator/axi4_traffic_into_l2 ${L2_RIGHT} ${VERILATED}/tb_l2/Vtb_l2 +bursts=5000)
