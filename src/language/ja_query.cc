// Holds the Japanese of queries and of tables as Parquet.
#include "language/ja.h"

namespace stepscope {

std::span<const Translated> JapaneseOfQueries() {
  static constexpr Translated kTexts[] = {
      {"{n} row", "{n} 行"},
      {"{n} rows", "{n} 行"},
      {"{rows}; more were left out by the limit", "{rows} (残りは 上限により省略)"},
      {"Tables of queries", "クエリのテーブル"},
      {"Tables and columns", "テーブルと列"},
      {"Tables that a query can name, for these traces.",
       "このトレースに対してクエリで使えるテーブルです。"},
      {"column", "列"},
      {"unit", "単位"},
      {"{count} Parquet files were written, {bytes} bytes.",
       "Parquet ファイルを {count} 個書き込みました ({bytes} バイト)。"},
  };
  return kTexts;
}

}  // namespace stepscope
