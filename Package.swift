// swift-tools-version: 6.2

import PackageDescription

/// Swift 6 mode, every unsafe use marked, every warning an error: a grep for `unsafe` then proves where C is touched.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Tests and the command line may use Foundation; they keep the language mode and the warnings.
let relaxed: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
]

let products: [String: Target.Dependency] = [
    "ArgumentParser": .product(name: "ArgumentParser", package: "swift-argument-parser"),
    "DequeModule": .product(name: "DequeModule", package: "swift-collections"),
    "Logging": .product(name: "Logging", package: "swift-log"),
    "Subprocess": .product(name: "Subprocess", package: "swift-subprocess"),
    "SystemPackage": .product(name: "SystemPackage", package: "swift-system"),
]

/// - Parameter names: targets of this package and products of others, with spaces between.
func dependencies(_ names: String) -> [Target.Dependency] {
    names.split(separator: " ").map { products[String($0)] ?? .target(name: String($0)) }
}

func module(_ name: String, _ names: String = "", resources: [Resource] = []) -> Target {
    .target(name: name, dependencies: dependencies(names), resources: resources, swiftSettings: strict)
}

func program(_ name: String, _ names: String) -> Target {
    let (needs, links) = (dependencies(names), [staticLibraries])
    return .executableTarget(name: name, dependencies: needs, swiftSettings: strict, linkerSettings: links)
}

/// The tests of the target whose name comes before `Tests`.
///
/// - Parameter exclude: files that the tests read by their paths.
func tests(_ name: String, _ names: String = "", exclude: [String] = []) -> Target {
    let needs = dependencies("\(name.dropLast(5)) \(names)")
    return .testTarget(name: name, dependencies: needs, exclude: exclude, swiftSettings: relaxed)
}

/// What several test targets share.
func samples(_ name: String, _ names: String, _ settings: [SwiftSetting] = relaxed) -> Target {
    .target(name: name, dependencies: dependencies(names), path: "Tests/\(name)", swiftSettings: settings)
}

func systemLibrary(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// Calls across a shared object cost more: docs/performance.md. Not for tests, which bring the shared libraries.
let staticLibraries = LinkerSetting.unsafeFlags(["-static-stdlib"], .when(platforms: [.linux], configuration: .release))
// The agent's release runs on machines that have no simdjson: scripts/build-agent.
let simdjson = Context.environment["MONITOR_PORTABLE_JSON"] == nil ? "CSimdJSON" : ""

/// The modules that Benchmarks/Package.swift may depend on, each a product of the same name.
let measured = [
    "CMimalloc", "EventIngest", "EventModel", "HTTPModel", "JSON", "Listener", "Masking", "PushGateway", "Signing",
    "WSFanout",
]

let package = Package(
    name: "claude-monitor",
    products: [("monitor-server", "MonitorServer"), ("monitorctl", "monitorctl"), ("monitor-agent", "MonitorAgent")]
        .map { Product.executable(name: $0, targets: [$1]) } + measured.map { .library(name: $0, targets: [$0]) },
    // Exact: a build today and one next year take the same sources. There is no Package.resolved in the repository.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", exact: "1.0.2", traits: []),
    ],
    targets: [
        // C libraries
        systemLibrary("CLibwebsockets", pkgConfig: "libwebsockets", apt: "libwebsockets-dev"),
        systemLibrary("CLibpq", pkgConfig: "libpq", apt: "libpq-dev"),
        systemLibrary("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
        systemLibrary("CLiburing", pkgConfig: "liburing", apt: "liburing-dev"),
        systemLibrary("CNghttp2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),
        systemLibrary("CQRencode", pkgConfig: "libqrencode", apt: "libqrencode-dev"),
        systemLibrary("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        .systemLibrary(name: "CMimalloc", providers: [.apt(["libmimalloc-dev"])]),
        .target(name: "COpenBeneath"),
        .target(name: "CCurlTrust", linkerSettings: [.linkedLibrary("dl")]),
        .target(
            name: "CSimdJSON",
            cxxSettings: [.unsafeFlags(["-std=c++17"])],
            linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("m")]
        ),

        // Leaves
        module("JSON", simdjson),
        module("EventModel", "JSON Signing"),
        module("Sessions", "EventModel JSON"),
        module("HTTPModel", "JSON"),
        module("Compression", "HTTPModel CZlib"),
        module("Masking", "EventModel JSON"),
        module("HTTPClient", "HTTPModel Workers CNghttp2 COpenSSL DequeModule"),
        module("Workers", "DequeModule"),
        module("Signing", "JSON COpenSSL"),
        module("QREncoding", "CQRencode CZlib"),
        // The table is a link to the one of the hooks.
        module("Risks", "EventModel", resources: [.embedInCode("risk.tsv")]),
        module("Host", "EventModel HTTPModel JSON Signing Logging"),
        module("MachinePolicy", "EventModel JSON Risks"),
        module("WebSocketClient", "CLibwebsockets Workers"),
        module("GitInterface", "JSON"),
        module("WorkspaceFiles", "COpenBeneath"),
        // Stages
        module("Listener", "HTTPModel Workers CLibwebsockets CLiburing Logging"),
        module("Access", "EventModel HTTPModel JSON Signing"),
        module("EventIngest", "Compression EventModel JSON HTTPModel Masking Persistence Risks Workers Logging"),
        module("Persistence", "EventModel HTTPModel JSON Sessions Workers CLibpq Logging"),
        module("PrivateCluster", "EventModel Logging Subprocess SystemPackage"),
        module("ClaudeRunner", "JSON Workers DequeModule"),
        module("GitRunner", "JSON MachinePolicy Signing Workers"),
        module("RPC", "EventModel JSON"),
        module("WSFanout", "EventModel JSON DequeModule"),
        module("PushGateway", "EventModel HTTPClient JSON Signing Workers Logging DequeModule"),
        module("API", "Compression EventModel HTTPModel JSON Persistence Signing"),
        // Services, then features
        module("Audit", "EventModel JSON Persistence Signing Logging"),
        module("Secrets", "API Audit EventModel HTTPModel Host JSON Persistence Signing"),
        module("Outbox", "EventModel HTTPModel Persistence Workers Logging"),
        module("Telemetry", "Compression EventIngest EventModel HTTPModel JSON Masking"),
        module(
            "Transcripts",
            "API Compression EventIngest EventModel HTTPModel JSON Masking Persistence Sessions Signing Workers"
        ),
        module(
            "Usage",
            "API EventModel HTTPModel JSON Persistence Sessions Logging",
            resources: [.embedInCode("Prices/prices.json")]
        ),
        module("Chat", "API EventModel HTTPModel JSON Masking Persistence Sessions Signing"),
        module("OAuth", "API Audit EventModel HTTPClient HTTPModel JSON Persistence Secrets Signing"),
        module("MCP", "API EventModel HTTPModel JSON RPC Signing Workers"),
        module(
            "Machines",
            "API Compression EventIngest EventModel HTTPModel JSON Persistence Sessions Signing Logging"
        ),
        module(
            "Tools",
            "API Audit EventModel HTTPClient HTTPModel JSON MachinePolicy Persistence RPC Secrets Signing "
                + "Workers Logging"
        ),
        module("Search", "API EventModel HTTPModel JSON Persistence Logging"),
        module("Agents", "API EventModel GitInterface HTTPModel JSON Masking Persistence RPC Sessions Signing"),
        module("Prompts", "API Audit EventModel HTTPModel JSON Persistence Sessions Workers Logging"),
        module("Messages", "API Audit EventModel HTTPModel JSON Persistence Sessions Workers Logging"),
        module(
            "Notifications",
            "API EventModel HTTPModel JSON Outbox Persistence PushGateway Sessions Signing Workers Logging"
        ),
        module(
            "Devices",
            "API Access Audit EventModel HTTPClient HTTPModel Host JSON Notifications Persistence "
                + "QREncoding Signing Logging"
        ),
        // Doors
        module(
            "ClientAPI",
            "API Chat EventIngest EventModel HTTPModel JSON Machines Messages Persistence Sessions Transcripts Usage"
        ),
        module("ToolRouter", "API EventModel HTTPModel JSON OAuth Persistence Signing Tools"),
        module("CdevDialect", "EventModel GitInterface JSON RPC Sessions Transcripts WSFanout"),
        module("WebApp", "API Access Compression Devices EventModel HTTPModel JSON Signing"),
        // App
        module(
            "Serving",
            "API Access Agents Audit CdevDialect ClientAPI Compression Devices EventIngest EventModel GitInterface "
                + "HTTPModel JSON Listener Machines Masking Messages Notifications Persistence Prompts RPC Sessions "
                + "Telemetry Transcripts Usage WSFanout Workers Logging"
        ),
        module(
            "Settings",
            "Access Devices EventIngest EventModel HTTPClient HTTPModel Host Listener Masking Notifications OAuth "
                + "Persistence PushGateway Signing Usage Workers Logging"
        ),
        program(
            "MonitorServer",
            "API Access Agents Audit CdevDialect Chat ClientAPI Devices EventIngest EventModel HTTPClient HTTPModel "
                + "Host JSON Listener MCP MachinePolicy Machines Masking Messages Notifications OAuth Persistence "
                + "PrivateCluster Prompts PushGateway Search Secrets Serving Sessions Settings ToolRouter Tools "
                + "Transcripts Usage WebApp Workers WSFanout CMimalloc Logging"
        ),
        program(
            "MonitorAgent",
            "ClaudeRunner EventModel GitRunner Host JSON MachinePolicy Masking RPC Signing WebSocketClient "
                + "WorkspaceFiles Workers Logging"
        ),
        .executableTarget(
            name: "monitorctl",
            dependencies: dependencies("ArgumentParser CCurlTrust QREncoding Signing Workers"),
            swiftSettings: relaxed,
            // Foundation's library calls the program's own curl_easy_init only if the program exports it.
            linkerSettings: [
                .unsafeFlags(["-Xlinker", "--export-dynamic-symbol=curl_easy_init"], .when(platforms: [.linux]))
            ]
        ),
        samples("APISamples", "API EventModel HTTPModel JSON"),
        tests("APITests", "APISamples HTTPModel JSON"),
        samples("NotesExample", "API HTTPModel JSON Persistence", strict),
        tests("ClientAPITests", "API APISamples DatabaseSamples EventIngest EventModel JSON NotesExample Persistence"),
        tests("AccessTests", "EventModel HTTPModel JSON Signing COpenSSL"),
        .executableTarget(
            name: "RiskReader",
            dependencies: dependencies("EventModel Risks"),
            path: "Tests/RiskReader",
            swiftSettings: relaxed
        ),
        tests("SessionsTests", "EventIngest EventModel JSON"),
        samples("DatabaseSamples", "EventModel HTTPModel Persistence Workers Logging"),
        tests("PersistenceTests", "DatabaseSamples EventModel Sessions Workers"),
        tests("MonitorAgentTests", "ClaudeRunner EventModel JSON MachinePolicy RPC WebSocketClient WorkspaceFiles"),
        tests("monitorctlTests", "QREncoding Signing"),
        tests("HostTests", "EventModel Signing"),
        tests(
            "DevicesTests",
            "API APISamples Audit DatabaseSamples EventModel HTTPModel JSON Notifications Persistence"
        ),
        tests(
            "MonitorServerTests",
            "API APISamples Access EventModel HTTPModel Host JSON Serving Settings Signing Workers Logging"
        ),
        tests(
            "ServingTests",
            "Agents CdevDialect EventIngest EventModel HTTPModel JSON Notifications Persistence RPC Sessions "
                + "WSFanout"
        ),
        tests("CompressionTests", "HTTPModel CZlib"),
        tests("EventIngestTests", "Compression EventModel HTTPModel JSON Masking Persistence Logging"),
        tests("MachinesTests", "APISamples DatabaseSamples EventModel JSON"),
        tests("UsageTests", "API APISamples DatabaseSamples EventModel JSON"),
        tests("TranscriptsTests", "EventModel JSON Masking"),
        tests("TelemetryTests", "EventIngest EventModel HTTPModel JSON Masking"),
        tests("AuditTests", "DatabaseSamples EventModel JSON Persistence Signing"),
        tests("SecretsTests", "API APISamples DatabaseSamples EventModel HTTPModel Host JSON Persistence Signing"),
        tests("OutboxTests", "DatabaseSamples EventModel Persistence Workers"),
        tests("PromptsTests", "EventModel HTTPModel JSON Sessions"),
        tests("ChatTests", "ClaudeRunner EventModel HTTPModel JSON"),
        tests(
            "OAuthTests",
            "API Audit DatabaseSamples EventModel HTTPClient HTTPModel Host JSON Persistence Secrets Signing"
        ),
        tests("ToolsTests", "DatabaseSamples EventModel HTTPClient HTTPModel JSON Persistence"),
        tests("PrivateClusterTests", "Logging"),
        tests("ClaudeRunnerTests", "JSON", exclude: ["Fixtures", "scripted_client.py"]),
        tests("GitRunnerTests", "JSON"),
        samples("FanoutSamples", "EventModel JSON WSFanout"),
        tests("WSFanoutTests", "EventModel FanoutSamples JSON"),
        tests("CdevDialectTests", "EventIngest EventModel FanoutSamples JSON RPC Sessions Transcripts WSFanout"),
        tests("ListenerTests", "HTTPModel Workers"),
        tests("SigningTests", "JSON"),
        tests(
            "NotificationsTests",
            "DatabaseSamples Devices EventIngest EventModel HTTPModel JSON Persistence PushGateway Signing"
        ),
        tests("HTTPClientTests", "HTTPModel CNghttp2"),
        tests("PushGatewayTests", "EventModel HTTPClient JSON Signing Workers CNghttp2 COpenSSL Logging"),
    ]
        + ["EventModel", "JSON", "Masking", "QREncoding", "Search", "WebSocketClient", "Workers", "WorkspaceFiles"]
        .map { tests($0 + "Tests") }
        + ["Agents", "MCP"].map { tests($0 + "Tests", "API DatabaseSamples EventModel HTTPModel JSON Persistence RPC") }
        + ["MachinePolicy", "Messages", "RPC", "Risks", "ToolRouter"]
        .map { tests($0 + "Tests", "API EventModel HTTPModel JSON") },
    cxxLanguageStandard: .cxx17
)

// libFuzzer's entry points: a program for Tests/fuzz/run; FuzzersTests calls them. Release builds have no `@testable`.
let fuzzers = dependencies(
    "API Access CdevDialect ClientAPI Compression Devices EventIngest EventModel HTTPClient HTTPModel JSON "
        + "Listener Masking Notifications PushGateway RPC Risks Sessions Signing Telemetry WSFanout"
)
let fuzzing = Target.executableTarget(
    name: "Fuzzers",
    dependencies: fuzzers,
    path: "Tests/fuzz/Fuzzers",
    swiftSettings: relaxed + [.unsafeFlags(["-parse-as-library"])]
)
let fuzzersTests = Target.testTarget(
    name: "FuzzersTests",
    dependencies: fuzzers,
    path: "Tests/fuzz",
    exclude: ["found", "run", "seeds.py", "words.dict"],
    sources: ["Fuzzers", "FuzzersTests"],
    swiftSettings: relaxed
)
package.targets.append(Context.environment["MONITOR_FUZZ"] != nil ? fuzzing : fuzzersTests)
