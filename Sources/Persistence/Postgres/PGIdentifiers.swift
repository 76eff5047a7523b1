package import EventModel
package import Sessions

extension MachineID: PGEncodable, PGColumn {
    package static var elementType: PGType { .int8 }
    package func encode(into bytes: inout [UInt8]) { rawValue.encode(into: &bytes) }

    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self.init(rawValue: try row.value(column))
    }
}

extension DeviceID: PGEncodable, PGColumn {
    package static var elementType: PGType { .int8 }
    package func encode(into bytes: inout [UInt8]) { rawValue.encode(into: &bytes) }

    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self.init(rawValue: try row.value(column))
    }
}

extension EventType: PGEncodable, PGColumn {}
extension Capability: PGEncodable {}
extension Session.State: PGEncodable {}
extension Prompt.Kind: PGEncodable {}
extension Prompt.State: PGEncodable {}
extension Prompt.Phase: PGEncodable {}
