// Raises exceptions whose classes are defined in Python.
#include "python/errors.h"

#include <nanobind/nanobind.h>

#include "python/text.h"

namespace stepscope::python {
namespace {

const char* ClassOf(Fault fault) {
  switch (fault) {
    case Fault::kInput:
      return "InputError";
    case Fault::kUse:
      return "UseError";
    case Fault::kQuestion:
      break;
  }
  return "QuestionError";
}

}  // namespace

void Raise(const Error& error, Fault fault) {
  const nb::object type = nb::module_::import_("stepscope.errors").attr(ClassOf(fault));
  const nb::object raised = type(TextOf(error.what), TextOf(error.where), TextOf(error.hint));
  PyErr_SetObject(type.ptr(), raised.ptr());
  throw nb::python_error();
}

}  // namespace stepscope::python
