// Finds addresses of networks, and names of hosts by their form.
#pragma once

#include <cstddef>
#include <string_view>

namespace stepscope::redact {

// The size of the IPv4, IPv6 or MAC address that begins at `at`; 0: there is none. Addresses that
// every machine has (127.0.0.1, 0.0.0.0, ::1) are none, nor are versions. REQUIRES: a word begins.
size_t AddressAt(std::string_view text, size_t at);

// The size of the full name of a host that begins at `at` ("node17.cluster.example.com",
// "ip-10-0-12-34"); 0: there is none. Names of modules ("torch.nn") and files are none.
size_t HostAt(std::string_view text, size_t at);

// Whether a name of a host gives nothing away: localhost, and sites that everybody uses.
bool IsPublicHost(std::string_view host);

}  // namespace stepscope::redact
