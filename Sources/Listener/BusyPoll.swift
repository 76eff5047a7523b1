/// Busy polling: how long a loop that has nothing to do looks again and again before it sleeps. To be woken costs more
/// than to look, most of all where a virtual machine has to ask the host for its core back.
///
/// The rule is that of KVM's halt polling (Linux, Documentation/virt/kvm/halt-polling.rst): looking pays where what is
/// waited for comes soon, so the window grows while it does and closes when it does not. An idle loop does not look.
/// KVM also stops when another task wants the core, of which a program is not told: so this is for cores to spare.
struct BusyPoll {
    private static let first: Int64 = 10

    /// Microseconds; 0: it always sleeps.
    let longest: Int64
    /// Microseconds to look for, now.
    private(set) var window: Int64 = 0

    init(longest: Int64) {
        self.longest = longest
    }

    /// The loop looked for the window in vain, slept, and was woken so many microseconds after it had begun to look.
    mutating func woken(after microseconds: Int64) {
        if microseconds < longest {
            window = min(max(2 * window, Self.first), longest)
        } else {
            window = window / 2 < Self.first ? 0 : window / 2
        }
    }
}
