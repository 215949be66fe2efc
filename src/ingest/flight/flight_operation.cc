// Names are those of PyTorch's ProcessGroup back ends: "_base", "_coalesced" and "_into_tensor" are
// forms of one operation.
#include "ingest/flight/flight_operation.h"

#include <charconv>

namespace stepscope {
namespace {

bool Has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

bool ReadRank(std::string_view& text, int64_t& rank) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc() || rank < 0) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

// "0->3" and "3<-0".
void ReadPeers(std::string_view text, OperationName& name) {
  int64_t first = -1, second = -1;
  if (!ReadRank(text, first)) return;
  const bool sends = text.starts_with("->");
  if (!sends && !text.starts_with("<-")) return;
  text.remove_prefix(2);
  if (!ReadRank(text, second)) return;
  name.from = sends ? first : second;
  name.to = sends ? second : first;
}

}  // namespace

OperationName ReadOperationName(std::string_view text) {
  OperationName name;
  if (const size_t colon = text.find(':'); colon != text.npos && colon < 32) {
    name.backend = text.substr(0, colon);
    text.remove_prefix(colon + 1);
  }
  const size_t space = text.find(' ');
  name.name = text.substr(0, space);
  if (space != text.npos) ReadPeers(text.substr(space + 1), name);
  return name;
}

bool Synchronizes(std::string_view name) {
  if (Has(name, "coalesced") && !Has(name, "_coalesced")) return false;
  return Has(name, "all_reduce") || Has(name, "allreduce") || Has(name, "all_gather") ||
         Has(name, "allgather") || Has(name, "reduce_scatter") || Has(name, "all_to_all") ||
         Has(name, "alltoall") || Has(name, "barrier");
}

Compared ComparedSizes(std::string_view name) {
  if (Has(name, "all_to_all") || Has(name, "alltoall") || Has(name, "barrier"))
    return Compared::kNothing;
  if (Has(name, "gather"))  // members may give different parts of one whole
    return Has(name, "all") ? Compared::kOutput : Compared::kNothing;
  if (Has(name, "reduce_scatter") || Has(name, "all_reduce") || Has(name, "allreduce"))
    return Compared::kInput;
  if (name == "broadcast" || name == "reduce") return Compared::kInput;
  return Compared::kNothing;
}

}  // namespace stepscope
