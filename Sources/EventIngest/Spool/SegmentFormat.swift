/// The file format of a segment. A segment is a header and then records without gaps; numbers are little-endian.
///
/// | header at | bytes | meaning |
/// |---|---|---|
/// | 0 | 8 | `CCMSPOOL` |
/// | 8 | 4 | version of the format, 1 |
/// | 12 | 8 | sequence number of the first record |
/// | 20 | 4 | CRC-32C of bytes 0 to 19 |
///
/// | record at | bytes | meaning |
/// |---|---|---|
/// | 0 | 4 | `SREC` |
/// | 4 | 4 | length of the payload, n |
/// | 8 | 8 | sequence number: the one before, plus 1 |
/// | 16 | 4 | CRC-32C of the payload |
/// | 20 | 4 | CRC-32C of bytes 0 to 19 |
/// | 24 | n | payload: one event, see `EventCodec` |
///
/// Validity: a record is valid if both checksums match, its sequence number is the expected one, and all records
/// before it in the segment are valid. It is acknowledged only after an fdatasync(2) that covers it, and in a new
/// segment also after an fsync(2) of the directory.
///
/// Recovery: a file that ends inside a header, inside the payload of a valid header, or in nothing but zeros was
/// being written when the machine or the process stopped. None of that tail was acknowledged, so it is cut off in the
/// newest segment. Everything else that is invalid is damage, including a torn tail in an older segment, which was
/// complete once. The records before the damage are replayed; then the whole file is kept as `.damaged` for a person.
///
/// The separate checksum of the record's header distinguishes a torn tail from damage. Without it, a flipped bit in a
/// length would look like an unfinished record.
enum SegmentFormat {
    static let version: UInt32 = 1
    static let headerBytes = 24
    static let recordHeaderBytes = 24
    private static let magic = Array("CCMSPOOL".utf8)
    private static let marker = Array("SREC".utf8)

    static func header(firstSequence: UInt64) -> [UInt8] {
        var writer = FieldWriter(reserving: headerBytes)
        for byte in magic { writer.integer(byte) }
        writer.integer(version)
        writer.integer(firstSequence)
        writer.integer(CRC32C.of(writer.bytes[...]))
        return writer.bytes
    }

    static func record(_ payload: [UInt8], sequence: UInt64) -> [UInt8] {
        var writer = FieldWriter(reserving: recordHeaderBytes)
        for byte in marker { writer.integer(byte) }
        writer.integer(UInt32(payload.count))
        writer.integer(sequence)
        writer.integer(CRC32C.of(payload[...]))
        writer.integer(CRC32C.of(writer.bytes[...]))
        return writer.bytes + payload
    }

    enum Header: Equatable {
        case sound(firstSequence: UInt64)
        case torn
        case damaged
        /// Written by a newer program. The file must not be changed.
        case otherVersion(UInt32)
    }

    /// Reads the header at the front of a file's bytes.
    static func readHeader(_ file: ArraySlice<UInt8>) -> Header {
        guard file.count >= headerBytes else { return .torn }
        guard file.contains(where: { $0 != 0 }) else { return .torn }
        var reader = FieldReader(file.prefix(headerBytes))
        guard let found = try? reader.take(magic.count), let version = try? reader.integer(UInt32.self),
            let firstSequence = try? reader.integer(UInt64.self), let sum = try? reader.integer(UInt32.self),
            found.elementsEqual(magic), sum == CRC32C.of(file.prefix(headerBytes - 4))
        else { return .damaged }
        return version == SegmentFormat.version ? .sound(firstSequence: firstSequence) : .otherVersion(version)
    }

    enum Record: Equatable {
        case sound(payload: ArraySlice<UInt8>)
        case damaged
        /// The bytes end before the record does; this many bytes are present.
        case incomplete(bytes: Int)
    }

    /// Reads the record at the front. Returns `.incomplete` if the bytes end too soon, for whatever reason.
    static func readRecord(_ bytes: ArraySlice<UInt8>, sequence: UInt64) -> Record {
        guard bytes.count >= recordHeaderBytes else { return .incomplete(bytes: recordHeaderBytes) }
        var reader = FieldReader(bytes.prefix(recordHeaderBytes))
        guard let found = try? reader.take(marker.count), let length = try? reader.integer(UInt32.self),
            let foundSequence = try? reader.integer(UInt64.self), let payloadSum = try? reader.integer(UInt32.self),
            let headerSum = try? reader.integer(UInt32.self), found.elementsEqual(marker),
            headerSum == CRC32C.of(bytes.prefix(recordHeaderBytes - 4)), foundSequence == sequence
        else { return .damaged }
        let payload = bytes.dropFirst(recordHeaderBytes).prefix(Int(length))
        guard payload.count == Int(length) else { return .incomplete(bytes: recordHeaderBytes + Int(length)) }
        return CRC32C.of(payload) == payloadSum ? .sound(payload: payload) : .damaged
    }
}
