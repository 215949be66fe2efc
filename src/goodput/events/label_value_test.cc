// Tests label values with quotes, line breaks and invalid UTF-8.
#include "goodput/events/label_value.h"

#include <gtest/gtest.h>

namespace stepscope::label_value_test {
namespace {

TEST(LabelValue, IsValidWhateverTheText) {
  EXPECT_EQ(LabelValue("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
  EXPECT_EQ(LabelValue("\xff\xc3"), "\\\\xff\\\\xc3");
  EXPECT_EQ(LabelValue("größe"), "größe");
}

}  // namespace
}  // namespace stepscope::label_value_test
