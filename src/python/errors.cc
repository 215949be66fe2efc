// Raises exceptions whose classes are defined in Python.
#include "python/errors.h"

#include <nanobind/stl/string.h>

#include <string>

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

Error ErrorIn(nb::handle told) {
  const auto text = [&](size_t place) { return nb::cast<std::string>(told[place]); };
  return {text(0), text(1), text(2)};
}

void Raise(const Error& error, Fault fault) {
  const nb::object type = nb::module_::import_("stepscope.errors").attr(ClassOf(fault));
  const nb::object raised = type(TextOf(error.what), TextOf(error.where), TextOf(error.hint));
  PyErr_SetObject(type.ptr(), raised.ptr());
  throw nb::python_error();
}

}  // namespace stepscope::python
