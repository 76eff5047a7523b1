package import JSON

extension SchemaName {
    package static let failure: SchemaName = "Failure"
}

/// The schemas of answers that several features share.
extension JSONSchema {
    private static let countOrNull = nullable(count)

    static let common: [(SchemaName, String)] =
        [
            (
                .failure,
                object([
                    "error": object([
                        "type": text, "code": text, "message": text, "param": textOrNull, "status": count,
                        "request_id": text, "retry_after?": count,
                    ])
                ])
            ),
            ("OpenAPI", object(["openapi": text, "info": any, "paths": any, "components": any])),
            ("OpenRPC", object(["openrpc": text, "info": any, "methods": array(any), "components": any])),
            (
                "PageMeta",
                object([
                    "request_id": text, "timestamp": time, "page": countOrNull, "per_page": count,
                    "total": countOrNull, "total_pages": countOrNull,
                ])
            ),
            (
                "Page",
                object([
                    "object": words("list"), "data": array(any), "next_cursor": textOrNull, "has_more": flag,
                    "pagination": one("Pagination"), "meta": one("PageMeta"), "links": one("PageLinks"),
                ])
            ),
        ] + Pagination.shape.definitions + PageLinks.shape.definitions

    /// The schema of a list's answer.
    ///
    /// - Parameter member: the name of the elements besides `data`, or `data` itself.
    package static func page(_ member: String, _ name: SchemaName) -> String {
        let elements =
            member == "data" ? object(["data": list(name)]) : object(["\(member)": list(name), "data": list(name)])
        return all(of: one("Page"), elements)
    }
}
