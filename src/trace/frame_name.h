// Reads the names that profilers give to Python's frames.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

// A function of Python's. `file` is empty and `line` -1 where the function is built in, or the name
// does not tell.
struct FrameName {
  std::string function;  // "preprocess", "len", "_thread.lock.acquire", "nn.Module: Linear_0"
  std::string file;      // "data/video.py"
  int64_t line = -1;     // where the function begins

  bool operator==(const FrameName&) const = default;
  auto operator<=>(const FrameName&) const = default;
};

// Reads "data/video.py(42): preprocess", "<built-in function len>" and "<built-in method acquire of
// _thread.lock object at 0x7f...>" of PyTorch, "$video.py:42 preprocess" and "$builtins len" of
// TensorFlow and JAX. Addresses are left out: those of one function are one.
FrameName ParseFrameName(std::string_view name);

// "preprocess (video.py:42)", "len".
std::string LabelOf(const FrameName& name);

// "Linear_0" of "nn.Module: Linear_0", which is one module however often it is called; empty for
// all other frames.
std::string_view ModuleOfFrame(std::string_view name);

// "Linear" of "Linear_0"; the name itself where no number follows.
std::string_view TypeOfModule(std::string_view module);

}  // namespace stepscope
