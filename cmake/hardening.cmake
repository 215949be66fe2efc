# What a defect of memory cannot do to the program, at no cost that was measured (docs/decisions/0029).
#
# Tables of functions of libraries are filled at the start, and read-only from then on.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_link_options(-Wl,-z,relro,-z,now)
endif()
