import DatabaseSamples
import Testing

@testable import Persistence

@Suite struct PersistenceErrorTests {
    private func error(_ code: String) -> PersistenceError {
        PersistenceError(.refusedByServer(SQLState(code)), "statement failed")
    }

    @Test(arguments: ["22021", "23505", "54000"])
    func dataErrorsAreNotRetried(code: String) {
        #expect(error(code).isDataError)
        #expect(!error(code).isRetriable)
        #expect(!error(code).isConnectionLost)
    }

    @Test(arguments: ["57P01", "57P03", "08006", "25P03"])
    func endOfTheConnectionIsRetriable(code: String) {
        #expect(error(code).isConnectionLost)
        #expect(error(code).isRetriable)
        #expect(!error(code).isDataError)
    }

    @Test(arguments: ["40001", "40P01", "53100", "25006", "57014"])
    func passingTroubleIsRetriableOnTheSameConnection(code: String) {
        #expect(error(code).isRetriable)
        #expect(!error(code).isConnectionLost)
        #expect(!error(code).isDataError)
    }

    @Test func connectionStringNeverShows() throws {
        let error = #expect(throws: PersistenceError.self) {
            _ = try PQConnection(conninfo: "host=x password 'secret", applicationName: "test")
        }
        #expect(error?.kind == .invalidConfiguration)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func configurationPrintsWithoutItsConnectionString() {
        let configuration = PersistenceConfiguration(conninfo: "password=secret", migrationsDirectory: "/m")
        #expect(!"\(configuration)".contains("secret"))
        #expect(!String(reflecting: configuration).contains("secret"))
    }

    @Test func valuesOfARefusedStatementNeverShow() throws {
        let database = try TestDatabase()
        let error = #expect(throws: PersistenceError.self) {
            try database.execute("SELECT 'secret'::uuid")
        }
        #expect(error?.sqlState == SQLState("22P02"))
        #expect(error?.description.contains("secret") == false)
        let unknown = #expect(throws: PersistenceError.self) { try database.execute("SELECT * FROM nowhere") }
        #expect(unknown?.description == "test failed: relation \"nowhere\" does not exist (SQLSTATE 42P01)")
    }
}
