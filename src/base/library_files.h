// Tells files of Python's own and of installed libraries from those of a user's program.
#pragma once

#include <string_view>

namespace stepscope {

// Whether it is a file of an installed library: told by the directory, or where the profiler has
// cut the path off there, as PyTorch does, by the library's name. False for what is built in, which
// has no file.
bool IsLibraryFile(std::string_view file);

// Whether a framework runs it whatever the model is: another wrapper, as FSDP for DDP, brings its
// own, which are not what changed, and what calls backward waits there for other ranks.
bool IsOfTraining(std::string_view file);

}  // namespace stepscope
