// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nothing that measuring needs reaches a user of Tandem.
let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "tandem", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    // The peer.
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
  ],
  targets: [
    // Peers in C: LMDB alone, SQLite with its session extension, ObjectBox, whose library is loaded at run time.
    .target(
      name: "CPeers",
      cSettings: [.define("SQLITE_ENABLE_SESSION"), .define("SQLITE_ENABLE_PREUPDATE_HOOK")],
      linkerSettings: [
        .linkedLibrary("lmdb"), .linkedLibrary("sqlite3"), .linkedLibrary("dl", .when(platforms: [.linux])),
      ]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "CPeers",
        .product(name: "Tandem", package: "tandem"),
        .product(name: "MySubGuard", package: "tandem"),
        .product(name: "AstroSvitla", package: "tandem"),
        .product(name: "AppStorePurchases", package: "tandem"),
        .product(name: "AppStoreTesting", package: "tandem"),
        .product(name: "LMDB", package: "tandem"),
        .product(name: "RecordStore", package: "tandem"),
        .product(name: "RecordSync", package: "tandem"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: [
        .treatAllWarnings(as: .error), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("ExistentialAny"),
      ]),
  ],
  swiftLanguageModes: [.v6])
