/// Decodes export requests of OTLP in protobuf. The field numbers are those of opentelemetry-proto 1.x (logs.proto,
/// metrics.proto, common.proto, resource.proto), which are stable. Unknown fields are skipped.
enum OTLPProtobuf {
    static func logs(_ body: [UInt8], limit: Int) throws(MalformedProtobuf) -> OTLPExport {
        var export = OTLPExport()
        try forEachScope(of: body) { resource, item throws(MalformedProtobuf) in
            guard export.logs.count < limit else { return export.refused += 1 }
            export.logs.append(try logRecord(item, of: resource))
        }
        return export
    }

    static func metrics(_ body: [UInt8], limit: Int) throws(MalformedProtobuf) -> OTLPExport {
        var export = OTLPExport()
        try forEachScope(of: body) { resource, item throws(MalformedProtobuf) in
            try metric(item, of: resource, limit, into: &export)
        }
        return export
    }

    static func traces(_ body: [UInt8]) throws(MalformedProtobuf) -> OTLPExport {
        var export = OTLPExport()
        try forEachScope(of: body) { _, _ throws(MalformedProtobuf) in export.unread += 1 }
        return export
    }

    /// Calls `each` for each item of each scope of each resource. All three signals have the same structure. Field 1 of
    /// the request is the part of one resource. Field 1 of this part is the resource, and field 2 is the part of one
    /// scope, whose field 2 is an item.
    private static func forEachScope(
        of body: [UInt8],
        _ each: (OTLPResource, ProtobufReader) throws(MalformedProtobuf) -> Void
    ) throws(MalformedProtobuf) {
        var request = ProtobufReader(body[...])
        while let (field, value) = try request.next() {
            guard field == 1 else { continue }
            let described = try resource(try value.message)
            var part = try value.message
            while let (field, value) = try part.next() {
                guard field == 2 else { continue }
                var scope = try value.message
                while let (field, value) = try scope.next() {
                    if field == 2 { try each(described, try value.message) }
                }
            }
        }
    }

    private static func resource(_ part: ProtobufReader) throws(MalformedProtobuf) -> OTLPResource {
        var part = part
        var described = OTLPResource()
        while let (field, value) = try part.next() {
            guard field == 1 else { continue }
            var resource = try value.message
            while let (field, value) = try resource.next() {
                guard field == 1 else { continue }
                let attribute = try attribute(try value.message)
                described.read(attribute.key, attribute.value.text)
            }
        }
        return described
    }

    private static func logRecord(
        _ reader: ProtobufReader,
        of resource: OTLPResource
    ) throws(MalformedProtobuf) -> OTLPLogRecord {
        var reader = reader
        var record = OTLPLogRecord()
        var observed: UInt64 = 0
        var eventName: String?
        while let (field, value) = try reader.next() {
            switch field {
            case 1: record.timeUnixNano = try value.number
            case 5: record.body = try anyValue(try value.message).text
            case 6: record.attributes.append(try attribute(try value.message))
            case 11: observed = try value.number
            case 12: eventName = try value.text
            default: break
            }
        }
        if record.timeUnixNano == 0 { record.timeUnixNano = observed }
        record.complete(eventName: eventName, resource)
        return record
    }

    private static func metric(
        _ reader: ProtobufReader,
        of resource: OTLPResource,
        _ limit: Int,
        into export: inout OTLPExport
    ) throws(MalformedProtobuf) {
        var reader = reader
        var name = ""
        var points: [ProtobufReader] = []
        while let (field, value) = try reader.next() {
            switch field {
            case 1: name = try value.text
            // A gauge or a sum. Both contain their points in field 1.
            case 5, 7:
                var data = try value.message
                while let (field, value) = try data.next() {
                    guard field == 1 else { continue }
                    if points.count < limit { points.append(try value.message) } else { export.refused += 1 }
                }
            case 9, 10, 11: export.unread += 1
            default: break
            }
        }
        for reader in points {
            guard export.points.count < limit else {
                export.refused += 1
                continue
            }
            var point = try dataPoint(reader)
            point.metric = name
            resource.addSession(to: &point.attributes)
            export.points.append(point)
        }
    }

    private static func dataPoint(_ reader: ProtobufReader) throws(MalformedProtobuf) -> OTLPDataPoint {
        var reader = reader
        var point = OTLPDataPoint()
        while let (field, value) = try reader.next() {
            switch field {
            case 3: point.timeUnixNano = try value.number
            case 4: point.value = Double(bitPattern: try value.number)
            case 6: point.value = Double(Int64(bitPattern: try value.number))
            case 7: point.attributes.append(try attribute(try value.message))
            default: break
            }
        }
        return point
    }

    private static func attribute(_ reader: ProtobufReader) throws(MalformedProtobuf) -> OTLPAttribute {
        var reader = reader
        var attribute = OTLPAttribute(key: "", value: .other)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: attribute.key = try value.text
            case 2: attribute.value = try anyValue(try value.message)
            default: break
            }
        }
        return attribute
    }

    private static func anyValue(_ reader: ProtobufReader) throws(MalformedProtobuf) -> OTLPValue {
        var reader = reader
        var found = OTLPValue.other
        while let (field, value) = try reader.next() {
            switch field {
            case 1: found = .string(try value.text)
            case 2: found = .bool(try value.number != 0)
            case 3: found = .integer(Int64(bitPattern: try value.number))
            case 4: found = .double(Double(bitPattern: try value.number))
            default: found = .other
            }
        }
        return found
    }
}
