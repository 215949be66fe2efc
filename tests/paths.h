// Names the programs and directories that tests run and read. Their paths are compiled into one
// file, so that the objects of all others are the same in every checkout, and ccache finds them.
#pragma once

#include <string>

namespace stepscope::testing {

// The checkout.
std::string SourceDir();

// The `stepscope` that was built.
std::string Binary();

// goodput_c_test.c, built.
std::string GoodputCTest();

// faults/fault_shim.cc, built.
std::string FaultShim();

// Python 3.
std::string Python();

}  // namespace stepscope::testing
