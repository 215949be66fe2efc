// Finds operations and members of a group.
#include "hang/job.h"

#include <algorithm>
#include <string_view>

namespace stepscope::hang {

const DumpOperation* Standing::At(int64_t sequence) const {
  const auto at = std::ranges::lower_bound(operations, sequence, {}, &DumpOperation::sequence);
  return at != operations.end() && (*at)->sequence == sequence ? *at : nullptr;
}

bool Standing::Finished(int64_t sequence) const {
  if (const DumpOperation* operation = At(sequence)) return !operation->pending;
  return reached >= sequence && (first == nullptr || first->sequence > sequence);
}

const Standing* JobGroup::Find(int64_t rank) const {
  const auto at = standings.find(rank);
  return at == standings.end() ? nullptr : &at->second;
}

int64_t JobGroup::MemberAt(int64_t place) const {
  if (place < 0 || static_cast<size_t>(place) >= members.size()) return -1;
  return members[static_cast<size_t>(place)];
}

bool Job::InMessage(int64_t rank) const {
  const RankStack* stack = StackOf(rank);
  if (stack == nullptr) return false;
  const std::string_view call = stack->call;
  return call == "send" || call == "recv" || call == "isend" || call == "irecv" ||
         call == "batch_isend_irecv" || call.starts_with("send_object") ||
         call.starts_with("recv_object");
}

}  // namespace stepscope::hang
