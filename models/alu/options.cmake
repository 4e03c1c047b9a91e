# Host vector levels of the vector ALU: the same sources compiled once for plain x86-64 and once for AVX2, FMA and F16C.
# The level's name is the namespace of everything in these files; bind() picks one when it first runs.
# -ffp-contract=off: a multiply and an add are fused only where the code says so. (Not -frounding-math: it stops vectorisation; what runs under another
# rounding mode sits behind a compiler barrier, see fp_scope.)
file(GLOB LYRA_VECTOR_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/vector_*.cpp)
set(LYRA_VECTOR_FLAGS "-ffp-contract=off -fno-trapping-math -fno-math-errno -fwrapv")
set_source_files_properties(${LYRA_VECTOR_SOURCES} PROPERTIES COMPILE_FLAGS "${LYRA_VECTOR_FLAGS}")

include(CheckCXXCompilerFlag)
check_cxx_compiler_flag("-mavx2 -mfma -mf16c" LYRA_HAS_AVX2)
if(LYRA_HAS_AVX2)
  foreach(source ${LYRA_VECTOR_SOURCES})
    get_filename_component(name ${source} NAME_WE)
    set(copy ${CMAKE_BINARY_DIR}/generated/alu/${name}_avx2.cpp)
    file(GENERATE OUTPUT ${copy} CONTENT "#define LYRA_ALU_LEVEL avx2\n#include \"alu/${name}.cpp\"\n")
    set_source_files_properties(${copy} PROPERTIES GENERATED TRUE COMPILE_FLAGS "${LYRA_VECTOR_FLAGS} -mavx2 -mfma -mf16c")
    target_sources(lyra_core PRIVATE ${copy})
  endforeach()
  target_compile_definitions(lyra_core PRIVATE LYRA_ALU_HAS_AVX2=1)
endif()

# alu_benchmark: host time of each kind of instruction; built on request, not a test
if(LYRA_BUILD_TESTS AND EXISTS ${CMAKE_SOURCE_DIR}/testbench/alu/alu_benchmark.cpp)
  add_executable(alu_benchmark EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/testbench/alu/alu_benchmark.cpp)
  target_include_directories(alu_benchmark PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/testbench)
  target_link_libraries(alu_benchmark PRIVATE lyra_core lyra_warnings)
endif()
