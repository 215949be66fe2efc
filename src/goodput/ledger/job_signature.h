// Tells whether a job of a ledger has changed.
#pragma once

#include <string>

#include "goodput/ledger/ledger.h"

namespace stepscope::goodput {

// Changes with every event. Empty while a recorder may be writing, since stores into its mapping do
// not change size or time at once.
std::string SignatureOf(const Ledger& ledger, const std::string& job);

}  // namespace stepscope::goodput
