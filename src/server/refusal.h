// Defines why the page's server does not answer, and writes what it sends then.
#pragma once

#include <expected>
#include <optional>
#include <string_view>

#include "base/json_writer.h"
#include "http/message.h"
#include "stepscope/result.h"

namespace stepscope::server {

using http::Body;
using http::Gone;
using http::GzipBody;
using http::MakeBody;
using http::Request;
using http::Response;

// Why there is no answer, and the HTTP status of it.
struct Failure {
  int status = 500;
  Error error;
};

template <class T>
using Attempt = std::expected<T, Failure>;

// The client closed the connection: nobody reads this (see Gone).
inline const Failure kNobodyThere{499, {"the client closed the connection", "", ""}};

// Writes the member {"what", "where", "hint"} of an object; null where there is no error.
void PutError(JsonWriter& json, std::string_view member, const std::optional<Error>& error);

// {"error": {"what", "where", "hint"}}, or a page where a browser opens an address.
Response Refusal(const Request& request, int status, const Error& error);

// The status of an answer that is being computed: the client asks again.
inline constexpr int kNotYet = 202;

// {"pending": {"what", "where", "hint"}}
Response NotYet(const Error& why);

}  // namespace stepscope::server
