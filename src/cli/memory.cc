// stepscope memory: what filled the memory of a device.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/answer.h"
#include "cli/root.h"
#include "stepscope/memory_snapshot.h"

namespace stepscope::cli {
namespace {

struct MemoryFlags {
  std::vector<std::string> paths;
  std::string trace;
  OutputFlags output;
};

int RunMemory(const MemoryFlags& flags) {
  if (const auto writable = CheckOutput(flags.output); !writable) return Fail(writable.error());
  if (flags.paths.size() > 2)
    return Fail(
        {"more than two snapshots were given", "", "give one, or one before and one after"});
  if (flags.paths.size() == 2 && !flags.trace.empty())
    return Fail({"--trace goes with one snapshot", "", "give one snapshot"});
  MemorySnapshotOptions options;
  options.trace = flags.trace;
  auto answer = ReadMemorySnapshot(flags.paths.front(), options);
  if (answer && flags.paths.size() == 2) {
    const auto after = ReadMemorySnapshot(flags.paths.back());
    if (!after) return Fail(after.error());
    answer = CompareMemorySnapshots(*answer, *after);
  }
  return PrintAndJudge(std::move(answer), flags.output);
}

}  // namespace

void AddMemory(Command& root) {
  auto flags = std::make_shared<MemoryFlags>();
  Command& command = root.Sub("memory", "Find what filled device memory, from a PyTorch snapshot");
  command.Argument("SNAPSHOT", flags->paths, "Files of _dump_snapshot(): one, or before and after");
  command.Take("--trace", flags->trace);
  AddOutput(command, flags->output, "memory_snapshot.out_of_memory>0");
  command.Examples({{"peak, fragmentation and growth", "stepscope memory snapshot.pickle"},
                    {"by operator and step", "stepscope memory snapshot.pickle --trace traces/"},
                    {"what changed", "stepscope memory before.pickle after.pickle"},
                    {"as JSON", "stepscope memory snapshot.pickle --format json"}});
  command.Runs([flags] { return RunMemory(*flags); });
}

}  // namespace stepscope::cli
