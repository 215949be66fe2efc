// Reads the addresses of debug servers from a job's TCPStore, as verified on PyTorch 2.15.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "http/stream.h"
#include "stepscope/result.h"

namespace stepscope::capture {

struct RankAddress {
  int64_t rank = -1;    // -1: unknown
  std::string address;  // empty: it has not registered
};

// Of all ranks, in order; those between others that are missing have no address. Fails if nobody
// answers there, or it is not such a store.
Result<std::vector<RankAddress>> RanksInStore(const http::Endpoint& store,
                                              const std::function<bool()>& cancelled);

}  // namespace stepscope::capture
