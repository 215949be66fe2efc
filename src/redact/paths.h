// Finds paths of files, and divides them into what is private and what may stay.
#pragma once

#include <cstddef>
#include <string_view>

namespace stepscope::redact {

// The size of the absolute path that begins at `at`: of Unix, of Windows, or below a home ("~/x");
// with two names at least, as "/device:GPU:0" has not. 0: there is none.
size_t AbsolutePathAt(std::string_view text, size_t at);

// The size of the relative path of a file that begins at `at`: two names at least, and an ending of
// files ("train/loop.py"); 0: there is none.
size_t RelativeFileAt(std::string_view text, size_t at);
// Where it says no: up to here it says no at every word.
size_t RelativeRunEnd(std::string_view text, size_t at);

// A path as `head` + `tail`. The head is private, or is `open`: a directory of the system. The tail
// begins with a separator or is all there is.
struct PathParts {
  std::string_view head;
  std::string_view tail;
  bool open = false;
  bool tail_is_library = false;  // the tail begins at the root of a library
};

// From the root of a library on (site-packages/, lib/python3.x/, torch/), else from the name of the
// file on. A last name without an ending may be a directory and counts as private.
PathParts PartsOf(std::string_view path);

// The user whose home the path is in: "alice" of "/home/alice/x"; empty: none.
std::string_view UserOf(std::string_view path);

// Whether the relative path begins with a directory of well-known C++ sources ("aten/", "c10/").
bool IsOfPublicSources(std::string_view path);

}  // namespace stepscope::redact
