import Foundation
import RecordStore
import TestSupport
import Testing

@testable import StoreInspection

/// Once transactions in a dump, from format 2 on.
@Suite struct OnceDumpTests {
  private static let golden = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../SyncFixtures/golden/dump-2/once.jsonl").standardizedFileURL

  private static func lines(of store: RecordStore) throws -> [String] {
    var lines: [String] = []
    try RecordDump.write(store) { lines.append($0) }
    return lines
  }

  private func load(_ file: URL, body: (RecordStore) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let configuration = StoreConfiguration(url: folder.appending(path: "copy.store"), durability: .unsafeNoFlush)
    let reader = try DumpReader(LineReader(try FileHandle(forReadingFrom: file)))
    _ = try RecordLoad.create(configuration, from: reader)
    let store = try RecordStore.open(configuration)
    try body(store)
    try expectSound(store)
  }

  @Test func `a dump of format 2 loads with its ledger, and comes out again as it is`() throws {
    let expected = try String(contentsOf: Self.golden, encoding: .utf8).split(separator: "\n").map(String.init)
    try load(Self.golden) { store throws in
      #expect(try Self.lines(of: store).dropFirst().dropLast() == expected.dropFirst())
      #expect(try store.read { try $0.isDone(OnceKey("purchase 42")) })
      #expect(try store.commit(SaveRequest(once: OnceKey("purchase 42"))).once == .alreadyDone)
    }
  }

  @Test func `edits, deletes and later runs of an effect survive a dump`() throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let key = try OnceKey("purchase \"42\"\n")
      let trip = key.recordID(entity: "Trip", ordinal: 0)
      _ = try store.commit(
        SaveRequest(
          changes: [
            names.insert("Trip", fixtureID(1), ["name": .string("Rome")]),
            names.insert("Stop", fixtureID(2), ["title": .string("Forum"), "trip": .reference(fixtureID(1))]),
          ], once: key))
      try store.save(names.update("Trip", trip, ["rating": .int(5)]))
      try store.save(names.delete("Stop", key.recordID(entity: "Stop", ordinal: 0)))
      let lines = try Self.lines(of: store)
      let file = folder.appending(path: "dump.jsonl")
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
      try load(file) { copy throws in
        #expect(try Self.lines(of: copy).dropFirst() == lines.dropFirst())
      }
    }
  }

  @Test(arguments: [
    #"{"once":"","runs":["0-1-0-0000000000000001"]}"#, #"{"once":"k","runs":[]}"#, #"{"once":"k","runs":["x"]}"#,
    #"{"runs":["0-1-0-0000000000000001"]}"#,
  ])
  func `a line that is no once key is refused`(line: String) throws {
    #expect(throws: InspectionError.self) { try OnceLine(json: try JSON(parsing: line), line: 1) }
  }
}
