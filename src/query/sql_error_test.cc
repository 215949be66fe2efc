// Checks how messages of DuckDB are taken apart.
#include "query/sql_error.h"

#include <gtest/gtest.h>

namespace stepscope::query::sql_error_test {
namespace {

TEST(SqlErrorTest, TakesPlaceAndAdviceApart) {
  const Error error = ErrorOf(
      "Binder Error: Referenced column \"nme\" not found in FROM clause!\n"
      "Candidate bindings: \"name\"\n\nLINE 1: SELECT nme FROM events\n               ^");
  EXPECT_EQ(error.what,
            "cannot answer the query: Referenced column \"nme\" not found in FROM clause!");
  EXPECT_EQ(error.where, "line 1: nme FROM events");
  EXPECT_EQ(error.hint, "Candidate bindings: \"name\"");
}

TEST(SqlErrorTest, SaysWhatIsRefused) {
  EXPECT_EQ(ErrorOf("Permission Error: Cannot access file \"/x\" - file system operations are "
                    "disabled by configuration")
                .what,
            "queries read no files and write none");
}

TEST(SqlErrorTest, TakesAnyText) {
  for (const char* text : {"", "\n", "LINE 1", "LINE 1:\n^", " Error: ", "Stack Trace:"})
    EXPECT_TRUE(ErrorOf(text).what.starts_with("cannot answer the query")) << text;
}

}  // namespace
}  // namespace stepscope::query::sql_error_test
