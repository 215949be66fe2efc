// Defines where the main thread of one rank stood.
#pragma once

#include <cstdint>
#include <string>

namespace stepscope {

struct RankStack {
  int64_t rank = -1;
  std::string path;
  int64_t process = -1;  // its id on its host; -1: not said
  // The innermost frame of the program's own code: "train.py:42 (step)". Without such a frame it is
  // the innermost of Python; empty: the thread was not in Python.
  std::string line;
  // The innermost frame of Python, where that is another one: "queue.py:171 (get)".
  std::string innermost;
  // The function of torch.distributed that the program called there: "recv"; empty: none.
  std::string call;
  // The rank that it sends to or receives from, by the call's `dst` or `src`; -1: not said.
  int64_t peer = -1;
};

}  // namespace stepscope
