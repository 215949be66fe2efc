// Hands out every event of a rank as columns, for analyses of one's own.
//
//   auto events = session->ReadEvents(0);
//   Columns columns = *events->Get({"name", "start", "duration", "launch"}, {.kinds =
//   {"compute"}});
//
// The events are those of the rank's trace files in the order of the files and within each as they
// stand there. Columns:
//
//   index        int32   place among all events of the rank; links below are such places
//   rank         int32
//   name         text    dictionary-encoded, as all texts below
//   kind         text    "compute", "communication", "memcpy", "memset": device activities;
//                        "runtime", "operator", "annotation", "python", ...: KindNames()
//   start        int64   ns, on the clock of the trace
//   duration     int64   ns
//   end          int64   ns
//   device       int16   of activities and other records of a stream; none for host threads
//   stream       int32   int64 in a rank with a stream beyond that
//   process      text    as the trace writes its ids; none for streams
//   thread       text
//   thread_name  text    the name of the thread or stream; none where the trace does not name it
//   step         int32   number of the step: that which the event began in; of a device activity
//                        that which its launch began in, or which the trace says
//   correlation  int64   ties calls of the runtime to what they launched
//   launch       int32   of a device activity: the call that launched it
//   operator     int32   the innermost operator around the event; of a device activity, around its
//                        launch
//   parent       int32   the innermost event around it on its thread; none on streams
//   depth        int32   how many events are around it on its thread
//   bytes, external_id, sequence, forward_thread, address, total_allocated, total_reserved,
//   group_size, collective_sequence, in_elements, out_elements, message_from, message_to,
//   wait_stream, wait_correlation, flops, bytes_accessed, requested_bytes   int64
//   input_shapes, input_types, input_strides, input_values, collective, data_type, group_name,
//   group_description, group_ranks, framework_op, hlo_op, hlo_module, hlo_category   text
//   bandwidth (GB/s), counter_value   double
//
// Places are those within the rank: of several ranks together, `rank` and `index` name an event.
// What an event does not say has no value. The trace's own categories and arguments that no
// analysis reads are not kept.
//
// Memory: about 20 bytes per event for what was read, 16 more once links are asked for, and the
// columns asked for; those of DefaultColumns() are 40 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "stepscope/columns.h"
#include "stepscope/result.h"

namespace stepscope {

// Which events; those that all of these hold for.
struct EventFilter {
  // Names of kinds, or "device": all device activities; empty: all. "kernel" is compute and
  // communication.
  std::vector<std::string> kinds = {};
  std::optional<int64_t> step = {};                // only of this step
  std::optional<std::vector<int64_t>> steps = {};  // only of these, in any order
};

class EventTable {
 public:
  // The columns that are handed out where none are named.
  static std::vector<std::string> DefaultColumns();
  // All there are, in the order above.
  static std::vector<std::string> ColumnNames();
  static std::vector<std::string> KindNames();

  size_t size() const;

  // These columns of these events; without names the default ones. Fails for an unknown column or
  // kind, with the nearest known name, and when stopped.
  Result<Columns> Get(const std::vector<std::string>& names = {}, const EventFilter& filter = {},
                      std::stop_token stop = {}) const;

  // Made by Session::ReadEvents().
  struct State;
  explicit EventTable(std::unique_ptr<State> state);
  EventTable(EventTable&&) noexcept;
  EventTable& operator=(EventTable&&) noexcept;
  ~EventTable();

 private:
  std::unique_ptr<State> state_;
};

// Columns that Get() handed out of several ranks, asked for by the same names, one behind the
// other. Each text stands once in the dictionary for all. Memory: a part's columns are freed one by
// one as they are copied. Fails when stopped. REQUIRES: there is one.
Result<Columns> JoinEvents(std::vector<Columns> parts, std::stop_token stop = {});

}  // namespace stepscope
