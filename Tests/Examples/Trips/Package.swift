// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "trips",
  dependencies: [.package(url: "https://example.org/tandem.git", .upToNextMinor(from: "0.1.0"), traits: [])],
  targets: [.executableTarget(name: "trips", dependencies: [.product(name: "SwiftData", package: "tandem")])])
