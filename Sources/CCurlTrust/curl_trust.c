// Foundation on Linux gives no access to the certificate authorities of its transfers: URLSession has no callback for a
// server's certificate, and libcurl reads no environment variable. Therefore this file replaces `curl_easy_init`, which
// Foundation calls for each transfer: the program's own symbol precedes that of the library. The function calls the
// library's and sets the option on the new handle.

#define _GNU_SOURCE
#include "curl_trust.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// From curl/curl.h, whose values never change. The header is not needed to build anything else.
enum { option_capath = 10097, option_cainfo_blob = 40309, blob_copy = 1 };
struct blob {
    void *data;
    size_t length;
    unsigned int flags;
};

static struct blob trusted;

static bool set_trust(void *handle, struct blob *blob) {
    int (*set)(void *, int, ...) = (int (*)(void *, int, ...))dlsym(RTLD_NEXT, "curl_easy_setopt");
    return set && set(handle, option_cainfo_blob, blob) == 0 && set(handle, option_capath, (char *)NULL) == 0;
}

static void *make_handle(void) {
    void *(*make)(void) = (void *(*)(void))dlsym(RTLD_NEXT, "curl_easy_init");
    return make ? make() : NULL;
}

static void drop_handle(void *handle) {
    void (*drop)(void *) = (void (*)(void *))dlsym(RTLD_NEXT, "curl_easy_cleanup");
    if (drop) drop(handle);
}

void *curl_easy_init(void) {
    void *handle = make_handle();
    if (handle && trusted.data && !set_trust(handle, &trusted)) abort();
    return handle;
}

bool curl_trust_only(const char *pem, size_t length) {
    struct blob blob = {malloc(length), length, blob_copy};
    void *handle = make_handle();
    bool is_set = blob.data && handle && memcpy(blob.data, pem, length) && set_trust(handle, &blob);
    if (handle) drop_handle(handle);
    if (is_set) trusted = blob;
    else free(blob.data);
    return is_set;
}
