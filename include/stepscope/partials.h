// Condenses the traces of a job, a share of them on each machine, into partials that one machine
// reads together (docs/scale.md).
//
//   auto mapped = stepscope::MapRanks({"traces/"}, {.folder = "part", .shard = {3, 16}});
//
// A partial holds a rank's steps and collectives as they were, sums of its kernels, and the time of
// all other work between every two collectives. Opened as a run, partials answer the analyses that
// need no more, exactly as the traces do.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/session.h"

namespace stepscope {

// The traces `index`, `index` + `count`, `index` + 2 `count` and so on, in the order of their
// names.
struct Shard {
  int64_t index = 0;  // from 0
  int64_t count = 1;
};

// "3/16", or "auto": what Slurm's arrays and steps, MPI and Kubernetes' indexed jobs say in the
// environment. `count`, where it is given, counts more than theirs: of an array that is submitted
// again for a few shards, they say how few these are. The only process of a step or of MPI is 0/1.
// Fails where nothing says it, and where two of them say different things, but for MPI on nodes of
// Slurm: it knows its processes.
Result<Shard> ReadShard(std::string_view text, std::optional<int64_t> count,
                        const std::function<std::optional<std::string>(const char*)>& environment);

// "shard-00003-of-00016.ranks.parquet": what the shard's file is called.
std::string ShardFileName(const Shard& shard);
// Absent where a file of this name, without directories, is that of no shard.
std::optional<Shard> ShardOfFileName(std::string_view name);

struct MapOptions {
  std::string folder;  // made where it is missing; it gets the ShardFileName()
  Shard shard;
  int threads = 0;        // 0: one per processor
  int64_t max_input = 0;  // as OpenOptions
  StorageRef storage = nullptr;
  std::function<void(const Progress&)> on_progress;
  std::stop_token stop;
};

// Writes the partials of a shard's traces as one file, which appears under its name once it is
// complete. Does nothing where the file is there, of the same traces (by size, time, and what they
// begin and end with), made by the same version, and not damaged. A trace that cannot be read is
// left out, told, here and where the partials are opened, and tried again the next time. Fails
// where none can be read.
Result<ReportSet> MapRanks(std::span<const std::string> paths, const MapOptions& options);

// Writes all partials of these files and folders as one file, by rank: the same whatever their
// order, and however they were merged before.
Result<ReportSet> MergePartials(std::span<const std::string> paths, const std::string& file);

// The shards of `count` of which the folder has no file, or a damaged one, ascending.
Result<std::vector<int64_t>> MissingShards(const std::string& folder, int64_t count);

}  // namespace stepscope
