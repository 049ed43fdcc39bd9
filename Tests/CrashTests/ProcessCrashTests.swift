import Foundation
import HelperProcess
import TestSupport
import Testing

/// Real processes on one store: what they may do to each other, and what a killed one leaves.
///
/// The short forms run by default; `tools/test --long` runs them as long as they are promised for.
@Suite(.serialized) struct ProcessCrashTests {
  @Test func `readers see only whole transfers while a writer works`() throws {
    try withBank { store in
      let readers = try (0..<2).map { _ in try HelperProcess("read-bank", store) }
      for reader in readers { try reader.expect("reading") }
      let writer = try HelperProcess("write-bank", store, "1")
      try writer.expect("writing")

      let end = ContinuousClock.now + .seconds(TestLength.isLong ? 10 : 3)
      var acknowledged: [String] = []
      while ContinuousClock.now < end { acknowledged.append(try #require(try writer.line())) }
      #expect(try writer.finish() == 0)
      while let line = try writer.line() { acknowledged.append(line) }

      for reader in readers {
        try reader.closeInput()
        let words = try #require(try reader.line()).split(separator: " ")
        #expect(words.first == "saw")
        #expect(words.last.flatMap { Int($0) } ?? 0 > 0)
        #expect(try reader.finish() == 0)
      }
      try audit(store, writer: "1", acknowledged)
    }
  }

  @Test func `two writers that never pause keep each other's transfers`() throws {
    try withBank { store in
      let writers = try ["1", "2"].map { (name: $0, process: try HelperProcess("write-bank", store, $0)) }
      var acknowledged: [String: [String]] = [:]
      for writer in writers { try writer.process.expect("writing") }
      for _ in 0..<(TestLength.isLong ? 1000 : 100) {
        for writer in writers { acknowledged[writer.name, default: []].append(try #require(try writer.process.line())) }
      }
      for writer in writers { #expect(try writer.process.finish() == 0) }
      for writer in writers { try audit(store, writer: writer.name, try #require(acknowledged[writer.name])) }
    }
  }

  /// Before and after the data file gets its name, and while the new store is opened.
  @Test(arguments: 0..<3)
  func `a creation that is killed leaves a whole store or none`(step: Int) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("creation-\(UUID().uuidString)")
    let store = folder.appendingPathComponent("bank.store")
    let outcome = Result {
      #expect(try HelperProcess("die-creating", store.path, "\(step)").finish() == -SIGKILL)
      let data = store.appendingPathComponent("data.mdb").path
      #expect(FileManager.default.fileExists(atPath: data) == (step > 0))
      let creator = try HelperProcess("create-bank", store.path)
      try creator.expect("created")
      #expect(try creator.finish() == 0)
      try audit(store.path, writer: "1", [])
    }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  @Test func `every acknowledged save survives fifty kills of the writer`() throws {
    try withBank { store in
      var acknowledged: [String] = []
      for _ in 0..<50 {
        let writer = try HelperProcess("write-bank", store, "1")
        try writer.expect("writing")
        for _ in 0..<Int.random(in: 0...12) { acknowledged.append(try #require(try writer.line())) }
        // Spread over the steps of a save.
        usleep(UInt32.random(in: 0...1500))
        writer.kill()
        // What it said before it died was acknowledged.
        while let line = try writer.line() { acknowledged.append(line) }
        try audit(store, writer: "1", acknowledged.suffix(40).map { $0 })
      }
      #expect(acknowledged.count > 50)
      try audit(store, writer: "1", acknowledged)
    }
  }

  @Test func `a process that only watches learns of every commit of another`() throws {
    try withBank { store in
      let watcher = try HelperProcess("watch-store", store)
      try watcher.expect("watching")
      let writer = try HelperProcess("write-bank", store, "1")
      try writer.expect("writing")
      for _ in 0..<20 { _ = try #require(try writer.line()) }
      #expect(try writer.finish() == 0)
      var lines = 20
      while try writer.line() != nil { lines += 1 }

      // One transaction made the accounts, one each transfer; notices may be joined, but the last arrives.
      var last: Int?
      while last != lines + 1 {
        let line = try watcher.line()
        let number = try #require(line.flatMap { Int($0) })
        #expect(number > last ?? 0)
        last = number
      }
      #expect(try watcher.finish() == 0)
    }
  }

  private func audit(_ store: String, writer: String, _ serials: [String]) throws {
    let auditor = try HelperProcess(arguments: ["audit-bank", store, writer] + serials)
    let line = try auditor.line()
    #expect(line?.hasPrefix("sound") == true)
    #expect(try auditor.finish() == 0)
  }

  private func withBank(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("crash-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    let outcome = Result {
      let store = directory.appendingPathComponent("bank.store").path
      let creator = try HelperProcess("create-bank", store)
      try creator.expect("created")
      #expect(try creator.finish() == 0)
      try body(store)
    }
    try FileManager.default.removeItem(at: directory)
    try outcome.get()
  }
}
