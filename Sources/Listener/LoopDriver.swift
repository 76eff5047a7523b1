internal import Logging
internal import Workers

/// How a loop's thread waits for its next events, and on which core it runs. Loop thread only.
///
/// This file alone knows of busy polling and of cores. Without it a turn is `EventLoop.wait`. `docs/performance.md` has
/// what it saves.
final class LoopDriver {
    /// nil: the system chooses.
    private let core: Int?
    private(set) var busyPoll: BusyPoll

    init(core: Int?, busyPollMicroseconds: Int) {
        self.core = core
        busyPoll = BusyPoll(longest: Int64(busyPollMicroseconds))
    }

    /// To be called once by the loop's thread. A core that cannot be had costs speed and nothing else.
    func enterThread(_ logger: Logger) {
        guard let core else { return }
        do throws(CoreAffinity.Refused) {
            try CoreAffinity.keep(to: core)
        } catch {
            logger.warning(
                "a network loop cannot be kept to its core, and runs on any",
                metadata: ["core": .stringConvertible(core), "errno": .stringConvertible(error.errorNumber)]
            )
        }
    }

    /// Waits for the next events, polling for as long as `BusyPoll` finds worth it, and handles them.
    ///
    /// It looks at least once before it sleeps: after each event the library's plugin has something to do at once,
    /// which says nothing about how soon the next event comes.
    func turn(_ loop: EventLoop) {
        let began = ServiceContext.now
        if busyPoll.longest > 0 {
            repeat {
                if loop.look() { return }
            } while ServiceContext.now - began < busyPoll.window
        }
        if let cameAt = loop.wait() { busyPoll.woken(after: cameAt - began) }
    }
}

/// Busy polling: how long a loop that has nothing to do looks again and again before it sleeps. Being woken costs more
/// than looking, most of all where a virtual machine has to ask its host for the core.
///
/// The rule is that of KVM's halt polling (Linux, Documentation/virt/kvm/halt-polling.rst). Looking pays while events
/// come soon, so the window grows while they do and closes when they do not. An idle loop does not look. KVM also stops
/// when another task wants the core, which a program is not told: so this is for cores to spare.
struct BusyPoll {
    private static let first: Int64 = 10

    /// Microseconds; 0: the loop always sleeps.
    let longest: Int64
    /// Microseconds to look for, now.
    private(set) var window: Int64 = 0

    init(longest: Int64) {
        self.longest = longest
    }

    /// The loop looked for the whole window in vain, slept, and was woken so many microseconds after it had begun to
    /// look.
    mutating func woken(after microseconds: Int64) {
        if microseconds < longest {
            window = min(max(2 * window, Self.first), longest)
        } else {
            window = window / 2 < Self.first ? 0 : window / 2
        }
    }
}
