// Fuzzes the reader of workers' files: whatever the bytes, what is taken fits its door and nothing
// else of it can be read as an option or a path.
#include <cstdint>
#include <string_view>

#include "capture/common/workers.h"
#include "tests/fuzz/require.h"

namespace stepscope::capture {
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

}  // namespace
}  // namespace stepscope::capture

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stepscope::capture::Read({reinterpret_cast<const char*>(data), size});
  return 0;
}
