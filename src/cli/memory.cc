// stepscope memory: what filled the memory of a device.
#include <memory>
#include <string>

#include "cli/answer.h"
#include "cli/root.h"
#include "stepscope/memory_snapshot.h"

namespace stepscope::cli {
namespace {

struct MemoryFlags {
  std::string path;
  OutputFlags output;
};

int RunMemory(const MemoryFlags& flags) {
  if (const auto writable = CheckOutput(flags.output); !writable) return Fail(writable.error());
  return PrintAndJudge(ReadMemorySnapshot(flags.path), flags.output);
}

}  // namespace

void AddMemory(Command& root) {
  auto flags = std::make_shared<MemoryFlags>();
  Command& command = root.Sub("memory", "Find what filled device memory, from a PyTorch snapshot");
  command.Argument("SNAPSHOT", flags->path, "File of torch.cuda.memory._dump_snapshot()");
  AddOutput(command, flags->output, "memory_snapshot.out_of_memory>0");
  command.Examples({{"peak, fragmentation and growth", "stepscope memory snapshot.pickle"},
                    {"as JSON", "stepscope memory snapshot.pickle --format json"}});
  command.Runs([flags] { return RunMemory(*flags); });
}

}  // namespace stepscope::cli
