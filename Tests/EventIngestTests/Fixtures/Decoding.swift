import EventModel
import HTTPModel
import JSON
import Masking
import Testing

@testable import EventIngest

let receiptTime = Timestamp(microseconds: 1_767_607_200_000_000)

extension IngestDecoder {
    static func with(policy: ContentPolicy = .summary, maxEvents: Int = 500, maxBytes: Int = 4 << 20) -> IngestDecoder {
        IngestDecoder(
            configuration: IngestConfiguration(contentPolicy: policy, maxEvents: maxEvents, maxBytes: maxBytes)
        )
    }

    func hook(_ body: [UInt8]) throws(APIError) -> MonitorEvent {
        try decodeHook(
            body: body,
            contentType: "application/json",
            contentEncoding: nil,
            machine: MachineID(rawValue: 7),
            machineName: "key-name",
            now: receiptTime
        )
    }

    func hook(_ json: String) throws(APIError) -> MonitorEvent { try hook(Array(json.utf8)) }

    func events(
        _ body: [UInt8],
        type: String? = "application/json",
        encoding: String? = nil
    ) throws(APIError) -> [DecodedItem] {
        try decodeEvents(
            body: body,
            contentType: type,
            contentEncoding: encoding,
            machine: MachineID(rawValue: 7),
            machineName: "key-name",
            now: receiptTime
        )
    }

    func events(_ json: String, type: String? = "application/json") throws(APIError) -> [DecodedItem] {
        try events(Array(json.utf8), type: type)
    }
}

extension DecodedItem {
    var event: MonitorEvent? {
        guard case .event(let event, _) = self else { return nil }
        return event
    }

    var errorCode: String? {
        guard case .rejected(_, let error) = self else { return nil }
        return error.code
    }
}

extension MonitorEvent {
    var payloadText: String { String(decoding: payload, as: UTF8.self) }
    func payloadValue() throws -> JSONValue { try JSONValue.parse(payload, maxDepth: 200) }
}
