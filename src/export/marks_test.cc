// Tests where arguments are added to the text of an event.
#include "export/marks.h"

#include <gtest/gtest.h>

namespace stepscope::marks_test {
namespace {

TEST(WithArguments, JoinThoseOfTheEvent) {
  EXPECT_EQ(WithArguments(R"({"name":"a","args":{"b":1}})", R"("c": 2)"),
            R"({"name":"a","args":{"c": 2, "b":1}})");
  EXPECT_EQ(WithArguments(R"({"args" : { }})", R"("c": 2)"), R"({"args" : {"c": 2 }})");
  EXPECT_EQ(WithArguments(R"({"name":"a"})", R"("c": 2)"), R"({"name":"a", "args": {"c": 2}})");
  EXPECT_EQ(WithArguments("{}", R"("c": 2)"), R"({"args": {"c": 2}})");
}

TEST(WithArguments, AreThoseOfTheEventItself) {
  EXPECT_EQ(WithArguments(R"({"own":{"args":{}},"name":"args","args":{}})", R"("c": 2)"),
            R"({"own":{"args":{}},"name":"args","args":{"c": 2}})");
  EXPECT_EQ(WithArguments(R"({"name":"\\\"args\":{","args":{}})", R"("c": 2)"),
            R"({"name":"\\\"args\":{","args":{"c": 2}})");
  EXPECT_EQ(WithArguments(R"({"args":[1]})", R"("c": 2)"), R"({"args":[1]})");
}

// Of events with the same times the name tells them apart.
TEST(EventMarks, AreFoundByTimesAndName) {
  StringTable names;
  const StringId gemm = names.Intern("gemm");
  EventMarks marks(names);
  marks.patterns = {R"("x|gemm": 2)"};
  marks.Of(10, 20, gemm).critical = true;
  marks.Of(10, 20, gemm).pattern = 0;
  const EventMark* found = marks.Find(10, 20, "gemm");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(marks.ArgumentsOf(*found), R"("critical": 1, "Patterns": {"x|gemm": 2})");
  EXPECT_EQ(marks.Find(10, 21, "gemm"), nullptr);
  EXPECT_EQ(marks.Find(10, 20, "other"), nullptr);
}

}  // namespace
}  // namespace stepscope::marks_test
