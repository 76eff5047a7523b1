// The functions of simdjson's DOM that the JSON module calls, as C: error codes only, no exception leaves this file.
#define SIMDJSON_EXCEPTIONS 0

#include "simdjson_shim.h"

#include <string.h>

#include <new>

#include <simdjson.h>

static_assert(csj_padding >= simdjson::SIMDJSON_PADDING, "documents are read past their end by this much");

struct csj_parser {
    simdjson::dom::parser parser;
};

static csj_status status_of(simdjson::error_code error) noexcept {
    switch (error) {
    case simdjson::SUCCESS: return csj_ok;
    case simdjson::EMPTY: return csj_empty;
    case simdjson::STRING_ERROR: return csj_bad_string;
    case simdjson::UTF8_ERROR: return csj_bad_utf8;
    case simdjson::NUMBER_ERROR: return csj_bad_number;
    case simdjson::DEPTH_ERROR: return csj_too_deep;
    case simdjson::MEMALLOC:
    case simdjson::CAPACITY: return csj_out_of_memory;
    default: return csj_malformed;
    }
}

extern "C" csj_parser *csj_parser_create(size_t max_depth) {
    csj_parser *handle = new (std::nothrow) csj_parser();
    if (handle != nullptr && handle->parser.allocate(0, max_depth) != simdjson::SUCCESS) {
        delete handle;
        return nullptr;
    }
    return handle;
}

extern "C" void csj_parser_destroy(csj_parser *handle) { delete handle; }

extern "C" csj_status csj_parse(csj_parser *handle, const uint8_t *bytes, size_t length, csj_document *document) {
    simdjson::error_code error = handle->parser.parse(bytes, length, false).error();
    document->tape = error ? nullptr : handle->parser.doc.tape.get();
    document->strings = error ? nullptr : handle->parser.doc.string_buf.get();
    return status_of(error);
}

extern "C" bool csj_mentions_nul_escape(const uint8_t *bytes, size_t length) {
    return memmem(bytes, length, "\\u0000", 6) != nullptr;
}
