// swift-tools-version: 6.2
import PackageDescription

// The trait "Server" guards the dependencies of the command, the simulator and the server. By default a dependent gets only
// the libraries and does not fetch those dependencies; the root package enables the trait, so that `swift build` builds
// everything. This manifest tells the two apart by its folder: while SwiftPM resolves a dependency it evaluates the manifest
// without a folder, and later in a folder named "checkouts" or "registry". Scripts/check-dependents checks this.
let folders = Context.packageDirectory.split(separator: "/")
let isDependency = folders.isEmpty || folders.contains("checkouts") || folders.contains("registry")
let defaultTraits: Set<String> = isDependency ? [] : ["Server"]

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "_CryptoExtras", package: "swift-crypto")
let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let nio: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
/// A product that is only available with the trait "Server".
func server(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Server"]))
}
let arguments = server("ArgumentParser", "swift-argument-parser")
let hummingbird = server("Hummingbird", "hummingbird")
let httpServer: [Target.Dependency] = [
    hummingbird, server("HummingbirdCore", "hummingbird"), server("HTTPTypes", "swift-http-types"),
]
let httpParts = server("NIOHTTPTypes", "swift-nio-extras")
let yams = server("Yams", "Yams")
let grdb = server("GRDB", "GRDB.swift")
let sqlite = server("GRDBSQLite", "GRDB.swift")
let lifecycle: [Target.Dependency] = [
    server("ServiceLifecycle", "swift-service-lifecycle"), server("UnixSignals", "swift-service-lifecycle"),
]
let metrics = server("CoreMetrics", "swift-metrics")
let tracing = server("Tracing", "swift-distributed-tracing")
let mustache = server("Mustache", "swift-mustache")

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: settings)
}

let network: [Target.Dependency] = [
    .product(name: "AsyncHTTPClient", package: "async-http-client"), logging, nio,
    .product(name: "NIOHTTP1", package: "swift-nio"),
]
let libraries: [Target.Dependency] = [
    "Basics", "AppStoreModels", "AppStoreTrust", "AppStoreServer", "AppStoreReceipts",
]
let serverDependencies: [Target.Dependency] =
    libraries + [
        "Entitlements", "Ledger", "LedgerSQLite", "LedgerServices", "ConfigurationReading", "WebConsole", crypto,
    ]
    + network + httpServer
    + lifecycle
    + [metrics, tracing, server("HummingbirdTLS", "hummingbird"), httpParts, nioPosix]
let everything: [Target.Dependency] =
    libraries + [
        "StoreSimulator", "Entitlements", "Ledger", "LedgerSQLite", "LedgerServices", "CounterfoilServer", crypto, x509,
        asn1,
    ]
    + network + httpServer
    + lifecycle

/// A program in the folder Examples. Only the root package builds the examples.
func example(_ name: String, _ folder: String, _ dependencies: Target.Dependency...) -> Target {
    .executableTarget(
        name: "example-\(name)", dependencies: dependencies, path: "Examples/\(folder)", swiftSettings: settings)
}

let package = Package(
    name: "counterfoil",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "AppStoreModels", targets: ["AppStoreModels"]),
        .library(name: "AppStoreServer", targets: ["AppStoreServer"]),
        .library(name: "AppStoreReceipts", targets: ["AppStoreReceipts"]),
        .library(name: "Entitlements", targets: ["Entitlements"]),
        // These products need the trait "Server".
        .library(name: "StoreSimulator", targets: ["StoreSimulator"]),
        .library(name: "CounterfoilServer", targets: ["CounterfoilServer"]),
        .executable(name: "counterfoil", targets: ["counterfoil"]),
    ],
    traits: [
        .trait(name: "Server", description: "The command, the simulator and the server, with their dependencies."),
        .default(enabledTraits: defaultTraits),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", "3.12.3"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.80.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.24.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.15.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.20.0"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.0.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.8.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.3.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.0.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.5.0"),
    ],
    targets: [
        .plugin(name: "EmbedFiles", capability: .buildTool()),
        .target(name: "Basics", swiftSettings: settings),
        .target(name: "AppStoreModels", swiftSettings: settings),
        .target(
            name: "AppStoreTrust", dependencies: ["Basics", "AppStoreModels", crypto, x509, asn1],
            swiftSettings: settings),
        .target(
            name: "AppStoreServer",
            dependencies: [
                "Basics", "AppStoreModels", "AppStoreTrust", "Entitlements", crypto, x509, nioPosix,
            ] + network,
            swiftSettings: settings),
        .target(
            name: "AppStoreReceipts",
            dependencies: [
                "Basics", "AppStoreModels", "AppStoreTrust", "Entitlements", crypto, cryptoExtras, x509, asn1,
            ],
            swiftSettings: settings),
        .target(name: "ConfigurationReading", dependencies: ["Basics", yams], swiftSettings: settings),
        .target(
            name: "WebConsole",
            dependencies: ["Basics", crypto, mustache, logging, nio] + httpServer,
            exclude: ["Assets", "Templates"], swiftSettings: settings, plugins: ["EmbedFiles"]),
        .target(
            name: "StoreSimulator",
            dependencies: libraries + ["ConfigurationReading", "WebConsole", crypto, cryptoExtras, x509, asn1]
                + network + httpServer + lifecycle,
            exclude: ["Catalogue/example.yaml", "Control/openapi.yaml", "Console/Templates", "Scenarios/Shipped"],
            swiftSettings: settings, plugins: ["EmbedFiles"]),
        .target(name: "Entitlements", dependencies: ["AppStoreModels"], swiftSettings: settings),
        .target(
            name: "Ledger",
            dependencies: [
                "Basics", "AppStoreModels", "AppStoreTrust", "AppStoreServer", "AppStoreReceipts", "Entitlements",
                crypto,
            ],
            swiftSettings: settings),
        .target(
            name: "LedgerSQLite",
            dependencies: [
                "Basics", "AppStoreModels", "AppStoreTrust", "AppStoreServer", "Entitlements", "Ledger", crypto, grdb,
                sqlite,
            ],
            swiftSettings: settings),
        .target(
            name: "LedgerServices",
            dependencies: libraries + ["Entitlements", "Ledger", crypto, metrics, tracing] + network + lifecycle,
            swiftSettings: settings),
        .target(
            name: "CounterfoilServer", dependencies: serverDependencies,
            exclude: ["API/openapi.yaml", "Console/Templates"], swiftSettings: settings, plugins: ["EmbedFiles"]),
        .executableTarget(
            name: "counterfoil", dependencies: everything + ["ConfigurationReading", "WebConsole", arguments],
            swiftSettings: settings),
        .executableTarget(
            name: "counterfoil-benchmarks",
            dependencies: everything + [grdb, nioPosix], path: "Benchmarks",
            swiftSettings: settings),
        .target(
            name: "TestSupport",
            dependencies: [
                "Basics", "AppStoreModels", "AppStoreTrust", "AppStoreServer", "StoreSimulator", "WebConsole", crypto,
                cryptoExtras, x509, asn1, nio, nioPosix, hummingbird,
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/Support", swiftSettings: settings),
        .target(
            name: "MemoryLedger", dependencies: ["Ledger", "Basics", "AppStoreModels", "Entitlements", crypto],
            path: "Tests/MemoryLedger", swiftSettings: settings),
        tests("BasicsTests", ["Basics"]),
        tests("AppStoreModelsTests", ["AppStoreModels"]),
        tests("AppStoreTrustTests", ["Basics", "AppStoreTrust", "StoreSimulator", crypto, x509, asn1]),
        tests(
            "AppStoreServerTests",
            ["Basics", "AppStoreModels", "AppStoreTrust", "AppStoreServer", "StoreSimulator", crypto, x509, asn1]),
        tests(
            "AppStoreReceiptsTests",
            [
                "Basics", "AppStoreReceipts", "AppStoreTrust", "Entitlements", "StoreSimulator", crypto, cryptoExtras,
                x509, asn1,
            ]),
        tests(
            "StoreSimulatorTests",
            [
                "Basics", "AppStoreModels", "AppStoreTrust", "AppStoreServer", "AppStoreReceipts", "StoreSimulator",
                crypto, x509, asn1, yams, nio, nioPosix,
            ] + httpServer),
        tests(
            "WebConsoleTests",
            ["WebConsole", server("HummingbirdTesting", "hummingbird"), logging, nio, nioPosix] + httpServer),
        tests("EntitlementsTests", ["Entitlements", "AppStoreModels", "AppStoreServer"]),
        tests("LedgerTests", ["Ledger", "AppStoreModels", "Entitlements"]),
        tests(
            "LedgerContractTests",
            ["Ledger", "LedgerSQLite", "MemoryLedger", "AppStoreModels", "Entitlements"]),
        tests(
            "CounterfoilServerTests",
            everything + [
                "counterfoil", metrics, tracing, server("InMemoryTracing", "swift-distributed-tracing"), grdb, sqlite,
                yams, "WebConsole", "MemoryLedger", .product(name: "NIOEmbedded", package: "swift-nio"),
            ]),
        tests(
            "CounterfoilTests",
            [
                "counterfoil", "Basics", "AppStoreModels", "AppStoreTrust", "AppStoreServer", "AppStoreReceipts",
                "StoreSimulator", "LedgerSQLite", "LedgerServices", "CounterfoilServer", crypto, arguments, nio,
            ] + httpServer),
    ]
)

if !isDependency {
    package.targets += [
        example("verify-notification", "VerifyNotification", "AppStoreServer"),
        example("validate-receipt", "ValidateReceipt", "AppStoreReceipts"),
        example("call-app-store", "CallAppStore", "AppStoreServer"),
        example("sign-offer", "SignOffer", "AppStoreServer"),
        example("rehearse-renewals", "RehearseRenewals", "AppStoreServer", "StoreSimulator"),
    ]
}

// Fuzz/run and Scripts/check-fuzz set this variable. The targets are hidden otherwise, because they need libFuzzer and
// unsafe flags.
if !isDependency, Context.environment["COUNTERFOIL_FUZZ"] != nil {
    let common = libraries + ["StoreSimulator", crypto, x509, asn1]
    func harness(_ name: String, _ folder: String, _ more: Target.Dependency...) -> Target {
        .executableTarget(
            name: "fuzz-" + name, dependencies: common + ["FuzzSupport", "FuzzDriver", "TestSupport"] + more,
            path: "Fuzz/" + folder,
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])
    }
    package.targets += [
        .target(name: "FuzzDriver", path: "Fuzz/Driver"),
        .target(name: "FuzzSupport", dependencies: common, path: "Fuzz/Support", swiftSettings: settings),
        .executableTarget(
            name: "fuzz-seeds",
            dependencies: common + [
                "FuzzSupport", "TestSupport", "Entitlements", "Ledger", "LedgerSQLite", cryptoExtras,
            ],
            path: "Fuzz/Seeds", swiftSettings: settings),
        harness("api-requests", "APIRequests"),
        harness("base64", "Base64"),
        harness("catalogues", "Catalogues"),
        harness("certificates", "Certificates"),
        harness("commands", "Commands"),
        harness("configurations", "Configurations", "CounterfoilServer"),
        harness("console-input", "ConsoleInput", "CounterfoilServer", "LedgerServices"),
        harness("customer-tokens", "CustomerTokens", "CounterfoilServer", "Ledger"),
        harness("legacy-receipts", "LegacyReceipts"),
        harness("ocsp-queries", "OCSPQueries"),
        harness("ocsp-responses", "OCSPResponses"),
        harness("packed-records", "PackedRecords", "Ledger", "LedgerSQLite"),
        harness("packed-texts", "PackedTexts", "LedgerSQLite"),
        harness("payload-json", "PayloadJSON"),
        harness("scenarios", "Scenarios"),
        harness("signed-data", "SignedData"),
        harness("transaction-ids", "TransactionIDs"),
        harness("unified-receipts", "UnifiedReceipts"),
    ]
}
