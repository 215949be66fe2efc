// Explains to people why a server of profiles gave none, and what to do.
#pragma once

#include <string>

#include "capture/grpc/grpc_end.h"

namespace stepscope::capture {

struct Reason {
  std::string what;  // without a period
  std::string hint;  // what to do; may be empty
};

// Of a call, or of the way to it, that ended so. REQUIRES: not ok.
Reason ReasonOf(const GrpcEnd& end);

// Whether another profile is under way there: the same call may succeed later.
bool IsBusy(const GrpcEnd& end);

// Whether less time may give an answer that fits.
bool IsTooMuch(const GrpcEnd& end);

// Whether this server does not have the call.
bool IsMissing(const GrpcEnd& end);

}  // namespace stepscope::capture
