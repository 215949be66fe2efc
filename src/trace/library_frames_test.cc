// Tests which functions are a library's.
#include "trace/library_frames.h"

#include <gtest/gtest.h>

namespace stepscope::library_frames_test {
namespace {

bool OfLibrary(std::string_view name) { return IsOfLibrary(ParseFrameName(name)); }

TEST(LibraryFrames, TellsLibrariesByPlaceAndName) {
  EXPECT_TRUE(OfLibrary("torch/nn/modules/module.py(1): _call_impl"));
  EXPECT_TRUE(OfLibrary("queue.py(180): get"));
  EXPECT_TRUE(OfLibrary("$queue.py:180 get"));
  EXPECT_TRUE(OfLibrary("zipimport.py(1): load")) << "the last of the list";
  EXPECT_TRUE(OfLibrary("IPython/core.py(1): run")) << "the first";
  EXPECT_TRUE(OfLibrary("/opt/venv/lib/python3.12/site-packages/mylib/a.py(1): f"));
  EXPECT_TRUE(OfLibrary("/usr/lib/python3.12/code.py(1): f"));
  EXPECT_TRUE(OfLibrary("<frozen importlib._bootstrap>(1): _find"));
  EXPECT_TRUE(OfLibrary("<eval_with_key>.3(5): forward"));
  EXPECT_TRUE(OfLibrary("$_methods.py:148 _var")) << "of NumPy, where folders are left out";
  EXPECT_TRUE(OfLibrary("$pjit.py:280 cache_miss"));
}

TEST(LibraryFrames, LeavesTheUsersAlone) {
  EXPECT_FALSE(OfLibrary("serve.py(31): detokenize"));
  EXPECT_FALSE(OfLibrary("data/queue.py(3): get")) << "in a folder of the user";
  EXPECT_FALSE(OfLibrary("/home/me/torch_utils/a.py(3): f"));
  EXPECT_FALSE(OfLibrary("torch_utils/a.py(3): f"));
  EXPECT_FALSE(OfLibrary("<ipython-input-3-abc>(3): f"));
  EXPECT_FALSE(OfLibrary("<built-in function len>")) << "it has no file";
  EXPECT_FALSE(OfLibrary("py.py(1): f"));
  EXPECT_FALSE(OfLibrary("__main__.py(1): f"));
  EXPECT_FALSE(OfLibrary("jobs/pjit.py(3): f")) << "in a folder of the user";
}

}  // namespace
}  // namespace stepscope::library_frames_test
