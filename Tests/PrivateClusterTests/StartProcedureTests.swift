import Testing

@testable import PrivateCluster

@Suite("Start procedure")
struct StartProcedureTests {
    @Test("nothing runs: launch, then done")
    func launch() {
        var procedure = StartProcedure(looks: 3)
        #expect(procedure.observed(nil) == .launch)
        #expect(procedure.observed(.ready) == .done(adopted: false))
    }

    @Test("a postmaster that is ready is adopted")
    func adoption() {
        var procedure = StartProcedure(looks: 3)
        #expect(procedure.observed(.ready) == .done(adopted: true))
    }

    @Test("a postmaster that is stopping is waited for, then replaced")
    func stopping() {
        var procedure = StartProcedure(looks: 3)
        #expect(procedure.observed(.stopping) == .wait)
        #expect(procedure.observed(.stopping) == .wait)
        #expect(procedure.observed(nil) == .launch)
        #expect(procedure.observed(.ready) == .done(adopted: false))
    }

    @Test("a postmaster that is gone after the launch is not launched again")
    func died() {
        var procedure = StartProcedure(looks: 3)
        #expect(procedure.observed(nil) == .launch)
        #expect(procedure.observed(nil) == .died)
    }

    @Test("a recovery that lasts too long ends the waiting")
    func timedOut() {
        var procedure = StartProcedure(looks: 2)
        #expect(procedure.observed(.starting) == .wait)
        #expect(procedure.observed(.starting) == .wait)
        #expect(procedure.observed(.starting) == .timedOut)
    }

    @Test("the launch has waited already: no looks are left after it")
    func noLooksAfterLaunch() {
        var procedure = StartProcedure(looks: 2)
        #expect(procedure.observed(nil) == .launch)
        #expect(procedure.observed(.starting) == .timedOut)
    }
}
