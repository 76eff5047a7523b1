#ifndef CURL_TRUST_H
#define CURL_TRUST_H

#include <stdbool.h>
#include <stddef.h>

/// Makes all transfers that libcurl begins from now on in this process trust the certificate authorities in `pem`, and
/// no others. Copies the bytes. Call it once, before the first transfer. Returns false, and changes nothing, if this
/// libcurl cannot do that (before 7.77).
bool curl_trust_only(const char *pem, size_t length);

#endif
