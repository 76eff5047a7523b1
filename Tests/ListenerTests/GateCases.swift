private let chunked = "Transfer-Encoding: chunked\r\n"

/// Chunked bodies that a lenient reader would let through.
let chunkCases: [GateCase] = [
    GateCase(
        "chunked POST of HTTP/1.0",
        400,
        "POST /a HTTP/1.0\r\n\(host)\(chunked)\r\n5\r\nhello\r\n0\r\n\r\n\(smuggled)"
    ),
    GateCase(
        "a coding before chunked",
        400,
        "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n\(smuggled)"
    ),
    GateCase(
        "chunked twice",
        400,
        "POST /a HTTP/1.1\r\n\(host)Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n\(smuggled)"
    ),
    GateCase(
        "chunked in two lines",
        400,
        "POST /a HTTP/1.1\r\n\(host)\(chunked)\(chunked)\r\n0\r\n\r\n\(smuggled)"
    ),
    GateCase("a size that is none", 400, "POST /a HTTP/1.1\r\n\(host)\(chunked)\r\nx\r\n\r\n\(smuggled)"),
    GateCase("a chunk that ends with LF", 400, "POST /a HTTP/1.1\r\n\(host)\(chunked)\r\n1\na\n0\n\n\(smuggled)"),
    GateCase(
        "a chunk that is longer than its size",
        400,
        "POST /a HTTP/1.1\r\n\(host)\(chunked)\r\n1\r\nab\r\n0\r\n\r\n\(smuggled)"
    ),
    GateCase(
        "a chunk above the limit of the body",
        413,
        "POST /a HTTP/1.1\r\n\(host)\(chunked)\r\n100001\r\nab"
    ),
]
