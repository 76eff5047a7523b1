internal import HTTPModel

extension HTTPRequest {
    /// The upgrade of a socket whose URL has a credential: `?key=...`. The credential is moved to the header, so that
    /// nothing else sees it. A credential in a header counts before one in the URL.
    func withKeyFromURL() -> HTTPRequest {
        let parameters = QueryParameters(query)
        guard let key = parameters["key"] else { return self }
        var request = self
        request.query = parameters.encoded(without: ["key"])
        if headers["authorization"] == nil, headers["x-api-key"] == nil {
            request.headers["authorization"] = "Bearer \(key)"
        }
        return request
    }
}
