// Binds what condenses traces, a share of them in each process.
#include "stepscope/partials.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/answer.h"
#include "python/errors.h"
#include "python/module.h"
#include "python/storage.h"
#include "python/text.h"
#include "python/work.h"
#include "stepscope/cluster.h"

namespace stepscope::python {
namespace {

Answer MapShard(const nb::list& given, const nb::object& folder, int64_t index, int64_t count,
                int threads, const nb::object& storage) {
  const std::vector<std::string> paths = BytesOfEach(given);
  MapOptions options{.folder = BytesOf(folder),
                     .shard = {index, count},
                     .threads = threads,
                     .storage = StorageOf(storage)};
  auto answer = WorkFor<Result<ReportSet>>([&](std::stop_token stop) {
    options.stop = std::move(stop);
    return MapRanks(paths, options);
  });
  return Answer(ValueOrRaise(std::move(answer), Fault::kInput));
}

// The number of traces under the paths.
int64_t CountTraces(const nb::list& given, const nb::object& storage) {
  const std::vector<std::string> paths = BytesOfEach(given);
  const StorageRef from = StorageOf(storage);
  auto traces = WorkFor<Result<std::vector<StoredItem>>>(
      [&](std::stop_token stop) { return ListTraces(paths, from, std::move(stop)); });
  return std::ssize(ValueOrRaise(std::move(traces), Fault::kInput));
}

}  // namespace

void AddPartials(nb::module_& module) {
  module.def("map_shard", MapShard, nb::arg("paths"), nb::arg("folder"), nb::arg("index"),
             nb::arg("count"), nb::arg("threads"), nb::arg("storage").none());
  module.def("count_traces", CountTraces, nb::arg("paths"), nb::arg("storage").none());
  module.attr("traces_per_shard") = kTracesPerShard;
  module.attr("most_shards") = kMostShards;
}

}  // namespace stepscope::python
