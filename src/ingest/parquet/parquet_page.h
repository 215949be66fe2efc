// Takes pages off a column's bytes and uncompresses them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/parquet/parquet_metadata.h"
#include "stepscope/result.h"

namespace stepscope {

struct ParquetPage {
  ParquetPageHeader header;
  std::string_view levels;  // of version 2, uncompressed: the definition levels
  std::string_view body;    // uncompressed
};

// The pages of one column in one row group, in their order. What it returns is valid until the next
// call.
class ParquetPages {
 public:
  ParquetPages(std::string_view bytes, int64_t codec) : rest_(bytes), codec_(codec) {}

  // Absent at the end of the bytes. Fails where a page breaks off, claims a size that its bytes
  // cannot have, or is compressed by what is not read here.
  Result<std::optional<ParquetPage>> Next();

 private:
  Result<std::string_view> Uncompress(std::string_view bytes, int64_t size);

  std::string_view rest_;
  int64_t codec_;
  std::string held_;
};

// Fails for a codec that is not read here: names it, and how to write the file again.
Result<void> CheckParquetCodec(int64_t codec);

}  // namespace stepscope
