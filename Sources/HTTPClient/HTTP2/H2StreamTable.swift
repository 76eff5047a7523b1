internal import DequeModule

/// The state that nghttp2's callbacks write: the open streams, and events in order. Belongs to one `H2Session` and
/// its thread.
///
/// A stream is identified by its slot, which nghttp2 stores with the stream.
final class H2StreamTable {
    private let fields: [H2AnswerField]
    private var events: Deque<H2Event> = []
    /// `nil` marks a free slot. Never longer than the maximum number of concurrently open streams so far.
    private var slots: [H2StreamState?] = []
    private var freeSlots: [Int] = []

    /// - Parameter keptFields: in lower case.
    init(keptFields: [String]) {
        fields = [.status] + keptFields.map { .kept($0) }
    }

    func append(_ event: H2Event) { events.append(event) }

    func nextEvent() -> H2Event? { events.popFirst() }

    /// Allocates a slot for a request.
    func open(body: [UInt8]) -> Int {
        guard let slot = freeSlots.popLast() else {
            slots.append(H2StreamState(body: body))
            return slots.count - 1
        }
        slots[slot] = H2StreamState(body: body)
        return slot
    }

    func opened(_ slot: Int, as id: Int32) { slots[slot]?.id = id }

    /// Frees the slot of a request that nghttp2 rejected.
    func discard(_ slot: Int) {
        slots[slot] = nil
        freeSlots.append(slot)
    }

    func sentHeaders(_ slot: Int) { slots[slot]?.wasSent = true }

    func response(_ stream: H2Stream) -> H2Response? { slots[stream.slot]?.response }

    /// Copies the next bytes of the request's body.
    func nextBody(_ slot: Int, into space: UnsafeMutableBufferPointer<UInt8>) -> (count: Int, isEnd: Bool)? {
        unsafe slots[slot]?.nextBody(into: space)
    }

    /// Returns `nil` for a header field that is not kept.
    func field(named name: UnsafeBufferPointer<UInt8>) -> H2AnswerField? {
        fields.first { unsafe $0.name.count == name.count && name.elementsEqual($0.name) }
    }

    func received(_ slot: Int, _ field: H2AnswerField, value: UnsafeBufferPointer<UInt8>) {
        unsafe slots[slot]?.received(field, value: value)
    }

    func received(_ slot: Int, body: UnsafeBufferPointer<UInt8>) {
        unsafe slots[slot]?.received(body: body)
    }

    func closed(_ slot: Int, code: UInt32) {
        guard let state = slots[slot].take() else { return }
        freeSlots.append(slot)
        let stream = H2Stream(slot: slot, id: state.id)
        events.append(.closed(stream, code: code, response: state.response, wasSent: state.wasSent))
    }

    /// The connection is lost: ends every stream, oldest first.
    func abandonAll(code: UInt32) {
        let open = slots.indices.filter { slots[$0] != nil }
        for slot in open.sorted(by: { slots[$0]?.id ?? 0 < slots[$1]?.id ?? 0 }) { closed(slot, code: code) }
    }
}
