// Reads what NCCL says about its calls in the payloads of their ranges: message sizes,
// communicators, ranks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingest/sqlite/database_file.h"

namespace stepscope::nsys {

// What a payload says; absent: nothing.
struct Payload {
  std::optional<uint64_t> communicator;  // the same number on all its ranks
  std::optional<int64_t> bytes;          // of the message
  std::optional<int64_t> ranks;          // in the communicator
  std::optional<int64_t> rank;           // of the caller, in the communicator
  bool empty() const { return !communicator && !bytes && !ranks && !rank; }
};

// `nsys export --include-json=true` writes payloads as text: {"NCCL communicator ID": 123, ...}.
Payload PayloadOfJson(std::string_view json);

// `nsys export --include-blobs=true` writes them as bytes, which schemas in the file explain.
class PayloadSchemas {
 public:
  explicit PayloadSchemas(const DatabaseFile& file);
  // Empty of what no schema explains, or is shorter than its schema says.
  Payload Of(std::string_view bytes) const;

 private:
  struct Field {
    uint64_t offset = 0;
    size_t bytes = 0;
    std::string name;
  };
  std::map<std::pair<int64_t, int64_t>, std::vector<Field>> schemas_;  // by domain and number
};

}  // namespace stepscope::nsys
