// Writes the requests of tensorflow.ProfilerService and ProfileAnalysis, and reads their small
// answers. Field numbers: tsl/profiler/protobuf/profiler_{service,options,analysis}.proto, as found
// in jaxlib 0.10.2 and TensorFlow 2.21.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::capture {

// What a server is to record.
struct ProfileSettings {
  std::string session;       // names the session, so that Terminate ends this one alone
  int64_t duration = 0;      // ns, in whole ms
  int64_t start = 0;         // ns since 1970 on the server's clock; 0: at once
  int host_level = 2;        // 0 off, 1 annotations, 2 and operators, 3 and cheap ones
  int device_level = 1;      // 0 off, 1 on
  int python_level = 0;      // 0 off, 1 calls of functions
  bool dataset_ops = false;  // tf.data's
};

inline constexpr std::string_view kProfileCall = "/tensorflow.ProfilerService/Profile";
inline constexpr std::string_view kTerminateCall = "/tensorflow.ProfilerService/Terminate";
inline constexpr std::string_view kMonitorCall = "/tensorflow.ProfilerService/Monitor";
inline constexpr std::string_view kStartCall =
    "/tensorflow.ProfilerService/StartContinuousProfiling";
inline constexpr std::string_view kSnapshotCall = "/tensorflow.ProfilerService/GetSnapshot";
inline constexpr std::string_view kStopCall = "/tensorflow.ProfilerService/StopContinuousProfiling";
inline constexpr std::string_view kNewSessionCall = "/tensorflow.ProfileAnalysis/NewSession";

// Always asks for the profile in the answer: the server writes no file.
std::string ProfileRequest(const ProfileSettings& settings);
std::string TerminateRequest(std::string_view session);
// `level` 1 or 2; `time`: each answer begins with the server's time.
std::string MonitorRequest(int64_t duration, int level, bool time);
std::string SnapshotRequest(std::string_view session);
// The server profiles `hosts` and writes to `repository` itself.
std::string NewSessionRequest(const ProfileSettings& settings, std::string_view repository,
                              const std::vector<std::string>& hosts);

// The text of a MonitorResponse; nothing of bytes that are none.
std::string MonitorText(std::string_view answer);

struct NewSessionAnswer {
  std::string error;
  bool empty_trace = false;
};
NewSessionAnswer ReadNewSession(std::string_view answer);

}  // namespace stepscope::capture
