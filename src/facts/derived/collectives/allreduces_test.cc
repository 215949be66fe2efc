// Tests tensor sizes read from the text of operator inputs.
#include "facts/derived/collectives/allreduces.h"

#include <gtest/gtest.h>

namespace stepscope::allreduces_test {
namespace {

TEST(ElementsOfShapes, MultipliesDimensionsAndAddsTensors) {
  EXPECT_EQ(ElementsOfShapes("[[1024]]"), 1024);
  EXPECT_EQ(ElementsOfShapes("[[8, 16], [], [4]]"), 132);
  EXPECT_EQ(ElementsOfShapes("[[[2, 3], [4]], []]"), 10);  // a list of tensors
  EXPECT_EQ(ElementsOfShapes("[\n  [\n    64,\n    2\n  ]\n]"), 128);
  EXPECT_EQ(ElementsOfShapes("[[0, 5]]"), 0);
}

TEST(ElementsOfShapes, SaysSoWhereItCannotTell) {
  for (const char* text : {"", "[]", "[[], []]", "[[-1]]", "[[\"x\"]]", "[[1e3]]",
                           "[[99999999999999999999]]", "[[4000000000, 4000000000]]"}) {
    EXPECT_EQ(ElementsOfShapes(text), -1) << text;
  }
}

}  // namespace
}  // namespace stepscope::allreduces_test
