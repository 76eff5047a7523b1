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

func module(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: relaxed)
}

/// What several test targets share.
func samples(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: relaxed)
}

func systemLibrary(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// Calls into Swift's libraries cost more across a shared object: docs/performance.md. Tests bring the shared libraries
/// with them, so this is not for tests.
let staticLibraries = LinkerSetting.unsafeFlags(["-static-stdlib"], .when(platforms: [.linux], configuration: .release))

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

/// The modules that Benchmarks/Package.swift may depend on, each a product of the same name.
let measured = [
    "CMimalloc", "EventIngest", "EventModel", "HTTPModel", "JSON", "Listener", "PushGateway", "Signing",
    "WSFanout",
]

let package = Package(
    name: "claude-monitor",
    products: [
        .executable(name: "monitor-server", targets: ["MonitorServer"]),
        .executable(name: "monitorctl", targets: ["monitorctl"]),
    ] + measured.map { .library(name: $0, targets: [$0]) },
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
        .target(name: "CCurlTrust", linkerSettings: [.linkedLibrary("dl")]),
        .target(
            name: "CSimdJSON",
            cxxSettings: [.unsafeFlags(["-std=c++17"])],
            linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("m")]
        ),

        // Leaves
        module("JSON", ["CSimdJSON"]),
        module("EventModel", ["JSON", "Signing"]),
        module("Sessions", ["EventModel", "JSON"]),
        module("HTTPModel", ["JSON"]),
        module("Workers", [deque]),
        module("Signing", ["JSON", "COpenSSL"]),
        module("QREncoding", ["CQRencode", "CZlib"]),
        // The table is a link to the one of the hooks.
        module("Risks", ["EventModel"], resources: [.embedInCode("risk.tsv")]),
        module("Host", ["EventModel", "HTTPModel", "JSON", "Signing", logging]),

        // Stages
        module("Listener", ["HTTPModel", "Workers", "CLibwebsockets", "CLiburing", logging]),
        module("Access", ["EventModel", "HTTPModel", "JSON", "Signing"]),
        module(
            "EventIngest",
            ["EventModel", "JSON", "HTTPModel", "Persistence", "Risks", "Workers", "CZlib", logging]
        ),
        module("Persistence", ["EventModel", "HTTPModel", "JSON", "Sessions", "Workers", "CLibpq", logging]),
        module("PrivateCluster", ["EventModel", logging, subprocess, system]),
        module("RPC", ["EventModel", "JSON"]),
        module("WSFanout", ["EventModel", "JSON", deque]),
        module(
            "PushGateway",
            ["EventModel", "JSON", "Signing", "Workers", "CNghttp2", "COpenSSL", logging, deque]
        ),
        module("API", ["EventModel", "HTTPModel", "JSON", "Persistence", "Signing"]),

        // Features
        module("Telemetry", ["EventIngest", "EventModel", "HTTPModel", "JSON"]),
        module(
            "Transcripts",
            ["API", "EventIngest", "EventModel", "HTTPModel", "JSON", "Persistence", "Sessions", "Signing", "Workers"]
        ),
        module(
            "Usage",
            ["API", "EventModel", "HTTPModel", "JSON", "Persistence", "Sessions", logging],
            resources: [.embedInCode("Prices/prices.json")]
        ),
        module(
            "Machines",
            ["API", "EventIngest", "EventModel", "HTTPModel", "JSON", "Persistence", "Sessions", logging]
        ),
        module("Search", ["API", "EventModel", "HTTPModel", "JSON", "Persistence", logging]),
        module(
            "Interaction",
            ["API", "EventModel", "HTTPModel", "JSON", "Persistence", "Sessions", "Signing", "Workers", logging]
        ),
        module(
            "Notifications",
            [
                "API", "EventModel", "HTTPModel", "JSON", "Persistence", "PushGateway", "Sessions", "Signing",
                "Workers", logging,
            ]
        ),
        module(
            "Devices",
            [
                "API", "Access", "EventModel", "HTTPModel", "Host", "JSON", "Notifications", "Persistence",
                "PushGateway", "QREncoding", "Signing", "Workers", logging,
            ]
        ),

        // Doors
        module(
            "ClientAPI",
            [
                "API", "EventModel", "HTTPModel", "Interaction", "JSON", "Machines", "Persistence", "Sessions",
                "Transcripts", "Usage",
            ]
        ),
        module("CdevDialect", ["EventModel", "JSON", "RPC", "Sessions", "Transcripts", "WSFanout"]),
        module("WebApp", ["API", "Access", "Devices", "EventModel", "HTTPModel", "JSON", "Signing"]),

        // App
        module(
            "Serving",
            [
                "API", "Access", "CdevDialect", "ClientAPI", "Devices", "EventIngest", "EventModel",
                "HTTPModel", "Interaction", "JSON", "Listener", "Machines", "Notifications", "Persistence", "RPC",
                "Sessions", "Telemetry", "Transcripts", "Usage", "WSFanout", "Workers", logging,
            ]
        ),
        module(
            "Settings",
            [
                "Access", "Devices", "EventIngest", "EventModel", "Host", "Listener", "Notifications", "Persistence",
                "PushGateway", "Signing", "Usage", "Workers", logging,
            ]
        ),
        .executableTarget(
            name: "MonitorServer",
            dependencies: [
                "API", "Access", "CdevDialect", "ClientAPI", "Devices", "EventIngest", "EventModel",
                "HTTPModel", "Host", "Interaction", "JSON", "Listener", "Machines", "Notifications", "Persistence",
                "PrivateCluster", "PushGateway", "Search", "Serving", "Sessions", "Settings", "Transcripts", "Usage",
                "WebApp", "Workers", "WSFanout", "CMimalloc", logging,
            ],
            swiftSettings: strict,
            linkerSettings: [staticLibraries]
        ),
        .executableTarget(
            name: "monitorctl",
            dependencies: ["CCurlTrust", "QREncoding", "Signing", "Workers", argumentParser],
            swiftSettings: relaxed,
            // Foundation's library calls the program's own curl_easy_init only if the program exports it.
            linkerSettings: [
                .unsafeFlags(["-Xlinker", "--export-dynamic-symbol=curl_easy_init"], .when(platforms: [.linux]))
            ]
        ),

        // Tests
        samples("APISamples", ["API", "HTTPModel", "JSON"]),
        tests("APITests", ["API", "APISamples", "HTTPModel", "JSON"]),
        tests("ClientAPITests", ["API", "APISamples", "ClientAPI", "DatabaseSamples", "EventModel", "JSON"]),
        tests("AccessTests", ["Access", "EventModel", "HTTPModel", "JSON", "Signing", "COpenSSL"]),
        tests("JSONTests", ["JSON"]),
        tests("RisksTests", ["Risks", "EventModel", "JSON"]),
        .executableTarget(
            name: "RiskReader",
            dependencies: ["EventModel", "Risks"],
            path: "Tests/RiskReader",
            swiftSettings: relaxed
        ),
        tests("QREncodingTests", ["QREncoding"]),
        tests("EventModelTests", ["EventModel"]),
        tests("SessionsTests", ["Sessions", "EventIngest", "EventModel", "JSON"]),
        samples("DatabaseSamples", ["EventModel", "HTTPModel", "Persistence", "Workers", logging]),
        tests("PersistenceTests", ["DatabaseSamples", "EventModel", "Persistence", "Sessions", "Workers"]),
        tests("WorkersTests", ["Workers"]),
        tests("monitorctlTests", ["monitorctl", "QREncoding", "Signing"]),
        tests("HostTests", ["Host", "EventModel"]),
        tests(
            "DevicesTests",
            [
                "API", "APISamples", "DatabaseSamples", "Devices", "EventModel", "HTTPModel", "JSON", "Notifications",
                "Persistence",
            ]
        ),
        tests(
            "MonitorServerTests",
            [
                "API", "APISamples", "Access", "EventModel", "HTTPModel", "Host", "JSON", "MonitorServer", "Serving",
                "Settings", "Signing", "Workers", logging,
            ]
        ),
        tests(
            "ServingTests",
            [
                "Serving", "CdevDialect", "EventIngest", "EventModel", "JSON", "Notifications", "Persistence",
                "Sessions", "WSFanout",
            ]
        ),
        tests("EventIngestTests", ["EventIngest", "EventModel", "HTTPModel", "JSON", "Persistence", "CZlib", logging]),
        tests("MachinesTests", ["APISamples", "DatabaseSamples", "EventModel", "JSON", "Machines"]),
        tests("UsageTests", ["API", "APISamples", "DatabaseSamples", "EventModel", "JSON", "Usage", logging]),
        tests("TranscriptsTests", ["Transcripts", "EventIngest", "EventModel", "JSON"]),
        tests("TelemetryTests", ["Telemetry", "EventIngest", "EventModel", "HTTPModel", "JSON"]),
        tests("SearchTests", ["Search"]),
        tests("InteractionTests", ["Interaction", "EventModel", "HTTPModel", "JSON", "Sessions"]),
        tests("PrivateClusterTests", ["PrivateCluster", logging]),
        samples("FanoutSamples", ["EventModel", "JSON", "WSFanout"]),
        tests("WSFanoutTests", ["EventModel", "FanoutSamples", "JSON", "WSFanout"]),
        tests("RPCTests", ["EventModel", "JSON", "RPC"]),
        tests(
            "CdevDialectTests",
            [
                "CdevDialect", "EventIngest", "EventModel", "FanoutSamples", "JSON", "RPC", "Sessions", "Transcripts",
                "WSFanout",
            ]
        ),
        tests("ListenerTests", ["Listener", "HTTPModel", "Workers"]),
        tests("SigningTests", ["Signing", "JSON"]),
        tests(
            "NotificationsTests",
            [
                "Notifications", "DatabaseSamples", "Devices", "EventIngest", "EventModel", "HTTPModel", "JSON",
                "Persistence", "PushGateway", "Signing",
            ]
        ),
        tests(
            "PushGatewayTests",
            ["PushGateway", "EventModel", "JSON", "Signing", "Workers", "CNghttp2", "COpenSSL", logging]
        ),
    ],
    cxxLanguageStandard: .cxx17
)

// libFuzzer's entry points. For Tests/fuzz/run they are a program, without a main of its own; FuzzersTests calls them.
// A library would break release builds, which have no `@testable`.
let fuzzers: [Target.Dependency] = [
    "API", "Access", "CdevDialect", "ClientAPI", "Devices", "EventIngest", "EventModel", "HTTPModel", "JSON",
    "Listener", "Notifications", "PushGateway", "RPC", "Risks", "Sessions", "Signing", "Telemetry", "WSFanout",
]
package.targets.append(
    Context.environment["MONITOR_FUZZ"] != nil
        ? .executableTarget(
            name: "Fuzzers",
            dependencies: fuzzers,
            path: "Tests/fuzz/Fuzzers",
            swiftSettings: relaxed + [.unsafeFlags(["-parse-as-library"])]
        )
        : .testTarget(
            name: "FuzzersTests",
            dependencies: fuzzers,
            path: "Tests/fuzz",
            exclude: ["found", "run", "seeds.py", "words.dict"],
            sources: ["Fuzzers", "FuzzersTests"],
            swiftSettings: relaxed
        )
)
