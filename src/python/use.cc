// Waits for a turn.
#include "python/use.h"

#include <nanobind/nanobind.h>

#include <chrono>

#include "python/errors.h"

namespace stepscope::python {
namespace {

namespace nb = nanobind;

bool GetsIt(std::timed_mutex& mutex) {
  const nb::gil_scoped_release unlocked;
  return mutex.try_lock_for(std::chrono::milliseconds(50));
}

}  // namespace

Use::Turn::Turn(Use& use) : use_(use), outer_(innermost_) {
  if (!use.IsOfThisProcess()) {
    Raise({"the run was opened in another process, before a fork", "",
           "open it in this process with stepscope.open(), or start processes with the method "
           "'spawn'"},
          Fault::kUse);
  }
  for (const Turn* turn = innermost_; turn != nullptr; turn = turn->outer_) {
    if (&turn->use_ != &use) continue;
    Raise({"the run is answering this question", "",
           "in an analysis of your own use its context: ctx.events(), ctx.report()"},
          Fault::kUse);
  }
  while (!use.mutex_.try_lock() && !GetsIt(use.mutex_)) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  innermost_ = this;
}

Use::Turn::~Turn() {
  innermost_ = outer_;
  use_.mutex_.unlock();
}

}  // namespace stepscope::python
