// Finds secrets by their form: tokens of known services, keys, and texts that look random.
#pragma once

#include <cstddef>
#include <string_view>

namespace stepscope::redact {

// The size of the PEM key or certificate that begins at `at`, to the end of the text if it has
// none; 0: there is none.
size_t PemAt(std::string_view text, size_t at);

// The size of the token that begins at `at`, by its prefix: of AWS, Google, GitHub, GitLab, Hugging
// Face, OpenAI, Slack, NVIDIA, npm, Docker, or a JSON Web Token; 0: there is none. REQUIRES: a word
// begins at `at`.
size_t TokenAt(std::string_view text, size_t at);

// The size of what begins at `at` and looks random: hexadecimal of 32 digits or more, UUIDs,
// letters and digits of 20 or more without the look of words, or names between slashes of which
// such parts are 20 characters or more. Mangled names of C++, names in which numbers and words
// alternate as in kernels', addresses and names of files do not look random. Looks at 4 KB at most.
size_t RandomAt(std::string_view text, size_t at);

}  // namespace stepscope::redact
