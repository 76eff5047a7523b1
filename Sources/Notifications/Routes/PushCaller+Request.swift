internal import API
internal import EventModel
internal import HTTPModel

extension RouteRequest {
    /// The operator selects a device with `?device_id=`.
    func pushCaller() throws(APIError) -> PushCaller {
        guard let principal else {
            throw APIError(.authentication, status: 401, code: "missing_credential", message: "A credential is needed.")
        }
        let named = try query.integer("device_id", in: 1...Int64.max)
        return PushCaller(
            principal,
            named: named.map { String($0) },
            peer: http.peerAddress,
            requestID: http.requestID
        )
    }
}
