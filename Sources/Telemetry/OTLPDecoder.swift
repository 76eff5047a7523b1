internal import Compression
package import EventIngest
package import EventModel
package import HTTPModel
internal import JSON

/// The events of an export request, and the numbers of records that were left out.
package struct TelemetryBatch: Sendable {
    package var events: [MonitorEvent] = []
    /// Number of records that are accepted but not stored, including spans.
    package var dropped = 0
    /// Number of records that are refused permanently.
    package var refused = 0
    package var format: OTLPFormat
    /// The newest version that the records name.
    package var clientVersion: ClientVersion?
}

/// Decodes OTLP/HTTP requests into events. Reuses its buffers: create one per thread.
package final class OTLPDecoder {
    /// Maximum number of log records or data points in one request. The client's batches have at most 512.
    static let maxRecords = 4096
    /// Maximum nesting of arrays and objects in JSON. The values that `OTLPJSON` reads have 11 levels.
    private static let maxDepth = 40

    private let body: BodyDecoder
    private let parser = JSONParser(maxDepth: OTLPDecoder.maxDepth)
    private let composer: TelemetryComposer

    package init(configuration: IngestConfiguration) {
        body = BodyDecoder(maxBytes: configuration.maxBytes)
        composer = TelemetryComposer(policy: configuration.contentPolicy)
    }

    /// Throws if the whole request is refused. A retry of the same request fails again.
    package func decode(
        _ request: HTTPRequest,
        _ signal: OTLPSignal,
        machine: MachineID,
        machineName: String,
        now: Timestamp
    ) throws(APIError) -> TelemetryBatch {
        let format = try OTLPFormat(contentType: request.headers["content-type"])
        let bytes = try body.decode(request.body, contentEncoding: request.headers["content-encoding"])
        let export = format == .json ? try json(bytes, signal) : try protobuf(bytes, signal)
        var batch = TelemetryBatch(format: format)
        (batch.dropped, batch.refused) = (export.unread, export.refused)
        batch.clientVersion = Set(export.logs.compactMap(\.clientVersion)).compactMap { ClientVersion($0) }.max()
        let source = TelemetryComposer.Source(machine: machine, machineName: machineName, now: now)
        var numbering = RecordNumbering()
        var repeats = RepeatedRequests()
        for record in export.logs {
            var event = composer.event(record, from: source)
            if event != nil { repeats.mark(&event) }
            if let event { batch.events.append(event) } else { batch.dropped += 1 }
            let (session, time) = TelemetryComposer.place(record, from: source)
            numbering.add(record, at: time, session: session, event: event.map { _ in batch.events.count - 1 })
        }
        let passed = numbering.write(to: &batch.events)
        batch.events += passed.compactMap { composer.event($0, from: source) }
        batch.events += composer.events(export.points, from: source)
        return batch
    }

    private func json(_ bytes: [UInt8], _ signal: OTLPSignal) throws(APIError) -> OTLPExport {
        do throws(JSONError) {
            return try parser.withDocument(bytes) { root in
                switch signal {
                case .logs: OTLPJSON.logs(root, limit: OTLPDecoder.maxRecords)
                case .metrics: OTLPJSON.metrics(root, limit: OTLPDecoder.maxRecords)
                case .traces: OTLPJSON.traces(root)
                }
            }
        } catch {
            if case .outOfMemory = error { throw .unavailable("out_of_memory", error.description, retryAfter: 1) }
            throw .invalid("invalid_json", error.description)
        }
    }

    private func protobuf(_ bytes: [UInt8], _ signal: OTLPSignal) throws(APIError) -> OTLPExport {
        do throws(MalformedProtobuf) {
            switch signal {
            case .logs: return try OTLPProtobuf.logs(bytes, limit: OTLPDecoder.maxRecords)
            case .metrics: return try OTLPProtobuf.metrics(bytes, limit: OTLPDecoder.maxRecords)
            case .traces: return try OTLPProtobuf.traces(bytes)
            }
        } catch {
            throw .invalid("invalid_protobuf", "the body is not a protobuf message of this service")
        }
    }
}
