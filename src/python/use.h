// Lets one thread at a time use an object, and only in the process that made it.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <mutex>

namespace stepscope::python {

class Use {
 public:
  Use() : process_(getpid()) {}

  bool IsOfThisProcess() const { return process_ == getpid(); }

  // While it lives, its thread uses the object. Waits for its turn without the interpreter's lock,
  // and hears Ctrl-C meanwhile. Raises UseError in a process that was forked since (the other
  // thread that had the turn is not in it, and would never end), and where its thread has the turn
  // already: in an analysis in Python, or a handler of a signal. REQUIRES: the interpreter's lock.
  class Turn {
   public:
    explicit Turn(Use& use);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Use& use_;
    const Turn* outer_;  // of the same thread, for another object
    static inline thread_local const Turn* innermost_ = nullptr;
  };

 private:
  pid_t process_;
  std::timed_mutex mutex_;
};

}  // namespace stepscope::python
