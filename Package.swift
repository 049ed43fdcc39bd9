// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// Targets stand in arrow order: each depends only on those above it.
//
// Traits spare an app the packages of what it does not use: with `traits: []` it gets models on a store (`SwiftData`,
// `Tandem`, `RecordStore`, `LMDB`, `StoreInspection`), which need swift-syntax alone. Here, all are on.

let traits: Set<Trait> = [
  .trait(name: "Sync", description: "TandemSync, RecordSync and AgeEncryption."),
  .trait(name: "Purchases", description: "StoreKit, AppStorePurchases and AppStoreTesting."),
  .trait(name: "Observability", description: "TandemObservability.", enabledTraits: ["Sync"]),
  .trait(name: "Tools", description: "The programs and what they are made of.", enabledTraits: ["Sync", "Purchases"]),
  .default(enabledTraits: ["Observability", "Tools"]),
]
let crypto: Target.Dependency = .product(
  name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Purchases", "Sync"]))
let cryptoExtras: Target.Dependency = .product(
  name: "CryptoExtras", package: "swift-crypto", condition: .when(traits: ["Sync"]))
let certificates: Target.Dependency = .product(
  name: "X509", package: "swift-certificates", condition: .when(traits: ["Purchases"]))
let asn1: Target.Dependency = .product(
  name: "SwiftASN1", package: "swift-asn1", condition: .when(traits: ["Purchases"]))
let logging: Target.Dependency = .product(
  name: "Logging", package: "swift-log", condition: .when(traits: ["Observability"]))
let metrics: Target.Dependency = .product(
  name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Observability"]))
let memoryLogging: Target.Dependency = .product(
  name: "InMemoryLogging", package: "swift-log", condition: .when(traits: ["Observability"]))
let metricsTesting: Target.Dependency = .product(
  name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Observability"]))
let arguments: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tools"]))
let hummingbird: Target.Dependency = .product(
  name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Tools"]))
let httpTypes: Target.Dependency = .product(
  name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Tools"]))
let sockets: Target.Dependency = .product(
  name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Tools"]))
let serverLogging: Target.Dependency = .product(
  name: "Logging", package: "swift-log", condition: .when(traits: ["Tools"]))
func syntax(_ products: String...) -> [Target.Dependency] {
  products.map { .product(name: $0, package: "swift-syntax") }
}

var targets: [Target] = [
  // 0: the system's libraries.
  .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
  .systemLibrary(name: "CMessageDigest", pkgConfig: "libmd", providers: [.apt(["libmd-dev"])]),

  // 0: places of planets, for the calculation of charts alone. Debian's package brings no file for pkg-config.
  .systemLibrary(name: "CNova", providers: [.apt(["libnova-dev"])]),

  // 0: files of other programs, for what is taken from them and given to them alone.
  .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),

  // 0: lines that a person edits, for the shell of `tandem` alone. Its header lies where every compiler looks.
  .systemLibrary(name: "CEdit", providers: [.apt(["libedit-dev"])]),

  // 0: the checksum of the file formats, by the processor's instruction.
  .target(name: "CChecksum"),

  // 0: what we, and what another library, keep for each thread.
  .target(name: "CThreads"),

  // 0: hears the signal that asks the process to end.
  .target(name: "CSignals"),

  // 0: which bets on the memory of other libraries hold.
  .target(name: "ForeignLayouts"),

  // 0: texts by language, dates, numbers and money as languages write them, and text in
  // pictures and terminals, for the programs.
  .target(name: "LocalizedTexts"),

  // 1: files that only the holders of a key can read.
  .target(name: "AgeEncryption", dependencies: [crypto, cryptoExtras]),

  // 1: environments, transactions, cursors. Keys and values are bytes.
  .target(name: "LMDB", dependencies: ["CLMDB", "CChecksum", "ForeignLayouts"]),

  // 2: schema as data, records, indexes, queries, history, the clock.
  .target(
    name: "RecordStore", dependencies: ["LMDB", "CChecksum", "CThreads", "ForeignLayouts", "CMessageDigest"],
    // Not in its module map: Apple's systems have the same in the C library.
    linkerSettings: [.linkedLibrary("md", .when(platforms: [.linux]))]),

  // 3: objects, synchronisation, inspection. These do not know each other.
  // Whatever is no macro is built for the side of the programs, too. So the plugin is one module, and tests ask it as a
  // process: one that depended on a macro would be built for the compiler's side, with all that it is of.
  .macro(
    name: "TandemMacros",
    dependencies: syntax(
      "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftDiagnostics", "SwiftCompilerPlugin",
      "SwiftParser", "SwiftSyntaxMacroExpansion")),
  .target(name: "Tandem", dependencies: ["RecordStore", "CSignals", "CThreads", "ForeignLayouts", "TandemMacros"]),
  .target(name: "RecordSync", dependencies: ["AgeEncryption", "RecordStore", "CChecksum", crypto, cryptoExtras]),
  .target(name: "StoreInspection", dependencies: ["RecordStore"]),

  // 3: products and signed transactions; no store.
  .target(
    name: "AppStorePurchases",
    dependencies: [
      crypto, certificates, asn1,
    ]),

  // 4: a local App Store behind the purchases.
  .target(
    name: "AppStoreTesting",
    dependencies: [
      "RecordStore", "AppStorePurchases", crypto, certificates, asn1,
    ]),

  // 4: records in files of other programs. Apart, so that those who take the models alone need no SQLite.
  .target(name: "SQLiteBridge", dependencies: ["CSQLite", "LMDB", "RecordStore", "StoreInspection"]),

  // 4: keeps a container equal with other devices.
  .target(name: "TandemSync", dependencies: ["RecordStore", "Tandem", "RecordSync"]),

  // 4: passes what stores and synchronisations do on to logs and metrics.
  .target(name: "TandemObservability", dependencies: ["RecordStore", "RecordSync", logging, metrics]),

  // 5: imports and exports of a container.
  .target(name: "TandemBridges", dependencies: ["RecordStore", "Tandem", "SQLiteBridge"]),

  // 4: domains, written as a user of the package would.
  .target(
    name: "MySubGuard", dependencies: ["CChecksum", "LocalizedTexts", "RecordStore", "Tandem"],
    // The texts of each language, in the code, so that a program is one file.
    resources: [.embedInCode("Resources/Localizable.en.json"), .embedInCode("Resources/Localizable.fr.json")]),
  .target(
    name: "AstroSvitla",
    dependencies: ["LocalizedTexts", "RecordStore", "Tandem", "AppStorePurchases", crypto],
    // In the code, so that a program is one file and finds them wherever it lies.
    resources: [
      .embedInCode("Resources/AstroSvitla.storekit"), .embedInCode("Resources/AstroSvitla.prices.json"),
      .embedInCode("Resources/Localizable.en.json"), .embedInCode("Resources/Localizable.uk.json"),
    ]),
  // 5: the sky of a birth. Apart, so that those who take the domain alone need no libnova.
  .target(name: "NatalChartCalculation", dependencies: ["CNova", "LocalizedTexts", "AstroSvitla"]),
  // 4: conflict scenarios, read from files.
  .target(name: "ScenarioRunner", dependencies: ["AgeEncryption", "RecordStore", "RecordSync"]),

  // 4: a page for a browser on this machine: which requests are answered, and what it shows. It knows no stores.
  .target(
    name: "LivePage", dependencies: ["StoreInspection", hummingbird, httpTypes, sockets, serverLogging],
    // The page, in the code, so that the program is one file.
    resources: [.embedInCode("Page")]),

  // 6: the commands.
  .target(
    name: "CommandLineTool",
    dependencies: [
      "CEdit", "LocalizedTexts", "LMDB", "RecordStore", "Tandem", "RecordSync", "StoreInspection", "LivePage",
      "ScenarioRunner", "SQLiteBridge", arguments,
    ],
    // The JSON Schemas of answers, in the code, so that the program is one file.
    resources: [.embedInCode("Schemas")]),
  .target(name: "MySubGuardCommands", dependencies: ["LocalizedTexts", "RecordStore", "MySubGuard", arguments]),
  .target(
    name: "AstroSvitlaCommands",
    dependencies: [
      "LocalizedTexts", "RecordStore", "Tandem", "AppStorePurchases", "AppStoreTesting", "AstroSvitla",
      "NatalChartCalculation", arguments,
    ]),

  // 7: a few lines each.
  .executableTarget(name: "TandemTool", dependencies: ["CommandLineTool"]),
  .executableTarget(name: "MySubGuardTool", dependencies: ["MySubGuardCommands"]),
  .executableTarget(name: "MySubGuardWidget", dependencies: ["MySubGuardCommands"]),
  .executableTarget(name: "AstroSvitlaTool", dependencies: ["AstroSvitlaCommands"]),

  // Tests, in the order of what they test.
  .target(name: "TestSupport", dependencies: ["LMDB", "RecordStore"], path: "Tests/TestSupport"),
  // 5: reads whole tables of stores, for comparing them.
  .target(name: "StoreTables", dependencies: ["LMDB", "RecordStore"], path: "Tests/Helpers/StoreTables"),
  // 5: starts processes for tests, and tells those when to end.
  .target(name: "HelperProcess", path: "Tests/Helpers/HelperProcess"),
  // 6: processes that tests start.
  .executableTarget(
    name: "store-test-helper", dependencies: ["HelperProcess", "LMDB", "RecordStore", "RecordSync"],
    path: "Tests/Helpers/StoreTestHelper"),
  .testTarget(
    name: "LMDBTests",
    dependencies: ["CLMDB", "ForeignLayouts", "LMDB", "TestSupport", "HelperProcess", "store-test-helper"]),
  .testTarget(
    name: "RecordStoreTests",
    dependencies: [
      "CChecksum", "ForeignLayouts", "LMDB", "RecordStore", "StoreTables", "TestSupport", "HelperProcess",
      "store-test-helper",
    ]),
  .testTarget(name: "AgeEncryptionTests", dependencies: ["AgeEncryption", "HelperProcess", crypto]),
  .testTarget(
    name: "RecordSyncTests",
    dependencies: ["AgeEncryption", "RecordStore", "RecordSync", "HelperProcess", "StoreTables", "TestSupport"]),
  .testTarget(
    name: "ScenarioRunnerTests", dependencies: ["RecordStore", "RecordSync", "ScenarioRunner", "TestSupport"]),
  .testTarget(
    name: "SQLiteBridgeTests", dependencies: ["RecordStore", "SQLiteBridge", "StoreInspection", "TestSupport"]),
  .testTarget(name: "StoreInspectionTests", dependencies: ["RecordStore", "StoreInspection", "TestSupport"]),
  .testTarget(
    name: "CrashTests",
    dependencies: ["RecordStore", "RecordSync", "TandemTool", "TestSupport", "HelperProcess", "store-test-helper"]),
  // 7: what the world may do to stores, played: `tools/campaign`.
  .executableTarget(
    name: "run-campaign", dependencies: ["HelperProcess", "LMDB", "RecordStore", "RecordSync", arguments],
    path: "Tests/Campaign"),
  .testTarget(name: "CampaignTests", dependencies: ["HelperProcess", "run-campaign"]),
  // 6: random histories of several replicas.
  .target(
    name: "Simulator", dependencies: ["RecordStore", "RecordSync", "ScenarioRunner", "StoreTables", crypto],
    path: "Tests/Simulator"),
  // 7: long runs of the simulator.
  .executableTarget(
    name: "simulate-histories", dependencies: ["RecordStore", "Simulator", arguments],
    path: "Tests/Helpers/SimulateTool"),
  .testTarget(
    name: "SimulatorTests",
    dependencies: [
      "RecordStore", "ScenarioRunner", "Simulator", "HelperProcess", "StoreTables", "simulate-histories",
    ]),
  .executableTarget(
    name: "key-value-test-helper", dependencies: ["Tandem", "RecordStore"], path: "Tests/Helpers/KeyValueHelper"),
  .executableTarget(name: "model-test-helper", dependencies: ["Tandem"], path: "Tests/Helpers/ModelHelper"),
  // Programs that never save.
  .executableTarget(name: "autosave-test-helper", dependencies: ["Tandem"], path: "Tests/Helpers/AutosaveHelper"),
  .executableTarget(
    name: "async-autosave-test-helper", dependencies: ["Tandem"], path: "Tests/Helpers/AsyncAutosaveHelper"),
  .executableTarget(
    name: "migration-test-helper", dependencies: ["Tandem", "RecordStore"], path: "Tests/Helpers/MigrationHelper"),
  .testTarget(
    name: "TandemTests",
    dependencies: [
      "CThreads", "ForeignLayouts", "Tandem", "RecordStore", "RecordSync", "StoreInspection", "TandemTool",
      "TestSupport", "HelperProcess", "key-value-test-helper", "model-test-helper", "autosave-test-helper",
      "async-autosave-test-helper", "migration-test-helper",
    ]),
  .executableTarget(
    name: "sync-test-helper", dependencies: ["Tandem", "TandemSync"], path: "Tests/Helpers/SyncHelper"),
  .testTarget(
    name: "TandemSyncTests",
    dependencies: [
      "RecordStore", "Tandem", "RecordSync", "TandemSync", "TandemTool", "HelperProcess", "sync-test-helper",
    ]),
  .testTarget(
    name: "TandemObservabilityTests",
    dependencies: [
      "RecordStore", "Tandem", "RecordSync", "TandemObservability", "TestSupport", logging,
      memoryLogging, metricsTesting,
    ]),
  .testTarget(
    name: "MySubGuardTests",
    dependencies: [
      "LocalizedTexts", "RecordStore", "Tandem", "MySubGuard", "MySubGuardTool", "MySubGuardWidget", "TandemTool",
      "TestSupport",
    ]),
  .testTarget(
    name: "AppStorePurchasesTests",
    dependencies: [
      "AppStorePurchases",
      crypto, certificates, asn1,
    ],
    resources: [.copy("Fixtures")]),
  .executableTarget(
    name: "app-store-test-helper", dependencies: ["AppStorePurchases", "AppStoreTesting"],
    path: "Tests/Helpers/AppStoreTestHelper"),
  .testTarget(
    name: "AppStoreTestingTests",
    dependencies: [
      "RecordStore", "AppStorePurchases", "AppStoreTesting", "TestSupport", "HelperProcess", "app-store-test-helper",
    ]),
  .executableTarget(
    name: "astrosvitla-test-helper", dependencies: ["AppStoreTesting", "AstroSvitla"],
    path: "Tests/Helpers/AstroSvitlaHelper"),
  .testTarget(
    name: "AstroSvitlaTests",
    dependencies: [
      "LocalizedTexts", "RecordStore", "Tandem", "RecordSync", "AppStorePurchases", "AppStoreTesting", "AstroSvitla",
      "NatalChartCalculation", "AstroSvitlaTool", "TandemTool", "TestSupport", "HelperProcess",
      "astrosvitla-test-helper", "store-test-helper",
    ]),
  // 6: asks the plugin.
  .target(name: "MacroExpander", dependencies: ["HelperProcess", "TandemMacros"], path: "Tests/Helpers/MacroExpander"),
  .testTarget(name: "MacroExpansionsTests", dependencies: ["MacroExpander"]),
  .testTarget(
    name: "CommandLineToolTests",
    dependencies: [
      "RecordStore", "StoreInspection", "SQLiteBridge", "CommandLineTool", "TandemTool", "MySubGuardTool",
      "MySubGuardWidget", "AstroSvitlaTool", "TestSupport", "HelperProcess",
    ]),
  // Models that the tool writes, compiled apart: tests of the tool call it by the module's name.
  // 4: models whose names are those of libraries, apart, as they hide what other files mean by these names.
  .target(name: "HostileModels", dependencies: ["Tandem"], path: "Tests/Helpers/HostileModels"),
  .testTarget(
    name: "GeneratedModelsTests",
    dependencies: ["HostileModels", "RecordStore", "Tandem", "TandemTool", "TestSupport"]),
  // The code and the commands of README and articles; `tools/examples` compares the texts.
  .testTarget(
    name: "DocumentationTests",
    dependencies: [
      "LMDB", "RecordStore", "Tandem", "RecordSync", "TandemSync", "TandemBridges", "TandemTool", "MySubGuardTool",
      "MySubGuardWidget",
      "TestSupport", "HelperProcess", "key-value-test-helper",
    ]),
  // 4: examples of apps, as a user of the package writes them, and a test that runs them.
  .target(name: "HabitStore", dependencies: ["Tandem"], path: "Tests/Examples/Habits/HabitStore"),
  // 5: their programs.
  .executableTarget(name: "habits", dependencies: ["HabitStore", "Tandem"], path: "Tests/Examples/Habits/App"),
  .executableTarget(
    name: "habits-widget", dependencies: ["HabitStore", "Tandem"], path: "Tests/Examples/Habits/Widget"),
  .executableTarget(
    name: "shared-list", dependencies: ["Tandem", "TandemSync"], path: "Tests/Examples/SharedList",
    exclude: ["README.md"]),
  .executableTarget(
    name: "guest-book", dependencies: ["Tandem", hummingbird, httpTypes, sockets], path: "Tests/Examples/GuestBook",
    exclude: ["README.md"]),
  .testTarget(
    name: "ExampleTests",
    dependencies: ["guest-book", "habits", "habits-widget", "shared-list", "HelperProcess", "TestSupport"]),
  // The same harnesses as those of tools/fuzz, which builds them again with libFuzzer.
  .testTarget(
    name: "FuzzTests",
    dependencies: [
      "AgeEncryption", "CChecksum", "LMDB", "RecordStore", "RecordSync", "StoreInspection", "MySubGuard",
      "CommandLineTool", "TestSupport", crypto,
    ]),
]

var products: [Product] = [
  .library(name: "LMDB", targets: ["LMDB"]),
  .library(name: "RecordStore", targets: ["RecordStore"]),
  .library(name: "Tandem", targets: ["Tandem"]),
  .library(name: "RecordSync", targets: ["RecordSync"]),
  .library(name: "TandemSync", targets: ["TandemSync"]),
  .library(name: "TandemObservability", targets: ["TandemObservability"]),
  .library(name: "ScenarioRunner", targets: ["ScenarioRunner"]),
  .library(name: "StoreInspection", targets: ["StoreInspection"]),
  .library(name: "SQLiteBridge", targets: ["SQLiteBridge"]),
  .library(name: "TandemBridges", targets: ["TandemBridges"]),
  .library(name: "AppStorePurchases", targets: ["AppStorePurchases"]),
  .library(name: "AppStoreTesting", targets: ["AppStoreTesting"]),
  .library(name: "MySubGuard", targets: ["MySubGuard"]),
  .library(name: "AstroSvitla", targets: ["AstroSvitla"]),
  .library(name: "NatalChartCalculation", targets: ["NatalChartCalculation"]),
  .library(name: "AstroSvitlaCommands", targets: ["AstroSvitlaCommands"]),
  .library(name: "CommandLineTool", targets: ["CommandLineTool"]),
  .library(name: "MySubGuardCommands", targets: ["MySubGuardCommands"]),
  .executable(name: "tandem", targets: ["TandemTool"]),
  .executable(name: "astrosvitla", targets: ["AstroSvitlaTool"]),
  .executable(name: "mysubguard", targets: ["MySubGuardTool"]),
  .executable(name: "mysubguard-widget", targets: ["MySubGuardWidget"]),
]

// The shims exist only where the real frameworks do not.
#if os(Linux)
  // 4: they re-export.
  targets.append(.target(name: "SwiftData", dependencies: ["Tandem"]))
  targets.append(.target(name: "StoreKit", dependencies: ["AppStorePurchases"]))
  products.append(.library(name: "SwiftData", targets: ["SwiftData"]))
  products.append(.library(name: "StoreKit", targets: ["StoreKit"]))
  targets.append(.testTarget(name: "SwiftDataCompatibilityTests", dependencies: ["SwiftData"]))
  // Its declarations belong to the main actor, as those of new apps do.
  targets.append(
    .testTarget(
      name: "MainActorAppTests", dependencies: ["SwiftData"], swiftSettings: [.defaultIsolation(MainActor.self)]))
  // 4: takes the place of the C library's malloc, by the names that glibc gives its own.
  targets.append(.target(name: "AllocationCounter", path: "Tests/Helpers/AllocationCounter"))
  // 6: counted by the tests, which start it and do not link it: their own malloc stays the C library's.
  targets.append(
    .executableTarget(
      name: "allocation-test-helper", dependencies: ["AllocationCounter", "Tandem"],
      path: "Tests/Helpers/AllocationHelper"))
  targets.append(.testTarget(name: "AllocationTests", dependencies: ["HelperProcess"]))
  targets.append(.testTarget(name: "StoreKitCompatibilityTests", dependencies: ["StoreKit", "AppStoreTesting"]))
#endif

// 5: Apple's App Store as a client. On Linux it is compiled against the shim, which shows that it fits.
targets.append(.target(name: "AppleAppStore", dependencies: ["AppStorePurchases", "StoreKit"]))
products.append(.library(name: "AppleAppStore", targets: ["AppleAppStore"]))
#if os(Linux)
  targets.append(
    .testTarget(name: "AppleAppStoreTests", dependencies: ["AppStorePurchases", "AppStoreTesting", "AppleAppStore"]))
#else
  // There, StoreKit is the system's.
  targets.last?.dependencies.removeLast()
#endif

let package = Package(
  name: "tandem",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: products,
  traits: traits,
  // Ranges, so that an app with other packages resolves. Each begins with the version that the tests run with.
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
  ],
  targets: targets,
  swiftLanguageModes: [.v6]
)

// The modules in which the tests spend their time. Where `TANDEM_OPTIMIZED` is set, a debug build optimizes them, too,
// and keeps their assertions. They take three times as long to compile, and the tests of synchronisation half as long.
// A package that depends on this one leaves it unset: the package manager takes no such flags from a dependency.
let optimized: Set =
  Context.environment["TANDEM_OPTIMIZED"] == nil ? [] : ["LMDB", "RecordStore", "RecordSync", "Tandem"]

for target in package.targets where target.type != .system {
  var settings = target.swiftSettings ?? []
  // A warning is a defect found early; it stops the build.
  settings.append(.treatAllWarnings(as: .error))
  // An import stays an implementation detail unless it says `public`.
  settings.append(.enableUpcomingFeature("InternalImportsByDefault"))
  // A file's imports name every module whose members it uses.
  settings.append(.enableUpcomingFeature("MemberImportVisibility"))
  // `any` marks each existential, which costs an allocation or a witness look-up.
  settings.append(.enableUpcomingFeature("ExistentialAny"))
  if optimized.contains(target.name) { settings.append(.unsafeFlags(["-O", "-assert-config", "Debug"])) }
  target.swiftSettings = settings
}
