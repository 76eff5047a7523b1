#pragma once

// First, so that liburing.h cannot ask for other forms of the system's types than Swift's Glibc module has.
#include <sys/types.h>

#include <liburing.h>
