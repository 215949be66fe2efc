// Tells the kernels of collectives what their calls say: operation, communicator, size.
//
// NCCL puts a range around each of its calls. A kernel is of the call whose range has its launch in
// it; of calls in a group, ncclGroupEnd() launches the kernels of all.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/nsys/payload.h"
#include "ingest/nsys/process_trace.h"

namespace stepscope::nsys {

class NcclCalls {
 public:
  // Whether a range of this name is a call.
  static bool IsCall(std::string_view name) { return name.starts_with("nccl"); }

  // A call. Threads are those of the report.
  void AddCall(int64_t thread, std::string_view name, int64_t start, int64_t end,
               const Payload& payload);
  // A launch of kernels; only threads with calls are remembered. REQUIRES: calls were added.
  void AddLaunch(int64_t thread, int64_t start, int64_t correlation);
  // To be called once, when all were added.
  void Join();

  // Sets what is known of the kernel that was added to `out` last. REQUIRES: Join().
  void Describe(ProcessTrace& out, int64_t correlation) const;

  // The caller's rank in its largest communicator, and how many ranks that has.
  struct Membership {
    int64_t rank = -1, ranks = -1;
  };
  std::optional<Membership> MembershipOf(int64_t process) const;

 private:
  enum class Operation : uint8_t;
  struct Call {
    int64_t start = 0, end = 0;
    Operation operation{};
    Payload payload;
  };
  struct Launch {
    int64_t start = 0, correlation = 0;
  };
  struct Thread {
    std::vector<Call> calls;
    std::vector<Launch> launches;
  };
  // What kernels of one launch do.
  struct Message {
    Operation operation{};
    std::optional<uint64_t> communicator;
    int64_t sent = -1, received = -1;  // bytes
  };
  // Calls that launch together, and from when to when.
  struct Group {
    int64_t start = 0, end = 0;
    std::vector<const Call*> calls;
  };

  static Operation OperationOf(std::string_view name);
  static std::string_view NameOf(Operation operation);
  static std::vector<Group> GroupsOf(const std::vector<Call>& calls);
  std::optional<Message> MessageOf(int64_t process, const Group& group) const;
  Message Of(int64_t process, const Call& call) const;
  void JoinThread(int64_t process, Thread& thread);
  int64_t RanksOf(int64_t process, const std::optional<uint64_t>& communicator) const;

  std::map<int64_t, Thread> threads_;
  std::map<std::pair<int64_t, uint64_t>, Membership> members_;        // by process and communicator
  std::map<int64_t, std::unordered_map<int64_t, Message>> messages_;  // by process, correlation
};

}  // namespace stepscope::nsys
