// Finds where a thread hands work to another one, or waits for what others do, of processes that
// run compiled programs on their processors (JAX).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/narrow_rows.h"
#include "facts/activity/host_ops.h"

namespace stepscope {

// Collects what events say of it.
class HandOverMarks {
 public:
  // An event that shares the id with one other: a task is put into a pool and begins there, a wait
  // begins and ends, or an operation begins and has ended, maybe on another thread.
  struct Flow {
    int64_t time = 0;  // ns
    uint32_t thread = 0;
    StringId name = 0;
    bool operation = false;  // of a compiled program
  };
  // Returns its number, from 0.
  uint32_t AddFlow(int64_t id, const Flow& flow);

  // An event of one execution of a program: the call that starts it, an operation, or a wait for
  // all of them.
  struct RunEvent {
    int64_t start = 0, end = 0;  // ns
    uint32_t thread = 0;
    int64_t flow = -1;    // the number of an operation's flow; -1: none
    int64_t device = -1;  // of an operation or a wait; -1: not known
    bool operation = false;
    bool waits = false;
  };
  void AddRunEvent(int64_t run, const RunEvent& event);

  // A range or a Python function in which a thread waits for an execution that is not known. Counts
  // where no flow tells waits within it.
  void AddNamedWait(const HostWait& wait) { named_waits_.push_back(wait); }

  // To be called once: adds them to host.late_ends, host.hand_overs and host.waits. A wait for no
  // known execution is for the one whose last operation ended nearest to its end.
  void Resolve(HostOps& host);

 private:
  // Columns of what is kept: a profile has millions of them.
  enum FlowColumn : size_t { kId, kTime, kFlowThread, kName, kOfOperation, kFlowColumns };
  enum EventColumn : size_t { kRun, kStart, kEnd, kThread, kFlow, kDevice, kWhat, kColumns };
  enum What : uint8_t { kCall = 0, kOperation = 1, kWaits = 2 };
  static constexpr uint32_t kNoPartner = UINT32_MAX;

  struct Moment {
    int64_t time = 0;
    uint32_t thread = 0;
  };

  // The operations of one execution on one device.
  struct OnDevice {
    const RunEvent* first = nullptr;
    std::vector<int64_t> starts;  // ascending
    std::vector<Moment> ends;     // ascending
  };

  void FindPartners();
  void AddRuns(HostOps& host);
  Flow FlowAt(uint32_t number) const;
  RunEvent EventAt(uint32_t e) const;
  std::pair<Flow, Flow> PairOf(uint32_t flow) const;
  Moment EndOf(const RunEvent& operation) const;
  std::map<int64_t, OnDevice> DevicesOf(std::span<const RunEvent> events) const;
  void AddLateEnds(std::span<const RunEvent> events, const std::map<int64_t, OnDevice>& devices,
                   HostOps& host) const;
  void AddRun(std::span<const RunEvent> events, HostOps& host);
  static void AddCalls(std::span<const RunEvent> events, const std::map<int64_t, OnDevice>& devices,
                       HostOps& host);
  static void AddCall(const RunEvent& call, const RunEvent& first, HostOps& host);
  static std::pair<int64_t, uint32_t> PlaceOf(const Moment& m) { return {m.time, m.thread}; }
  void AddFlows(HostOps& host) const;
  static void AddWait(const HostWait& wait, const std::vector<Moment>& ends, HostOps& host);
  void AddWaitForAny(const HostWait& wait, HostOps& host) const;

  NarrowRows<kFlowColumns> flows_;
  std::vector<uint32_t> partners_;  // of each flow, the one other with its id
  NarrowRows<kColumns> events_;     // of all executions
  std::vector<HostWait> named_waits_;
  // Of each execution, when its operations end, ascending; executions by the last of these.
  std::vector<std::vector<Moment>> ends_;
};

}  // namespace stepscope
