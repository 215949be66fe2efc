// Finds the processes of a report that used devices, in the order of their ranks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/nsys/process_trace.h"
#include "ingest/sqlite/database_file.h"

namespace stepscope::nsys {

// The processes that used a device, by the first device that each used, then by process ID: as
// launchers number the processes of a host. Where none did, those with calls or ranges.
std::vector<int64_t> FindProcesses(const DatabaseFile& file);

// ns that added to a time of the report give ns since 1970; 0 where it does not tell, or its times
// count from 1970 already.
int64_t ShiftOf(const DatabaseFile& file);

// The traces of the processes that are read.
class Processes {
 public:
  // All processes, or that of one place in their order.
  Processes(std::vector<int64_t> order, std::optional<size_t> part, int64_t shift);

  // Of a process or one of its threads; null for one that is not read.
  ProcessTrace* Of(std::optional<int64_t> global);
  std::vector<std::unique_ptr<ProcessTrace>>& all() { return all_; }
  // Of all processes, also those that are not read.
  const std::vector<int64_t>& order() const { return order_; }
  size_t first() const { return first_; }  // place in the order of all()[0]
  // How many processes had events on the host, and are not among those of ranks.
  int64_t left_out() const { return static_cast<int64_t>(left_out_.size()); }
  // A table could not be read to its end.
  void NoteDamage() { damaged_ = true; }
  // A table lacks columns.
  void NoteTable(std::string_view table) { unreadable_.emplace_back(table); }
  const std::vector<std::string>& unreadable() const { return unreadable_; }
  bool damaged() const { return damaged_; }

 private:
  std::vector<int64_t> order_;
  size_t first_ = 0;
  bool damaged_ = false;
  std::vector<std::string> unreadable_;
  std::vector<std::unique_ptr<ProcessTrace>> all_;
  std::map<int64_t, ProcessTrace*> by_process_;
  std::set<int64_t> left_out_;
  int64_t last_asked_ = -1;
  ProcessTrace* last_ = nullptr;
};

}  // namespace stepscope::nsys
