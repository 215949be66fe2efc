// Fuzzes the reader of workers' files: whatever the bytes, what is taken fits its door and nothing
// else of it can be read as an option or a path.
#include <cstdint>
#include <string_view>

#include "capture/common/workers.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::capture::worker_fuzz {
namespace {

void Read(std::string_view bytes) {
  const auto worker = ParseWorker(bytes);
  if (!worker) return Require(!worker.error().what.empty());
  const CaptureTarget& target = worker->target;
  Require(target.pid > 0 && target.rank >= -1 && target.world_size >= 0);
  Require(target.world_size == 0 || target.rank < target.world_size);
  Require(!target.address.empty() && target.address.front() != '-');
  Require(worker->started >= 0);
}

const fuzz::Register kTarget({.name = "worker", .run = &Read, .form = fuzz::Form::kJson});

}  // namespace
}  // namespace stepscope::capture::worker_fuzz
