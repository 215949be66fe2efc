// Opens the pickle, and runs it.
#include "ingest/snapshot/snapshot_reader.h"

#include <utility>

#include "ingest/pickle/pickle_reader.h"
#include "ingest/snapshot/snapshot_machine.h"

namespace stepscope {

Result<MemorySnapshot> ReadSnapshot(ByteSource source) {
  const std::string_view head = source.Peek(2);
  if (head.empty())
    return std::unexpected(
        Error{"the file is empty", "", "dump the snapshot again: its writer was cut off"});
  if (!PickleReader::Begins(head))
    return std::unexpected(Error{"this is not a pickle", "",
                                 "give a file that torch.cuda.memory._dump_snapshot() wrote"});
  PickleReader reader(std::move(source));
  MemorySnapshot snapshot;
  snapshot::Machine machine(reader, snapshot);
  if (const auto done = machine.Run(); !done) return std::unexpected(done.error());
  return snapshot;
}

}  // namespace stepscope
