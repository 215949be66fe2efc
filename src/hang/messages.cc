// A message waits for its other end: who has a send without the receiver's recv, or the reverse,
// waits for that rank.
#include <algorithm>
#include <set>
#include <tuple>

#include "hang/waits.h"

namespace stepscope::hang {
namespace {

struct Message {
  int64_t own = -1, peer = -1;  // global ranks; -1: not known
  const DumpOperation* operation = nullptr;
};

Message MessageOf(const JobGroup& group, int64_t rank, const DumpOperation& operation) {
  const int64_t place = operation.name == "send" ? operation.to : operation.from;
  return {rank, group.MemberAt(place), &operation};
}

bool HasOtherEnd(const JobGroup& group, const Message& message) {
  const auto at = group.messages.find(message.peer);
  if (at == group.messages.end()) return false;
  return std::ranges::any_of(at->second, [&](const DumpOperation* other) {
    return other->name != message.operation->name && other->from == message.operation->from &&
           other->to == message.operation->to;
  });
}

bool IsFirst(std::set<std::tuple<int64_t, int64_t, bool>>& seen, const Message& message) {
  return seen.emplace(message.own, message.peer, message.operation->name == "send").second;
}

// Calls that return when the message is through, by their names in stacks.
bool Sends(const RankStack& stack) {
  return stack.call == "send" || stack.call.starts_with("send_object");
}
bool Receives(const RankStack& stack) {
  return stack.call == "recv" || stack.call.starts_with("recv_object");
}

// Both ends are there: it is about to move.
bool Meets(const Job& job, int64_t rank, const RankStack& own) {
  const RankStack* peer = job.StackOf(own.peer);
  if (peer == nullptr || peer->peer != rank) return false;
  return (Sends(own) && Receives(*peer)) || (Receives(own) && Sends(*peer));
}

// The group of all ranks that both are in, else any that has both.
size_t GroupWith(const Job& job, int64_t a, int64_t b) {
  size_t found = job.groups.size();
  for (size_t place = 0; place < job.groups.size(); ++place) {
    const auto& members = job.groups[place].members;
    const bool both = std::ranges::find(members, a) != members.end() &&
                      std::ranges::find(members, b) != members.end();
    if (both && (found == job.groups.size() || job.groups[place].description == "default_pg"))
      found = place;
  }
  return found;
}

bool IsBehindCollective(const Job& job, int64_t rank) {
  const auto at = job.fronts.find(rank);
  return at != job.fronts.end() && !at->second.operation->point_to_point;
}

}  // namespace

void AddMessageWaits(const Job& job, size_t group, Waits& waits) {
  const JobGroup& of = job.groups[group];
  std::set<std::tuple<int64_t, int64_t, bool>> seen;
  for (const auto& [rank, operations] : of.messages) {
    for (const DumpOperation* operation : operations) {
      const Message message = MessageOf(of, rank, *operation);
      if (message.peer < 0 || message.peer == rank || !IsFirst(seen, message)) continue;
      WaitKind kind = WaitKind::kMessage;
      if (!job.HasDump(message.peer)) {
        kind = WaitKind::kMissing;
      } else if (HasOtherEnd(of, message)) {
        if (IsBehindCollective(job, rank) || !IsBehindCollective(job, message.peer)) continue;
        kind = WaitKind::kQueued;
      }
      waits.waits.push_back({kind, group, operation, {rank}, {message.peer}, true});
    }
  }
}

void AddSeenMessages(const Job& job, Waits& waits) {
  for (const auto& [rank, stack] : job.stacks) {
    const bool waits_in_it = (Sends(*stack) || Receives(*stack)) && job.HasDump(rank) &&
                             !job.IsStuck(rank) && stack->peer >= 0 && stack->peer != rank;
    if (!waits_in_it || !job.ranks.contains(stack->peer) || Meets(job, rank, *stack)) continue;
    const size_t group = GroupWith(job, rank, stack->peer);
    if (group >= job.groups.size()) continue;
    const auto place = [&](int64_t member) {
      const auto& members = job.groups[group].members;
      return std::ranges::find(members, member) - members.begin();
    };
    DumpOperation& message = waits.seen.emplace_back();
    message.sequence = -1;
    message.point_to_point = true;
    message.name = stack->call;
    message.line = stack->line;
    message.from = place(Sends(*stack) ? rank : stack->peer);
    message.to = place(Sends(*stack) ? stack->peer : rank);
    const WaitKind kind = job.HasDump(stack->peer) ? WaitKind::kMessage : WaitKind::kMissing;
    waits.waits.push_back({kind, group, &message, {rank}, {stack->peer}, true});
  }
}

void AddQueuedMessages(const Job& job, Waits& waits) {
  for (const auto& [rank, front] : job.fronts) {
    if (!front.operation->point_to_point) continue;
    const JobGroup& group = job.groups[front.group];
    const Message message = MessageOf(group, rank, *front.operation);
    const auto peer = job.fronts.find(message.peer);
    if (peer == job.fronts.end() || !peer->second.operation->point_to_point) continue;
    const DumpOperation& other = *peer->second.operation;
    const bool meets = other.name != front.operation->name && other.from == front.operation->from &&
                       other.to == front.operation->to && peer->second.group == front.group;
    if (meets) continue;
    waits.waits.push_back(
        {WaitKind::kQueued, front.group, front.operation, {rank}, {message.peer}, true});
  }
}

}  // namespace stepscope::hang
