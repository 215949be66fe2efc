// Raises the package's exceptions (python/stepscope/errors.py).
#pragma once

#include <nanobind/nanobind.h>

#include "stepscope/result.h"

namespace stepscope::python {

enum class Fault {
  kQuestion,  // QuestionError, a ValueError: what was asked for does not exist or fit
  kInput,     // InputError, an OSError: a file or folder cannot be read
  kUse,       // UseError, a RuntimeError: a run that is closed, or in use elsewhere
};

// Raises it as a Python exception. REQUIRES: the interpreter's lock.
[[noreturn]] void Raise(const Error& error, Fault fault);

// The error that Python tells as a tuple of texts: (what, where, hint).
Error ErrorIn(nanobind::handle told);

// The value of a result, or its error raised.
template <class T>
T ValueOrRaise(Result<T> result, Fault fault) {
  if (!result) Raise(result.error(), fault);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace stepscope::python
