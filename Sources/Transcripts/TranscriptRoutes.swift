internal import API
internal import Compression
internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Masking

/// `POST /api/transcripts`: a machine sends what was appended to a transcript.
struct TranscriptRoutes: Sendable {
    let receiver: TranscriptReceiver
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.post, "/api/transcripts", .post, handler: receive)
                .accepting(bytes: TranscriptPiece.maxBytes)
                .described(
                    "A piece of a transcript, as it stands in the file. With a machine's key.",
                    body: "TranscriptPiece",
                    as: "TranscriptTaken",
                    status: 202,
                    faults: [409, 413, 415]
                )
        ]
    }

    @Sendable private func receive(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let piece = try piece(request)
        switch try await receiver.receive(piece) {
        case .taken(let next):
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("next_offset", next)
            writer.endObject()
            return .json(status: 202, writer.bytes)
        case .gap(let next): return gap(next, request)
        }
    }

    /// The usual error envelope, with the position from which to continue.
    private func gap(_ next: Int64, _ request: RouteRequest) -> HTTPResponse {
        let error = APIError(
            .conflict,
            status: 409,
            code: "transcript_gap",
            message: "The server has this file up to another place. Go on at next_offset."
        )
        var response = error.response(requestID: request.http.requestID)
        response.body.removeLast()
        response.body += Array(",\"next_offset\":\(next)}".utf8)
        return response
    }

    private func piece(_ request: RouteRequest) throws(APIError) -> TranscriptPiece {
        guard case .machine(let grant)? = request.principal?.holder else {
            throw .insufficientScope("Only a machine's key may send transcripts.")
        }
        let headers = request.http.headers
        guard let path = headers["x-transcript-path"].map({ PercentEncoding.decode($0) }),
            (1...4096).contains(path.utf8.count), !path.contains("\0")
        else {
            throw .invalid("invalid_header", "X-Transcript-Path is missing or no path.", param: "x-transcript-path")
        }
        guard let session = headers["x-transcript-session"].flatMap(StoredForm.word) else {
            throw .invalid("invalid_header", "X-Transcript-Session is missing.", param: "x-transcript-session")
        }
        guard let offset = headers["x-transcript-offset"].flatMap({ Int64($0) }), offset >= 0, offset < 1 << 50 else {
            throw .invalid("invalid_header", "X-Transcript-Offset is not a number.", param: "x-transcript-offset")
        }
        let prefix = headers["x-transcript-prefix"].flatMap(TranscriptRoutes.hash)
        guard offset == 0 || prefix != nil else {
            throw .invalid("invalid_header", "X-Transcript-Prefix is no SHA-256.", param: "x-transcript-prefix")
        }
        let bytes = try BodyDecoder(maxBytes: TranscriptPiece.maxBytes)
            .decode(request.http.body, contentEncoding: headers["content-encoding"])
        return TranscriptPiece(
            machine: grant.machine,
            machineName: grant.machineName,
            path: StoredForm.path(path),
            sessionID: session,
            projectPath: headers["x-transcript-project"].map { PercentEncoding.decode($0) }
                .flatMap { (1...4096).contains($0.utf8.count) ? StoredForm.path($0) : nil },
            offset: offset,
            prefix: offset == 0 ? nil : prefix,
            bytes: bytes,
            receivedAt: clock()
        )
    }

    /// 64 hexadecimal digits.
    private static func hash(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map { UInt8(String(UnicodeScalar($0)), radix: 16) }
        guard digits.count == 64, !digits.contains(nil) else { return nil }
        return stride(from: 0, to: 64, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
    }
}
