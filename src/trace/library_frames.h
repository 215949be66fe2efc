// Tells functions of Python's own and of installed libraries from those of the user's program.
#pragma once

#include "base/library_files.h"
#include "trace/frame_name.h"

namespace stepscope {

// Whether the function is in a file of an installed library: told by the directory, or where the
// profiler has cut the path off there, as PyTorch does, by the library's name. False for what is
// built in, which has no file.
inline bool IsOfLibrary(const FrameName& name) { return IsLibraryFile(name.file); }

// Whether it is called as every module's forward pass is, or an autograd function's backward pass.
inline bool IsPass(const FrameName& name) {
  return name.function == "forward" || name.function == "backward";
}

// Whether it is what runs a whole backward pass: a function that trains calls it.
inline bool RunsBackward(const FrameName& name) { return name.function.ends_with("run_backward"); }

}  // namespace stepscope
