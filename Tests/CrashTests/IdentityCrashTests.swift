import Foundation
import HelperProcess
import TestSupport
import Testing

/// Real processes that find out, or are killed while they find out, that their store is not the original.
@Suite(.serialized) struct IdentityCrashTests {
  /// Beyond the last step.
  private static let toTheEnd = 99
  /// Before and after the commit; before the identity file is written, before it gets its name, and after that.
  private static let stepCount = 5

  private func withBank(_ body: (_ folder: URL, _ store: String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("identity-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let outcome = Result {
      let store = folder.appendingPathComponent("bank.store").path
      let creator = try HelperProcess("create-bank", store)
      try creator.expect("created")
      #expect(try creator.finish() == 0)
      try body(folder, store)
    }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  /// The serials that were acknowledged, and the replica id if it came so far.
  private func save(_ store: String, _ serial: Int, stop: Int = toTheEnd) throws -> (Set<String>, String?) {
    let process = try HelperProcess("save-and-export", store, "\(serial)", "\(stop)")
    try process.expect("ready")
    try process.send("go")
    return try outcome(of: process, isKilled: stop != Self.toTheEnd)
  }

  private func outcome(of process: HelperProcess, isKilled: Bool) throws -> (Set<String>, String?) {
    var (serials, replica): (Set<String>, String?) = ([], nil)
    while let line = try process.line() {
      if line.hasPrefix("replica ") { replica = String(line.dropFirst(8)) } else { serials.insert(line) }
    }
    #expect(try process.finish() == (isKilled ? -SIGKILL : 0))
    return (serials, replica)
  }

  private func audit(_ store: String, _ serials: Set<String>) throws {
    let auditor = try HelperProcess(arguments: ["audit-bank", store, "1"] + serials.sorted())
    #expect(try auditor.line()?.hasPrefix("sound") == true)
    #expect(try auditor.finish() == 0)
  }

  @Test(arguments: 0..<stepCount)
  func `a store set back takes one new id, wherever the process that finds out is killed`(step: Int) throws {
    try withBank { _, store throws in
      let data = URL(fileURLWithPath: store).appendingPathComponent("data.mdb")
      let (first, original) = try save(store, 1)
      let backup = try Data(contentsOf: data)
      #expect(try save(store, 2).1 == original)
      // In place, so that the file stays the same one.
      try backup.overwrite(data)
      let (killed, _) = try save(store, 3, stop: step)
      let (second, renewed) = try save(store, 4)
      #expect(renewed != original)
      let (third, kept) = try save(store, 5)
      #expect(kept == renewed)
      try audit(store, first.union(killed).union(second).union(third))
    }
  }

  @Test(arguments: 0..<stepCount)
  func `a killed export of the original leaves it the original`(step: Int) throws {
    try withBank { _, store throws in
      let (first, original) = try save(store, 1)
      let (killed, _) = try save(store, 2, stop: step)
      let (second, kept) = try save(store, 3)
      #expect(kept == original)
      try audit(store, first.union(killed).union(second))
    }
  }

  @Test func `processes that open a copy at the same time agree on one new id`() throws {
    try withBank { folder, store throws in
      let (first, original) = try save(store, 1)
      let copy = folder.appendingPathComponent("copy.store").path
      try FileManager.default.copyItem(atPath: store, toPath: copy)
      let processes = try (0..<4).map { try HelperProcess("save-and-export", copy, "\(10 + $0)", "\(Self.toTheEnd)") }
      for process in processes { try process.expect("ready") }
      for process in processes { try process.send("go") }
      var (serials, replicas) = (first, Set<String?>())
      for process in processes {
        let (saved, replica) = try outcome(of: process, isKilled: false)
        serials.formUnion(saved)
        replicas.insert(replica)
      }
      #expect(replicas.count == 1)
      #expect(!replicas.contains(original))
      try audit(copy, serials)
      #expect(try save(store, 2).1 == original)
    }
  }

  @Test func `a copy keeps one new id over kills at any moment of its first write`() throws {
    try withBank { folder, store throws in
      let (first, original) = try save(store, 1)
      for round in 0..<10 {
        let copy = folder.appendingPathComponent("copy \(round).store").path
        try FileManager.default.copyItem(atPath: store, toPath: copy)
        let process = try HelperProcess("save-and-export", copy, "2", "\(Self.toTheEnd)")
        try process.expect("ready")
        try process.send("go")
        // Spread over the opening, the check and the save.
        usleep(UInt32.random(in: 0...4000))
        process.kill()
        var (serials, said): (Set<String>, String?) = (first, nil)
        while let line = try process.line() {
          if line.hasPrefix("replica ") { said = String(line.dropFirst(8)) } else { serials.insert(line) }
        }
        let (more, renewed) = try save(copy, 3)
        #expect(renewed != original)
        if let said { #expect(renewed == said) }
        try audit(copy, serials.union(more))
      }
    }
  }
}
