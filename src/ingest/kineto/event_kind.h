// Decides what kind of event a category and a name stand for, as PyTorch's profilers use them.
#pragma once

#include <string_view>

#include "trace/vocabulary.h"

namespace stepscope {

// `of_group`: the event's arguments name a collective or a group. `name()` is its name, and
// `communicates()` whether that is one of communication; they are asked only where it matters.
template <class Name, class Communicates>
Kind DecideKind(CategoryMeaning meaning, bool of_group, const Name& name,
                const Communicates& communicates) {
  switch (meaning.name_decides) {
    case NameDecides::kNothing:
      return meaning.kind;
    case NameDecides::kActivity:
      return KindOfActivityName(name());
    case NameDecides::kStep:
      return StepNumber(name()) >= 0 ? Kind::kAnnotation : meaning.kind;
    case NameDecides::kWait:
      return IsPythonWait(name()) ? Kind::kPythonWait : meaning.kind;
    case NameDecides::kCommunication:
      break;
  }
  return of_group || communicates() ? Kind::kCommunication : meaning.kind;
}

}  // namespace stepscope
