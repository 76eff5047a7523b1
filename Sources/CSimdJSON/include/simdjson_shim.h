#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

/// Spare bytes that must be readable behind a document (simdjson's SIMDJSON_PADDING).
enum { csj_padding = 64 };

typedef enum csj_status {
    csj_ok,
    csj_empty,
    csj_malformed,
    /// A string holds an unpaired surrogate or another escape that cannot be decoded.
    csj_bad_string,
    csj_bad_utf8,
    /// A number is malformed or does not fit in 64 bits.
    csj_bad_number,
    csj_too_deep,
    csj_out_of_memory,
} csj_status;

/// A parsed document: simdjson's tape and the strings it points into.
/// Valid until the next csj_parse or csj_parser_destroy of the parser it came from.
typedef struct csj_document {
    const uint64_t *_Nullable tape;
    const uint8_t *_Nullable strings;
} csj_document;

typedef struct csj_parser csj_parser;

/// NULL when there is no memory.
csj_parser *_Nullable csj_parser_create(size_t max_depth);
void csj_parser_destroy(csj_parser *parser);

/// Reads `length` bytes; `csj_padding` more must be readable, their content does not matter.
csj_status csj_parse(csj_parser *parser, const uint8_t *bytes, size_t length, csj_document *document);

/// Whether the six bytes \u0000 occur, escaped backslash or not.
bool csj_mentions_nul_escape(const uint8_t *bytes, size_t length);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
