// Fuzzes the readers of states that a ledger's database keeps: of an accounting and of the numbers
// of writers. What is read answers, and can be stored and read again.
#include <string_view>

#include "goodput/accounting/accounting.h"
#include "goodput/accounting/duplicates.h"
#include "goodput/events/state_bytes.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::goodput::state_fuzz {
namespace {

void Fuzz(std::string_view bytes) {
  StateReader writers(bytes);
  Duplicates duplicates;
  duplicates.LoadWriters(writers);
  duplicates.Missing();
  Accounting accounting;
  if (!accounting.Load(bytes)) return Require(accounting.empty());
  const Partition whole = accounting.Query();
  Require(whole.start <= whole.end);
  Accounting again;
  Require(again.Load(accounting.SaveThinned(accounting)));
}

const fuzz::Register kTarget({.name = "state", .run = &Fuzz});

}  // namespace
}  // namespace stepscope::goodput::state_fuzz
