internal import Compression
internal import HTTPModel
internal import JSON

/// The built files of the web app, in memory, as `files.json` lists them.
package struct WebFiles: Sendable {
    struct File: Sendable {
        let type: String
        let body: ConstantBody
        /// Its name contains its hash.
        let isImmutable: Bool
    }

    private let files: [String: File]

    /// Returns `nil` if the web app is not built.
    /// - Parameter read: the contents of a file of the built app; `nil` if it does not exist.
    package init?(read: (_ path: String) -> [UInt8]?) {
        guard let list = read("files.json"), let json = try? JSONValue.parse(list, maxDepth: 4),
            let entries = json.array
        else { return nil }
        var files: [String: File] = [:]
        for entry in entries {
            guard let path = entry["path"]?.string, let type = entry["type"]?.string, let body = read(path) else {
                return nil
            }
            files[path] = File(
                type: type,
                body: ConstantBody(body, compressed: read(path + ".gz")),
                isImmutable: entry["immutable"]?.bool == true
            )
        }
        self.files = files
    }

    func response(_ path: String, for request: HTTPRequest) -> HTTPResponse? {
        guard let file = files[path] else { return nil }
        var headers = [(name: "content-type", value: file.type)]
        headers.append(("cache-control", file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache"))
        if file.type.hasPrefix("text/html") || path == "sw.js" { headers += WebFiles.policy }
        return file.body.response(headers, for: request)
    }

    /// Nothing is loaded from elsewhere, and nothing in a page is code or style.
    private static let policy = [
        (
            "content-security-policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
                + "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        ),
        ("referrer-policy", "same-origin"), ("cross-origin-opener-policy", "same-origin"),
    ]
}
