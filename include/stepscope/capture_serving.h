// Captures traces of inference servers, vLLM and SGLang, by their /start_profile and /stop_profile.
#pragma once

#include <cstdint>
#include <string>

#include "stepscope/capture.h"
#include "stepscope/result.h"

namespace stepscope {

struct ServingCaptureOptions {
  CaptureOptions capture;  // `iterations`, where given, are SGLang's num_steps
  std::string address;     // "http://host:8000", or https
  std::string token;       // API key of the server; empty: none
  std::string traces;      // folder that the server writes to; empty: not reachable from here
  int64_t world_size = 0;  // workers that write a trace; 0: as the server or the files say
  // ns beyond the window for all that is waited for: the answers to the start (at most half) and
  // to the stop, and files.
  int64_t patience = 600'000'000'000;
};

// Has the server profile for the window, and copies what its workers wrote into the run. The
// profile is stopped whatever happens, also when the capture is cancelled.
Result<CaptureResult> CaptureServing(const ServingCaptureOptions& options);

}  // namespace stepscope
