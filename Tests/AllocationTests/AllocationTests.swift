import Foundation
import HelperProcess
import Testing

/// How many times malloc is called for what programs do most, counted in a program of its own. Tests are built without
/// optimisation, where generic code makes a few allocations more; `tools/bench --instructions` keeps the others.
@Suite struct AllocationTests {
  /// Of one operation, on average. A tenth covers arrays and tables that grow.
  private static let most = [
    // The object, and its storage with the record's bytes.
    "fetch": 2.0, "point fetch": 16,
    // One each is the unoptimised code's; texts are beyond what a string keeps in itself.
    "number": 1, "date": 1, "bool": 1, "text": 2, "text again": 2,
  ]

  @Test func `fetched objects and read attributes take no more allocations than they did`() throws {
    let counts = try counted()
    #expect(Set(counts.keys) == Set(Self.most.keys))
    for (work, most) in Self.most {
      let count = try #require(counts[work])
      #expect(count <= most + 0.1, "\(work)")
    }
  }

  private func counted() throws -> [String: Double] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tandem-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let helper = try HelperProcess(
      arguments: [folder.appending(path: "charges.store").path], program: "allocation-test-helper")
    var counts: [String: Double] = [:]
    while let line = try helper.line() {
      let parts = line.split(separator: "\t")
      try #require(parts.count == 2)
      let count: Double = try #require(Double(parts[1]))
      counts[String(parts[0])] = count
    }
    return counts
  }
}
