// Finds operations and members of a group.
#include "hang/job.h"

#include <algorithm>

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

}  // namespace stepscope::hang
