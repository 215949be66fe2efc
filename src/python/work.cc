// Waits for work, and for signals and calls meanwhile.
#include "python/work.h"

#include <exception>
#include <memory>
#include <utility>

#include "python/errors.h"
#include "python/worker.h"

namespace stepscope::python {
namespace {

namespace nb = nanobind;

// What Python raised, if it did.
std::exception_ptr Look(const std::function<void()>& meanwhile) {
  const nb::gil_scoped_acquire locked;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (meanwhile) meanwhile();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

// It can be raised once more where the first was caught. REQUIRES: no lock.
std::exception_ptr Another(const std::exception_ptr& raised) {
  if (!raised) return nullptr;
  const nb::gil_scoped_acquire locked;
  try {
    std::rethrow_exception(raised);
  } catch (const nb::python_error& error) {
    return std::make_exception_ptr(error);
  } catch (...) {
    return raised;
  }
}

// In a process that a function forked, which returned there: the thread that works is not in it.
[[noreturn]] void LeaveToTheFork(std::shared_ptr<Worker> worker) {
  new std::shared_ptr<Worker>(std::move(worker));  // never destroyed
  Raise({"an analysis of your own returned in a process that it forked", "",
         "end that process with os._exit() inside the function"},
        Fault::kUse);
}

}  // namespace

std::function<void()> Telling(LatestProgress& latest, const nb::object& on_progress) {
  return [&latest, &on_progress] {
    const auto progress = latest.Take();
    if (!progress || on_progress.is_none()) return;
    on_progress(progress->bytes_done, progress->bytes_total, progress->files_done,
                progress->files_total);
  };
}

void Work(const std::function<void(std::stop_token)>& work,
          const std::function<void()>& meanwhile) {
  std::exception_ptr raised;
  auto worker = std::make_shared<Worker>();
  {
    const nb::gil_scoped_release unlocked;
    worker->Start(work);
    while (!raised && worker->IsOfThisProcess() && !worker->EndsWithin(kLookForSignalsEvery)) {
      raised = worker->DoCall();
      if (!raised) raised = Look(meanwhile);
    }
    if (worker->IsOfThisProcess()) worker->Stop();
  }
  if (!worker->IsOfThisProcess()) LeaveToTheFork(std::move(worker));
  if (raised) std::rethrow_exception(raised);
  if (const auto given_up = worker->given_up()) std::rethrow_exception(given_up);
  if (worker->thrown()) std::rethrow_exception(worker->thrown());
}

bool OnAskingThread(const std::function<void(const WayBack&)>& call) {
  const std::shared_ptr<Worker> worker = Worker::OfThisThread();
  if (worker) return worker->HandOver([&](uint64_t number) { call(WayBack(worker, number)); });
  call(WayBack());
  return true;
}

void WayBack::Do(const std::function<void()>& work) const {
  std::exception_ptr raised;
  bool done = true;
  {
    const nb::gil_scoped_release unlocked;
    const auto look = [&] { return Another(raised = Look({})); };
    if (worker_)
      done = worker_->HandBack(number_, work, look);
    else
      work();
  }
  if (raised) std::rethrow_exception(raised);
  if (!done)
    Raise({"the context has ended with its analysis, or is of another process", "",
           "use it only inside the function, in its process"},
          Fault::kUse);
}

}  // namespace stepscope::python
