// JSON for inside of a page.
#include "server/compact_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stepscope::server {
namespace {

TEST(CompactJson, LeavesTextsAsTheyAre) {
  EXPECT_EQ(CompactJson("{\n \"a b\" : [ 1, 2.5 ],\t\"c\\\" d\": \" x \\\\\" }"),
            "{\"a b\":[1,2.5],\"c\\\" d\":\" x \\\\\"}");
}

TEST(ScriptSafeJson, HoldsNothingThatAPageWouldRead) {
  const nlohmann::json text = {"</script><script>alert(1)</script>", "<!-- <SCRIPT", "vector<int>",
                               "ends with <", "\u2028\u2029"};
  const std::string safe = ScriptSafeJson(text.dump());
  for (const char* harm : {"</", "<!", "<s", "<S", "\u2028", "\u2029"}) {
    EXPECT_EQ(safe.find(harm), safe.npos) << harm;
  }
  EXPECT_NE(safe.find("vector<int>"), safe.npos);
  EXPECT_EQ(nlohmann::json::parse(safe), text);
}

}  // namespace
}  // namespace stepscope::server
