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

Use::Turn::Turn(Use& use) : use_(use) {
  if (!use.IsOfThisProcess()) {
    Raise({"the run was opened in another process, before a fork", "",
           "open it in this process with stepscope.open(), or start processes with the method "
           "'spawn'"},
          Fault::kUse);
  }
  if (inside_ == &use) {
    Raise({"the run is answering this question", "",
           "in an analysis of your own use its context: ctx.events(), ctx.report()"},
          Fault::kUse);
  }
  if (use.mutex_.try_lock()) return;
  while (!GetsIt(use.mutex_)) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

}  // namespace stepscope::python
