// Tests names of Python's frames as profilers spell them.
#include "trace/frame_name.h"

#include <gtest/gtest.h>

namespace stepscope::frame_name_test {
namespace {

TEST(FrameName, OfPyTorch) {
  EXPECT_EQ(ParseFrameName("data/video.py(42): preprocess"),
            (FrameName{"preprocess", "data/video.py", 42}));
  EXPECT_EQ(ParseFrameName("run (1)/a.py(7): <lambda>"),
            (FrameName{"<lambda>", "run (1)/a.py", 7}));
  EXPECT_EQ(ParseFrameName("<built-in function len>"), (FrameName{"len", "", -1}));
  EXPECT_EQ(ParseFrameName("<built-in method acquire of _thread.lock object at 0x7f12>"),
            (FrameName{"_thread.lock.acquire", "", -1}));
  EXPECT_EQ(ParseFrameName("<built-in method conv2d of type object at 0x7f12>"),
            (FrameName{"conv2d", "", -1}));
  EXPECT_EQ(ParseFrameName("<built-in method  of Graph object at 0x7f12>").function,
            "<built-in method of Graph>");
  EXPECT_EQ(ParseFrameName("nn.Module: Linear_0"), (FrameName{"nn.Module: Linear_0", "", -1}));
}

TEST(FrameName, OfTensorFlowAndJax) {
  EXPECT_EQ(ParseFrameName("$video.py:42 preprocess"), (FrameName{"preprocess", "video.py", 42}));
  EXPECT_EQ(ParseFrameName("$<frozen importlib._bootstrap>:1053 _handle_fromlist"),
            (FrameName{"_handle_fromlist", "<frozen importlib._bootstrap>", 1053}));
  EXPECT_EQ(ParseFrameName("$builtins isinstance"), (FrameName{"isinstance", "", -1}));
  EXPECT_EQ(ParseFrameName("$jaxlib.utils safe_zip"), (FrameName{"jaxlib.utils.safe_zip", "", -1}));
}

TEST(FrameName, TakesAnyText) {
  EXPECT_EQ(ParseFrameName(""), FrameName{});
  EXPECT_EQ(ParseFrameName("$"), FrameName{});
  EXPECT_EQ(ParseFrameName("a.py(99999999999999999999): f").function,
            "a.py(99999999999999999999): f");
  EXPECT_EQ(ParseFrameName("(): ").function, "(): ");
  EXPECT_EQ(ParseFrameName("<function f at 0x7f>").function, "<function f>");
  EXPECT_EQ(ParseFrameName("<built-in method >").function, "");
}

TEST(FrameName, OfModules) {
  EXPECT_EQ(ModuleOfFrame("nn.Module: Linear_12"), "Linear_12");
  EXPECT_EQ(ModuleOfFrame("train.py(1): step"), "");
  EXPECT_EQ(TypeOfModule("Linear_12"), "Linear");
  EXPECT_EQ(TypeOfModule("Conv_2d"), "Conv_2d");
  EXPECT_EQ(TypeOfModule("_1"), "_1");
  EXPECT_EQ(TypeOfModule("12"), "12");
}

}  // namespace
}  // namespace stepscope::frame_name_test
