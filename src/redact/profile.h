// Rewrites profiles of TensorFlow and JAX (XSpace protocol buffers) without what is private.
//
// Texts of the schema are texts, and the names of stats tell what their values are. Of other bytes,
// such as compiled programs, what is a text or a message is rewritten as such; in what is neither,
// secrets between other bytes are overwritten in place. The order of fields stays.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "redact/redactor.h"
#include "stepscope/result.h"

namespace stepscope::redact {

class Profile {
 public:
  using Write = std::function<Result<void>(std::string_view)>;

  // Learns if `learned` is not null; then nothing is written.
  Profile(const Redactor& redactor, KnownWords* learned) : redactor_(redactor), learned_(learned) {}

  // Rewrites all of a file, one plane after the other. Damage ends the fields: what follows counts
  // as bytes of no form.
  Result<void> Rewrite(std::string_view space, const Write& write);

  // Bytes of which nothing is known.
  std::string Bytes(std::string_view bytes, int depth = 0);

 private:
  std::string Text(std::string_view text, Hint hint = Hint::kNone);
  std::string Overwritten(std::string_view bytes);
  std::string Message(std::string_view message, int depth);

  const Redactor& redactor_;
  KnownWords* learned_;
  friend class Plane;
};

}  // namespace stepscope::redact
