import Foundation
import HelperProcess
import Tandem
import Testing

/// What the README's section on packages of one's own rests on. `tools/install-test` builds its example.
struct InstallingTests {
  private func text(_ path: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private func section() throws -> String {
    let readme = try text("README.md")
    let start = try #require(readme.range(of: "\n## In your own package\n"))
    return readme[start.upperBound...].components(separatedBy: "\n## ")[0]
  }

  @Test func `README, changelog and the program name one version`() throws {
    let named = try section().firstMatch(of: /upToNextMinor\(from: "([0-9.]+)"\)/)
    #expect(try #require(named).1 == TandemVersion.current)
    let newest = try text("CHANGELOG.md").firstMatch(of: /\n## ([0-9]+\.[0-9]+\.[0-9]+)/)
    #expect(try #require(newest).1 == TandemVersion.current)
    let program = try MachineCommand([HelperProcess.executable(named: "tandem").path, "--version"])
    #expect(program.lines == ["tandem \(TandemVersion.current)"])
  }

  @Test func `the products and traits that the README names are in the manifest`() throws {
    let (section, manifest) = (try section(), try text("Package.swift"))
    for trait in section.matches(of: /`(?:traits: )?\["([A-Za-z]+)"\]`/) {
      #expect(manifest.contains(".trait(name: \"\(trait.1)\""), "\(trait.1)")
    }
    #expect(section.contains("`traits: [\"Sync\"]`") && section.contains("`[\"Purchases\"]`"))
    for product in ["SwiftData", "TandemSync", "StoreKit", "Tandem"] {
      #expect(manifest.contains(".library(name: \"\(product)\""), "\(product)")
    }
    #expect(section.contains(".product(name: \"SwiftData\", package: \"tandem\")"))
    #expect(manifest.contains("name: \"tandem\""))
  }

  @Test func `the README installs what this package is built with`() throws {
    let command = try #require(try section().firstMatch(of: /\$ apt-get install -y ([a-z0-9 -]+?) +#/)).1
    #expect(Set(command.split(separator: " ").map(String.init)) == BuildPackages.named(in: try text("tools/prepare")))
  }

  @Test func `the README promises what its program prints`() throws {
    let step = try #require(ConsoleStep.steps(of: try section()).last)
    #expect(step.command == "swift run trips")
    #expect(try text("tools/install-test").contains("[ \"$said\" = \"\(step.promised[0])\" ]"))
    #expect(try text("Tests/Examples/Trips/Sources/trips/main.swift").contains("print(\"trips:\", "))
  }
}
