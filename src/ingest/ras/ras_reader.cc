// Written by NCCL's src/ras/client_support.cc; docs/formats/nccl-ras.md has what is read of it.
#include "ingest/ras/ras_reader.h"

#include <set>
#include <string>
#include <utility>

#include "ingest/pickle/json_values.h"
#include "ingest/pickle/value_tree.h"

namespace stepscope {
namespace {

constexpr size_t kMostText = 64;    // bytes of an id or the name of a host
constexpr size_t kMostCounts = 32;  // operations of one member
constexpr int64_t kInProgress = 7;  // ncclInProgress, of communicators that do not block

bool IsError(int64_t result) { return result > 0 && result != kInProgress; }

class Document {
 public:
  explicit Document(const ValueTree& tree) : tree_(tree) {}

  RasStatus Read() {
    status_.taken = Text(tree_.root, "timestamp");
    for (const Value value : tree_.List(tree_.Find(tree_.root, "communicators"))) {
      if (value.kind == Value::Kind::kDict) {
        ReadCommunicator(value);
      } else {
        ++status_.left_out;
      }
    }
    return std::move(status_);
  }

 private:
  std::string Text(Value dict, std::string_view key) const {
    return std::string(tree_.TextOf(tree_.Find(dict, key)).substr(0, kMostText));
  }
  int64_t Number(Value dict, std::string_view key) const {
    const Value value = tree_.Find(dict, key);
    return value.kind == Value::Kind::kInt && value.bits >= 0 ? value.bits : -1;
  }
  bool Is(Value dict, std::string_view key) const {
    const Value value = tree_.Find(dict, key);
    return value.kind == Value::Kind::kBool && value.bits != 0;
  }

  void ReadCommunicator(Value value) {
    RasCommunicator communicator{.id = Text(value, "hash"), .size = Number(value, "size")};
    std::set<int64_t> seen;
    for (const bool missing : {false, true}) {
      for (const Value member : tree_.List(tree_.Find(value, missing ? "missing_ranks" : "ranks")))
        Add(member, missing, seen, communicator);
    }
    status_.communicators.push_back(std::move(communicator));
  }

  void Add(Value value, bool missing, std::set<int64_t>& seen, RasCommunicator& communicator) {
    const int64_t rank = Number(value, "rank");
    if (rank < 0 || members_ >= kMostRasMembers || !seen.insert(rank).second) {
      ++status_.left_out;
      return;
    }
    ++members_;
    const Value status = tree_.Find(value, "status");
    RasMember member{.rank = rank,
                     .host = Text(value, "host"),
                     .process = Number(value, "pid"),
                     .device = Number(value, "cuda_dev"),
                     .counts = Counts(tree_.Find(value, "collective_counts")),
                     .missing = missing,
                     .unresponsive = Is(status, "unresponsive"),
                     .dead = Is(status, "considered_dead"),
                     .aborted = Is(status, "abort_flag") || IsError(Number(status, "async_error"))};
    communicator.members.push_back(std::move(member));
  }

  std::map<std::string, int64_t> Counts(Value dict) const {
    std::map<std::string, int64_t> counts;
    const auto items = tree_.Dict(dict);
    for (size_t i = 0; i + 1 < items.size() && counts.size() < kMostCounts; i += 2) {
      if (items[i + 1].kind == Value::Kind::kInt && items[i + 1].bits >= 0)
        counts[std::string(tree_.TextOf(items[i]).substr(0, kMostText))] = items[i + 1].bits;
    }
    return counts;
  }

  const ValueTree& tree_;
  RasStatus status_;
  size_t members_ = 0;
};

}  // namespace

bool LooksLikeRas(std::string_view bytes) {
  const size_t begin = bytes.find_first_not_of(" \t\r\n");
  return begin != bytes.npos && bytes[begin] == '{' &&
         bytes.find("\"communicators_count\"") != bytes.npos;
}

Result<RasStatus> ReadRas(ByteSource source) {
  const auto tree = ReadJson(std::move(source), {.values = 32'000'000});
  if (!tree) return std::unexpected(tree.error());
  if (tree->Find(tree->root, "communicators").kind != Value::Kind::kList)
    return std::unexpected(Error{"the file holds no communicators of NCCL's RAS", "", ""});
  return Document(*tree).Read();
}

}  // namespace stepscope
