// Passes text between traces and Python. Names in traces may be any bytes; Python's text and
// Arrow's are valid Unicode.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <vector>

namespace stepscope::python {

namespace nb = nanobind;

// A str, with U+FFFD for each piece that is not UTF-8.
nb::object TextOf(std::string_view text);

// The bytes of a `bytes`, such as a path by os.fsencode(). Raises TypeError for anything else.
std::string BytesOf(nb::handle bytes);
std::vector<std::string> BytesOfEach(const nb::list& list);

// A str as os.fsdecode() makes it of a path.
nb::object PathTextOf(std::string_view path);

}  // namespace stepscope::python
