// swift-tools-version: 6.2
import PackageDescription

// A package of its own, in which every module counts which of its edges a run has taken (libFuzzer) and checks the
// memory that it touches (AddressSanitizer). It has the modules with readers and no more: no macro, so no swift-syntax.
//
// tools/fuzz puts it beside links to the sources: a package's targets must lie below it.

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")

// Assertions stay on, as in the tests: they say where bytes are read that are not there.
let watched: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .unsafeFlags(["-sanitize=fuzzer,address", "-enable-testing", "-assert-config", "Debug"]),
]

let package = Package(
  name: "fuzz",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2")],
  targets: [
    .systemLibrary(name: "CLMDB", path: "Sources/CLMDB", pkgConfig: "lmdb"),
    .systemLibrary(name: "CMessageDigest", path: "Sources/CMessageDigest", pkgConfig: "libmd"),
    .target(name: "CChecksum", path: "Sources/CChecksum"),
    .target(name: "CThreads", path: "Sources/CThreads"),
    .target(name: "ForeignLayouts", path: "Sources/ForeignLayouts"),
    .target(
      name: "AgeEncryption", dependencies: [crypto, cryptoExtras], path: "Sources/AgeEncryption",
      swiftSettings: watched),
    .target(
      name: "LMDB", dependencies: ["CLMDB", "CChecksum", "ForeignLayouts"], path: "Sources/LMDB",
      swiftSettings: watched),
    .target(
      name: "RecordStore", dependencies: ["LMDB", "CChecksum", "CThreads", "ForeignLayouts", "CMessageDigest"],
      path: "Sources/RecordStore", swiftSettings: watched, linkerSettings: [.linkedLibrary("md")]),
    .target(
      name: "RecordSync", dependencies: ["AgeEncryption", "RecordStore", "CChecksum", crypto, cryptoExtras],
      path: "Sources/RecordSync",
      // The trait of the package that it comes from.
      swiftSettings: watched + [.define("Sync")]),
    .target(
      name: "StoreInspection", dependencies: ["RecordStore"], path: "Sources/StoreInspection", swiftSettings: watched),
    // Of these two the readers alone, which know nothing of models.
    .target(
      name: "MySubGuard", path: "Sources/MySubGuard",
      sources: [
        "Lists", "Billing", "Texts", "Prices/PaidCharge.swift", "Prices/PriceHistory.swift", "Prices/PriceStep.swift",
        "SubscriptionDetails.swift", "SubscriptionError.swift",
      ],
      resources: [.embedInCode("Resources/Localizable.en.json"), .embedInCode("Resources/Localizable.fr.json")],
      swiftSettings: watched),
    .target(
      name: "CommandLineTool", dependencies: ["RecordStore", "StoreInspection"], path: "Sources/CommandLineTool",
      sources: ["Expression", "Console/DisplayText.swift", "Console/LocalTime.swift"], swiftSettings: watched),
    .target(
      name: "Harnesses",
      dependencies: [
        "AgeEncryption", "CChecksum", "LMDB", "RecordStore", "RecordSync", "StoreInspection", "MySubGuard",
        "CommandLineTool", crypto,
      ], path: "Harnesses", swiftSettings: watched),
    .executableTarget(
      name: "fuzzer", dependencies: ["Harnesses"], path: "Fuzzer", swiftSettings: watched,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
  ],
  swiftLanguageModes: [.v6])
