internal import JSON

/// Decodes export requests in the JSON mapping of protobuf. 64-bit integers are strings or numbers. Log records whose
/// time or attributes cannot be read are refused; other members of the wrong type count as missing.
enum OTLPJSON {
    static func logs(_ root: JSONElement, limit: Int) -> OTLPExport {
        var export = OTLPExport()
        forEachScope(of: root, "resourceLogs", "scopeLogs", "logRecords") { resource, item in
            guard export.logs.count < limit, isReadable(item) else { return export.refused += 1 }
            var record = OTLPLogRecord()
            record.timeUnixNano = item["timeUnixNano"]?.uint64 ?? 0
            if record.timeUnixNano == 0 { record.timeUnixNano = item["observedTimeUnixNano"]?.uint64 ?? 0 }
            record.body = item["body"]?["stringValue"]?.string
            record.attributes = attributes(item["attributes"])
            record.complete(eventName: item["eventName"]?.string, resource)
            export.logs.append(record)
        }
        return export
    }

    private static func isReadable(_ record: JSONElement) -> Bool {
        record.isObject && record["timeUnixNano"].map { $0.uint64 != nil } ?? true
            && record["attributes"].map { $0.isArray } ?? true
    }

    static func metrics(_ root: JSONElement, limit: Int) -> OTLPExport {
        var export = OTLPExport()
        forEachScope(of: root, "resourceMetrics", "scopeMetrics", "metrics") { resource, item in
            let name = item["name"]?.string ?? ""
            guard let data = item["sum"] ?? item["gauge"], let points = data["dataPoints"] else {
                export.unread += 1
                return
            }
            for point in points.elements {
                guard export.points.count < limit else {
                    export.refused += 1
                    continue
                }
                var point = dataPoint(point, of: name)
                resource.addSession(to: &point.attributes)
                export.points.append(point)
            }
        }
        return export
    }

    static func traces(_ root: JSONElement) -> OTLPExport {
        var export = OTLPExport()
        forEachScope(of: root, "resourceSpans", "scopeSpans", "spans") { _, _ in export.unread += 1 }
        return export
    }

    private static func forEachScope(
        of root: JSONElement,
        _ resources: StaticString,
        _ scopes: StaticString,
        _ items: StaticString,
        _ each: (OTLPResource, JSONElement) -> Void
    ) {
        guard let resources = root[resources] else { return }
        for part in resources.elements {
            var resource = OTLPResource()
            if let described = part["resource"]?["attributes"] {
                for attribute in described.elements {
                    guard let key = attribute["key"]?.string else { continue }
                    resource.read(key, attribute["value"]?["stringValue"]?.string)
                }
            }
            guard let scopes = part[scopes] else { continue }
            for scope in scopes.elements {
                guard let items = scope[items] else { continue }
                for item in items.elements { each(resource, item) }
            }
        }
    }

    private static func dataPoint(_ point: JSONElement, of name: String) -> OTLPDataPoint {
        OTLPDataPoint(
            metric: name,
            timeUnixNano: point["timeUnixNano"]?.uint64 ?? 0,
            value: point["asDouble"]?.double ?? point["asInt"]?.int64.map(Double.init) ?? 0,
            attributes: attributes(point["attributes"])
        )
    }

    private static func attributes(_ list: JSONElement?) -> [OTLPAttribute] {
        guard let list else { return [] }
        return list.elements.compactMap { item in
            guard let key = item["key"]?.string else { return nil }
            return OTLPAttribute(key: key, value: item["value"].map(anyValue) ?? .other)
        }
    }

    private static func anyValue(_ value: JSONElement) -> OTLPValue {
        if let text = value["stringValue"]?.string { return .string(text) }
        if let flag = value["boolValue"]?.bool { return .bool(flag) }
        if let number = value["intValue"]?.int64 { return .integer(number) }
        if let number = value["doubleValue"]?.double { return .double(number) }
        return .other
    }
}

extension JSONElement {
    fileprivate var int64: Int64? { integer ?? string.flatMap { Int64($0) } }
    fileprivate var uint64: UInt64? {
        integer.flatMap { UInt64(exactly: $0) } ?? string.flatMap { UInt64($0) }
    }
}
