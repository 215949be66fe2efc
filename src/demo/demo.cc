// Implements WriteDemo: checks the request, produces the job, and puts the files in place.
#include "stepscope/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_writer.h"
#include "base/sync_folder.h"
#include "demo/folder.h"
#include "demo/groups.h"
#include "demo/plan.h"
#include "demo/production.h"
#include "demo/truth.h"

namespace stepscope {
namespace {

struct Limit {
  std::string_view option;
  double value, low, high;

  bool Holds() const { return value >= low && value <= high; }  // not for NaN
};

// Of a job whose replicas span several ranks.
std::optional<Error> ValidateParallel(const DemoOptions& options) {
  const auto refuse = [](std::string why, std::string where, std::string hint) {
    return Error{"cannot make the synthetic job: " + why, std::move(where), std::move(hint)};
  };
  const int of_replica = options.tensor * options.pipeline;
  if (options.ranks % of_replica != 0)
    return refuse(fmt::format("{} ranks are not replicas of {} x {} ranks", options.ranks,
                              options.tensor, options.pipeline),
                  "`ranks`", fmt::format("choose a multiple of {}", of_replica));
  const int replicas = options.ranks / of_replica;
  if (replicas % options.expert_groups != 0)
    return refuse(
        fmt::format("{} replicas cannot share experts by {}", replicas, options.expert_groups),
        "`expert_groups`", fmt::format("choose a divisor of {}", replicas));
  if (options.devices > 1)
    return refuse("ranks of parallel groups have one device each", "`devices`", "leave it out");
  if (!options.unknown_library) return std::nullopt;
  return refuse("parallel groups use a known library", "`unknown_library`", "leave it out");
}

// What depends on several options.
std::optional<Error> ValidateTogether(const DemoOptions& options) {
  const auto outside = std::ranges::find_if(
      options.other_slow_ranks, [&](int rank) { return rank < 0 || rank >= options.ranks; });
  if (outside != options.other_slow_ranks.end())
    return Error{
        .what = fmt::format("cannot make the synthetic job: there is no rank {}", *outside),
        .where = "`other_slow_ranks`",
        .hint = fmt::format("choose ranks from 0 to {}", options.ranks - 1)};
  if (demo::HasParallelGroups(options)) {
    if (auto error = ValidateParallel(options)) return error;
  }
  if (options.slow_link < 0 || demo::HasRails(options)) return std::nullopt;
  return Error{.what = "cannot make the synthetic job: there are no links between hosts",
               .where = "`slow_link`",
               .hint = "give `ranks_per_host`, and more ranks than that, each of one device"};
}

std::optional<Error> Validate(const DemoOptions& options) {
  const std::array limits = {
      Limit{"ranks", static_cast<double>(options.ranks), 1, 16384},
      Limit{"devices", static_cast<double>(options.devices), 1, 16},
      Limit{"steps", static_cast<double>(options.steps), 1, 100'000},
      Limit{"layers", static_cast<double>(options.layers), 1, 10000},
      Limit{"slow_rank", static_cast<double>(options.slow_rank), -1, options.ranks - 1.0},
      Limit{"slow_factor", options.slow_factor, 1, 100},
      Limit{"slow_device", static_cast<double>(options.slow_device), -1, options.devices - 1.0},
      Limit{"slow_since", static_cast<double>(options.slow_since), 0, 1e9},
      Limit{"exposed_fraction", options.exposed_fraction, 0, 1},
      Limit{"host_gap_fraction", options.host_gap_fraction, 0, 0.9},
      Limit{"ranks_per_host", static_cast<double>(options.ranks_per_host), 1, 64},
      Limit{"slow_host", static_cast<double>(options.slow_host), -1,
            static_cast<double>((options.ranks - 1) / std::max(options.ranks_per_host, 1))},
      Limit{"slow_link", static_cast<double>(options.slow_link), -1, options.ranks_per_host - 1.0},
      Limit{"tensor", static_cast<double>(options.tensor), 1, 64},
      Limit{"pipeline", static_cast<double>(options.pipeline), 1, 256},
      Limit{"expert_groups", static_cast<double>(options.expert_groups), 1, 16384},
      Limit{"microbatches", static_cast<double>(options.microbatches), 1, 256},
      Limit{"clock_spread", static_cast<double>(options.clock_spread), 0, 1e9},
      Limit{"graph_capture", static_cast<double>(options.graph_capture), 0, 1e10},
      Limit{"min_raw_bytes", static_cast<double>(options.min_raw_bytes), 0, 1e12},
  };
  const auto bad = std::ranges::find_if_not(limits, &Limit::Holds);
  if (bad == limits.end()) return ValidateTogether(options);
  std::string hint = fmt::format("choose a value from {:.15g} to {:.15g}", bad->low, bad->high);
  if (bad->option == "slow_rank") hint += "; -1: no slow rank";
  if (bad->option == "slow_device") hint += "; -1: all devices of the slow rank";
  return Error{.what = fmt::format("cannot make the synthetic job: `{}` is out of range: {}",
                                   bad->option, bad->value),
               .where = fmt::format("`{}`", bad->option),
               .hint = std::move(hint)};
}

Result<void> WriteTruth(FileWriter& file, std::string_view json) {
  if (auto done = file.Create(); !done) return done;
  if (auto done = file.Append(json); !done) return done;
  return file.Finish();
}

// A truth.json stands in the folder only while it is true: the old one goes before the first trace
// is replaced, the new one comes after the last.
Result<void> PutInPlace(const std::string& folder, const std::vector<std::string>& old,
                        demo::Production& production, FileWriter& truth,
                        std::vector<std::string> names) {
  std::ranges::sort(names);
  if (auto done = demo::RemoveStale(folder, {demo::kTruthName}, {}); !done) return done;
  if (auto done = production.Commit(); !done) return done;
  if (auto done = truth.Commit(); !done) return done;
  if (auto done = SyncFolder(folder); !done) return done;
  return demo::RemoveStale(folder, old, names);
}

}  // namespace

Result<DemoSummary> WriteDemo(const std::string& folder, const DemoOptions& options) {
  if (auto error = Validate(options)) return std::unexpected(*std::move(error));
  const Result<std::vector<std::string>> old = demo::PrepareFolder(folder);
  if (!old) return std::unexpected(old.error());
  const demo::Plan plan = demo::MakePlan(options);
  demo::Production production(plan, folder);
  if (auto done = production.Run(); !done) return std::unexpected(std::move(done.error()));

  const std::vector<demo::RankTruth> ranks = production.Truth();
  FileWriter truth(folder + "/" + demo::kTruthName);
  auto done = WriteTruth(truth, demo::TruthJson(plan, ranks));
  DemoSummary summary{.files = options.ranks + 1};
  std::vector<std::string> names = {demo::kTruthName};
  for (const demo::RankTruth& rank : ranks) {
    if (names.back() == rank.file) continue;  // another device of the same rank
    names.push_back(rank.file);
    summary.events += rank.events;
    summary.raw_bytes += rank.raw_bytes;
  }
  if (done) done = PutInPlace(folder, *old, production, truth, std::move(names));
  if (!done) return std::unexpected(std::move(done.error()));
  return summary;
}

}  // namespace stepscope
