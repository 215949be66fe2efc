// Lets one thread at a time use an object, and only in the process that made it.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <mutex>

namespace stepscope::python {

class Use {
 public:
  Use() : process_(getpid()) {}

  // While it lives, its thread does what another thread, which has the turn, waits for: it never
  // gets a turn itself.
  class Inside {
   public:
    explicit Inside(const Use& use) : outer_(inside_) { inside_ = &use; }
    ~Inside() { inside_ = outer_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    const Use* outer_;
  };

  bool IsOfThisProcess() const { return process_ == getpid(); }

  // While it lives, its thread uses the object. Waits for its turn without the interpreter's lock,
  // and hears Ctrl-C meanwhile. Raises UseError in a process that was forked since (the other
  // thread that had the turn is not in it, and would never end), and in Inside. REQUIRES: the
  // interpreter's lock.
  class Turn {
   public:
    explicit Turn(Use& use);
    ~Turn() { use_.mutex_.unlock(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Use& use_;
  };

 private:
  static inline thread_local const Use* inside_ = nullptr;

  pid_t process_;
  std::timed_mutex mutex_;
};

}  // namespace stepscope::python
