// Joins ranges of NCCL's calls, launches within them, and kernels.
#include "ingest/nsys/nccl_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/saturate.h"

namespace stepscope::nsys {

enum class NcclCalls::Operation : uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kBroadcast,
  kReduce,
  kAllToAll,
  kGather,
  kScatter,
  kSend,
  kReceive,
  kExchange,
  kGroupStart,
  kGroupEnd,
  kOther
};

namespace {

constexpr auto kCallNames = std::to_array<std::string_view>(
    {"ncclAllReduce", "ncclAllGather", "ncclReduceScatter", "ncclBroadcast", "ncclReduce",
     "ncclAlltoAll", "ncclGather", "ncclScatter", "ncclSend", "ncclRecv", "", "ncclGroupStart",
     "ncclGroupEnd"});
// As PyTorch's profiler names them.
constexpr auto kOperationNames = std::to_array<std::string_view>(
    {"allreduce", "allgather", "reduce_scatter", "broadcast", "reduce", "all_to_all", "gather",
     "scatter", "send", "recv", "sendrecv", "", "", ""});

}  // namespace

NcclCalls::Operation NcclCalls::OperationOf(std::string_view name) {
  if (name == "ncclBcast") return Operation::kBroadcast;
  const auto at = std::ranges::find(kCallNames, name);
  return static_cast<Operation>(at - kCallNames.begin());  // behind the last: kOther
}

std::string_view NcclCalls::NameOf(Operation operation) {
  return kOperationNames[static_cast<size_t>(operation)];
}

void NcclCalls::AddCall(int64_t thread, std::string_view name, int64_t start, int64_t end,
                        const Payload& payload) {
  const Operation operation = OperationOf(name);
  if (payload.communicator && payload.rank && payload.ranks)
    members_[{ProcessOf(thread), *payload.communicator}] = {*payload.rank, *payload.ranks};
  if (operation != Operation::kOther)
    threads_[thread].calls.push_back({start, end, operation, payload});
}

void NcclCalls::AddLaunch(int64_t thread, int64_t start, int64_t correlation) {
  const auto at = threads_.find(thread);
  if (at != threads_.end()) at->second.launches.push_back({start, correlation});
}

void NcclCalls::Join() {
  for (auto& [thread, of_thread] : threads_) JoinThread(ProcessOf(thread), of_thread);
  threads_.clear();
}

// REQUIRES: by start.
std::vector<NcclCalls::Group> NcclCalls::GroupsOf(const std::vector<Call>& calls) {
  std::vector<Group> groups;
  int depth = 0;
  for (const Call& call : calls) {
    if (call.operation == Operation::kGroupStart && depth++ == 0)
      groups.push_back({call.start, INT64_MAX, {}});
    if (call.operation == Operation::kGroupEnd && depth > 0 && --depth == 0)
      groups.back().end = call.end;
    if (call.operation >= Operation::kGroupStart) continue;
    if (depth == 0) groups.push_back({call.start, call.end, {}});
    groups.back().calls.push_back(&call);
  }
  return groups;
}

int64_t NcclCalls::RanksOf(int64_t process, const std::optional<uint64_t>& communicator) const {
  if (!communicator) return -1;
  const auto at = members_.find({process, *communicator});
  return at == members_.end() ? -1 : at->second.ranks;
}

// NCCL tells the bytes of one rank's part: of what an all-gather sends and a reduce-scatter
// receives.
NcclCalls::Message NcclCalls::Of(int64_t process, const Call& call) const {
  const int64_t bytes = call.payload.bytes.value_or(-1);
  const int64_t ranks = RanksOf(process, call.payload.communicator);
  int64_t all = -1;
  if (bytes >= 0 && ranks > 0 && __builtin_mul_overflow(bytes, ranks, &all)) all = -1;
  Message message{call.operation, call.payload.communicator, bytes, bytes};
  if (call.operation == Operation::kAllGather) message.received = all;
  if (call.operation == Operation::kReduceScatter) message.sent = all;
  if (call.operation == Operation::kSend) message.received = -1;
  if (call.operation == Operation::kReceive) message.sent = -1;
  return message;
}

// Of calls that differ in more than sends and receives nobody can tell which kernel is of which.
std::optional<NcclCalls::Message> NcclCalls::MessageOf(int64_t process, const Group& group) const {
  if (group.calls.empty()) return std::nullopt;
  Message sum = Of(process, *group.calls.front());
  const auto moves = [](Operation operation) {
    return operation == Operation::kSend || operation == Operation::kReceive ||
           operation == Operation::kExchange;
  };
  const auto add = [](int64_t& to, int64_t bytes) {
    if (bytes >= 0) to = AddSaturated(std::max<int64_t>(to, 0), bytes);
  };
  for (size_t c = 1; c < group.calls.size(); ++c) {
    const Message next = Of(process, *group.calls[c]);
    if (next.communicator != sum.communicator) return std::nullopt;
    if (next.operation != sum.operation) {
      if (!moves(next.operation) || !moves(sum.operation)) return std::nullopt;
      sum.operation = Operation::kExchange;
    }
    add(sum.sent, next.sent);
    add(sum.received, next.received);
  }
  return sum;
}

void NcclCalls::JoinThread(int64_t process, Thread& thread) {
  std::ranges::sort(thread.calls, {}, [](const Call& c) { return std::pair(c.start, c.end); });
  std::ranges::sort(thread.launches, {}, &Launch::start);
  auto launch = thread.launches.begin();
  for (const Group& group : GroupsOf(thread.calls)) {
    while (launch != thread.launches.end() && launch->start < group.start) ++launch;
    const auto begin = launch;
    while (launch != thread.launches.end() && launch->start < group.end) ++launch;
    auto message = MessageOf(process, group);
    if (!message) continue;
    // Sizes are of one kernel that does it all; of several each does a part that nobody tells.
    if (launch - begin > 1) message->sent = message->received = -1;
    for (auto at = begin; at != launch; ++at) messages_[process][at->correlation] = *message;
  }
}

void NcclCalls::Describe(ProcessTrace& out, int64_t correlation) const {
  const auto of_process = messages_.find(out.process());
  if (of_process == messages_.end()) return;
  const auto at = of_process->second.find(correlation);
  if (at == of_process->second.end()) return;
  const Message& message = at->second;
  Trace& trace = out.trace();
  trace.Set(TextField::kCollective, out.Intern(NameOf(message.operation)));
  if (message.sent >= 0) trace.Set(IntField::kInElements, message.sent);
  if (message.received >= 0) trace.Set(IntField::kOutElements, message.received);
  if (message.sent >= 0 || message.received >= 0)
    trace.Set(TextField::kDataType, out.Intern("Byte"));
  if (!message.communicator) return;
  trace.Set(TextField::kGroupName, out.Intern(fmt::format("{:x}", *message.communicator)));
  const int64_t ranks = RanksOf(out.process(), message.communicator);
  if (ranks > 0) trace.Set(IntField::kGroupSize, ranks);
}

std::optional<NcclCalls::Membership> NcclCalls::MembershipOf(int64_t process) const {
  std::optional<Membership> largest;
  for (const auto& [key, member] : members_) {
    if (key.first == process && (!largest || member.ranks > largest->ranks)) largest = member;
  }
  return largest;
}

}  // namespace stepscope::nsys
