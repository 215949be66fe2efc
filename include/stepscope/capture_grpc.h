// Captures profiles of TensorFlow, JAX and PyTorch/XLA from their profiler servers, over gRPC.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stepscope/capture.h"
#include "stepscope/result.h"

namespace stepscope {

// Which servers.
struct GrpcServers {
  // "host:9012", with grpc://, http:// or ip:// before it, and several between commas. A name such
  // as "workerpool0-0" is looked up; "all:9012" is that port of every worker that is known,
  // "job:NAME" all workers of a job that registered themselves (stepscope.profiler.init()).
  std::vector<std::string> addresses;
  // File of workers' names: lines "NAME HOST", or the JSON of CLUSTER_SPEC. Empty: those of the
  // environment (CLUSTER_SPEC, TF_CONFIG, TPU_WORKER_HOSTNAMES, SLURM_JOB_NODELIST).
  std::string names;
};

struct GrpcCaptureOptions {
  CaptureOptions capture;  // `iterations` means nothing here
  GrpcServers servers;
  int host_level = 2;                 // 0 off, 1 annotations, 2 and operators, 3 and cheap ones
  int device_level = 1;               // 0 off, 1 on
  int python_level = 0;               // 0 off, 1 calls of Python's functions
  bool dataset_ops = false;           // tf.data's operators
  int64_t delay = 0;                  // ns until the common start
  int64_t patience = 10'000'000'000;  // ns in which a busy server is asked again
  // 0: one window. Else continuous profiling for the window's duration, and what was recorded is
  // fetched every so many ns, into a profile of its own each time.
  int64_t snapshot_every = 0;
};

// One profile for each server, at RUN/plugins/profile/TIME/HOST_PORT.xplane.pb, as TensorBoard
// keeps them; the servers write nothing. All start together. A stop ends the sessions of this
// capture, whose jobs go on at once, and keeps what they have recorded.
Result<CaptureResult> CaptureGrpc(const GrpcCaptureOptions& options);

// One server's answer to a question; `reason` is empty where there is one.
struct GrpcText {
  std::string server, text, reason;
};

// What the servers say of their use of the devices within `duration` ns; `level` 1 or 2. Only
// servers of TPUs answer.
Result<std::vector<GrpcText>> MonitorGrpc(const GrpcServers& servers, int64_t duration, int level,
                                          const std::function<bool()>& cancelled);

// Ends continuous profiling that a killed capture has left on.
Result<std::vector<GrpcText>> StopGrpcSnapshots(const GrpcServers& servers);

// Has the server at `master` profile these hosts, which it reaches itself, and write to
// `repository` ("gs://bucket/logs"). Empty: it has. Else why not.
Result<GrpcText> NewGrpcSession(const std::string& master, const GrpcCaptureOptions& options,
                                const std::string& repository);

}  // namespace stepscope
