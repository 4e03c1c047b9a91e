// SPDX-License-Identifier: Apache-2.0
// Include once in each SystemC test program. A process elaborates once: ctest runs every case in a process of its own.
// Any SystemC warning or error fails the test.
#pragma once
#include <boost/test/unit_test.hpp>
#include <systemc>

inline bool init_unit_test() {
  boost::unit_test::framework::master_test_suite().p_name.value = "lyra";
  return true;
}

int sc_main(int argc, char** argv) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_THROW);
  sc_core::sc_report_handler::set_actions("/IEEE_Std_1666/deprecated", sc_core::SC_DO_NOTHING);
  return boost::unit_test::unit_test_main(&init_unit_test, argc, argv);
}
