// Tells the paths that CMake compiled in.
#include "tests/paths.h"

namespace stepscope::testing {

std::string SourceDir() { return STEPSCOPE_SOURCE_DIR; }
std::string Binary() { return STEPSCOPE_BINARY; }
std::string GoodputCTest() { return STEPSCOPE_GOODPUT_C_TEST; }
std::string FaultShim() { return STEPSCOPE_FAULT_SHIM; }
std::string Python() { return STEPSCOPE_PYTHON; }

}  // namespace stepscope::testing
