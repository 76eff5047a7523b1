/// What became of parsing a document.
enum JSONParseStatus: Error, Equatable {
    case parsed
    case empty
    case malformed
    /// A string holds an unpaired surrogate or another escape that cannot be decoded.
    case badString
    case badUTF8
    /// A number is malformed or does not fit in 64 bits.
    case badNumber
    case tooDeep
    case outOfMemory
}

/// Parses documents to a tape, which `JSONElement` reads. Both ways write the same tape for the same text.
enum JSONBackend {
    #if !PORTABLE_JSON
        case simdjson(SimdJSONBackend)
    #endif
    /// For programs that run where there is no simdjson.
    case portable(PortableBackend)

    static func preferred(maxDepth: Int) -> JSONBackend {
        #if PORTABLE_JSON
            .portable(PortableBackend(maxDepth: maxDepth))
        #else
            .simdjson(SimdJSONBackend(maxDepth: maxDepth))
        #endif
    }

    /// - Parameter text: is the same afterwards.
    func parse(_ text: inout [UInt8]) -> JSONParseStatus {
        switch self {
        #if !PORTABLE_JSON
            case .simdjson(let backend): backend.parse(&text)
        #endif
        case .portable(let backend): backend.parse(text)
        }
    }

    /// The root of the last document, which exists inside `body`. Returns `nil` if it was not parsed.
    func withRoot<Output>(_ body: (JSONElement) -> Output) -> Output? {
        switch self {
        #if !PORTABLE_JSON
            case .simdjson(let backend): backend.withRoot(body)
        #endif
        case .portable(let backend): backend.withRoot(body)
        }
    }

    /// Whether the six bytes \u0000 occur, escaped backslash or not.
    func mentionsNULEscape(_ text: [UInt8]) -> Bool {
        switch self {
        #if !PORTABLE_JSON
            case .simdjson: SimdJSONBackend.mentionsNULEscape(text)
        #endif
        case .portable: PortableBackend.mentionsNULEscape(text)
        }
    }

    func releaseMemory() {
        switch self {
        #if !PORTABLE_JSON
            case .simdjson(let backend): backend.releaseMemory()
        #endif
        case .portable(let backend): backend.releaseMemory()
        }
    }
}
