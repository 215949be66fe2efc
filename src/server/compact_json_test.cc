// Tests JSON for the inside of a page.
#include "server/compact_json.h"

#include <gtest/gtest.h>

namespace stepscope::server::compact_json_test {
namespace {

TEST(CompactJson, LeavesTextsAsTheyAre) {
  EXPECT_EQ(CompactJson("{\n \"a b\" : [ 1, 2.5 ],\t\"c\\\" d\": \" x \\\\\" }"),
            "{\"a b\":[1,2.5],\"c\\\" d\":\" x \\\\\"}");
}

}  // namespace
}  // namespace stepscope::server::compact_json_test
