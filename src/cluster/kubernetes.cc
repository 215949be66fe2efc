// Checks what Kubernetes would refuse, and counts shards.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/ascii.h"
#include "base/url_word.h"
#include "base/valid_utf8.h"
#include "cluster/manifests.h"
#include "cluster/shards_there.h"
#include "stepscope/cluster.h"

namespace stepscope {
namespace {

constexpr int64_t kMostPods = 100'000;  // of an indexed job with a limit for each index

// Of an object: letters, digits and dashes, so short that names of pods fit a label.
Result<void> CheckName(const std::string& name) {
  constexpr size_t kLongest = 40;
  const bool plain = std::ranges::all_of(
      name, [](char c) { return IsDigit(c) || (c >= 'a' && c <= 'z') || c == '-'; });
  const bool ends = !name.empty() && name.front() >= 'a' && name.back() != '-';
  if (plain && ends && name.size() <= kLongest) return {};
  return std::unexpected(
      Error{"Kubernetes takes no such name: '" + name + "'", "`name`",
            fmt::format("at most {} of a-z, 0-9 and -, a letter first", kLongest)});
}

bool IsText(const std::string& text) {
  std::string valid;
  AppendValidUtf8(valid, text);
  return !text.empty() && valid == text &&
         std::ranges::all_of(text, [](unsigned char c) { return c >= ' ' && c != 127; });
}

// Every pod sees them below the mount, or in a bucket.
Result<void> CheckPaths(const KubernetesOptions& options) {
  for (const std::string& text : {options.image, options.claim, options.mount}) {
    if (!IsText(text))
      return std::unexpected(Error{"'" + text + "' is not a name", "", "give printable text"});
  }
  for (const std::string& path : options.job.traces) {
    if (!IsText(path) || (!IsUrl(path) && !path.starts_with(options.mount + "/")))
      return std::unexpected(
          Error{"pods do not see these traces: they are not below " + options.mount, path,
                "give the path that pods see, or where they mount the claim (`mount`)"});
  }
  return {};
}

Result<int64_t> CountShards(const ClusterJob& job) {
  if (job.shards) return ShardsOf(job.shards, std::numeric_limits<int64_t>::max(), kMostPods);
  const auto traces = TracesOf(job);
  if (traces) return ShardsOf(job.shards, std::ssize(*traces), kMostPods);
  return std::unexpected(Error{"cannot count the traces here: " + traces.error().what,
                               traces.error().where,
                               "give `shards`, at most as many as there are traces"});
}

}  // namespace

Result<KubernetesPlan> PlanKubernetes(const KubernetesOptions& given) {
  KubernetesOptions options = given;
  while (options.mount.size() > 1 && options.mount.ends_with('/')) options.mount.pop_back();
  if (auto fine = CheckName(options.name); !fine) return std::unexpected(fine.error());
  if (auto fine = CheckPaths(options); !fine) return std::unexpected(fine.error());
  const auto shards = CountShards(options.job);
  if (!shards) return std::unexpected(shards.error());
  return KubernetesPlan{*shards, options.job_set ? JobSetManifests(options, *shards)
                                                 : JobManifests(options, *shards)};
}

}  // namespace stepscope
