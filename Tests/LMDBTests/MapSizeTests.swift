import Foundation
import HelperProcess
import TestSupport
import Testing

@testable import LMDB

struct MapSizeTests {
  private let megabyte = [UInt8](repeating: 1, count: 1 << 20)

  @Test func `a full map grows and the write runs again from its beginning`() throws {
    try withEnvironment({ $0.mapSizeBytes = 1 << 20 }) { environment in
      var runs = 0
      let database = try environment.write { transaction in
        runs += 1
        let database = try transaction.createDatabase(named: "filling")
        for index in 0..<10 { try transaction.put(database, key: "\(index)".bytes, value: megabyte) }
        return database
      }
      #expect(runs == 5)
      #expect(try environment.information().mapSizeBytes == 16 << 20)
      #expect(try environment.read { try $0.view.statistics(database).entries } == 10)
    }
  }

  @Test func `a full map is noticed even when the closure hides the error in a nested transaction`() throws {
    try withEnvironment({ $0.mapSizeBytes = 1 << 20 }) { environment in
      var failures = 0
      let database = try environment.write { transaction in
        let database = try transaction.createDatabase(named: "filling")
        for index in 0..<4 {
          do {
            try transaction.nested { try $0.put(database, key: "\(index)".bytes, value: megabyte) }
          } catch {
            failures += 1
          }
        }
        return database
      }
      #expect(failures > 0)
      #expect(try environment.read { try $0.view.statistics(database).entries } == 4)
    }
  }

  @Test func `a map that may not grow refuses the write, and the store is as it was`() throws {
    try withEnvironment({ ($0.mapSizeBytes, $0.maximumMapSizeBytes) = (1 << 20, 4 << 20) }) { environment in
      let database = try environment.write { transaction in
        let database = try transaction.createDatabase(named: "filling")
        try transaction.put(database, key: "kept".bytes, value: "1".bytes)
        return database
      }
      let code = errorCode {
        try environment.write { transaction in
          for index in 0..<10 { try transaction.put(database, key: "\(index)".bytes, value: megabyte) }
        }
      }
      #expect(code == .mapFull)
      #expect(try environment.read { try $0.view.statistics(database).entries } == 1)
      try environment.write { try $0.put(database, key: "more".bytes, value: megabyte) }
      #expect(try environment.read { try $0.view.statistics(database).entries } == 2)
    }
  }

  @Test func `growing waits for running readers, and new ones wait for it`() throws {
    try withEnvironment({ $0.mapSizeBytes = 1 << 20 }) { environment in
      let database = try environment.write { try $0.createDatabase(named: "filling") }
      let isReading = DispatchSemaphore(value: 0)
      let mayEnd = DispatchSemaphore(value: 0)
      let readerEnded = Flag()
      let reader = Thread {
        do {
          try environment.read { transaction in
            isReading.signal()
            mayEnd.wait()
            // The old map must still be there.
            #expect(try transaction.view.get(database, key: "0".bytes) == nil)
            // A read inside a read passes the closed gate.
            try environment.read { _ in }
            readerEnded.set()
          }
        } catch {
          Issue.record(error)
        }
      }
      reader.start()
      isReading.wait()
      var runs = 0
      try environment.write { transaction in
        runs += 1
        let hasEnded = readerEnded.isSet
        if runs == 2 { #expect(hasEnded) }
        if runs == 1 { mayEnd.signal() }
        for index in 0..<3 { try transaction.put(database, key: "\(index)".bytes, value: megabyte) }
      }
      #expect(runs > 1)
      #expect(try environment.read { try $0.view.statistics(database).entries } == 3)
    }
  }

  @Test(.timeLimit(.minutes(TestLength.minutesUntilHung)))
  func `a thread that met the old map waits for no reader once another thread has changed it`() throws {
    try withEnvironment({ $0.mapSizeBytes = 1 << 20 }) { environment in
      try environment.growMap(from: 1 << 20)
      let isReading = DispatchSemaphore(value: 0)
      let mayEnd = DispatchSemaphore(value: 0)
      let hasEnded = DispatchSemaphore(value: 0)
      let reader = Thread {
        defer { hasEnded.signal() }
        do {
          try environment.read { _ in
            isReading.signal()
            mayEnd.wait()
          }
        } catch {
          Issue.record(error)
        }
      }
      reader.start()
      isReading.wait()
      // Would wait for the reader, which ends only afterwards.
      try environment.growMap(from: 1 << 20)
      try environment.adoptMapSize(from: 1 << 20)
      mayEnd.signal()
      hasEnded.wait()
      #expect(try environment.information().mapSizeBytes == 2 << 20)
    }
  }

  @Test func `readers on many threads survive a map that grows again and again`() async throws {
    let directory = try TemporaryDirectory()
    var options = Environment.Options()
    (options.mapSizeBytes, options.durability) = (1 << 20, .unsafeNoSync)
    let environment = try Environment.open(at: directory.path, options: options)
    let database = try environment.write { try $0.createDatabase(named: "filling") }
    let isDone = Flag()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          while !isDone.isSet {
            try environment.read { transaction in
              let entries = try transaction.view.statistics(database).entries
              for index in 0..<entries {
                #expect(try transaction.view.get(database, key: "\(index)".bytes)?.count == 1 << 20)
              }
            }
          }
        }
      }
      for index in 0..<40 {
        try environment.write { try $0.put(database, key: "\(index)".bytes, value: megabyte) }
      }
      isDone.set()
      try await group.waitForAll()
    }
    #expect(try environment.information().mapSizeBytes == 64 << 20)
    withExtendedLifetime(directory) {}
  }

  @Test func `reads and writes follow another process that enlarged the file`() throws {
    for isReadFirst in [true, false] {
      try withEnvironment({ $0.mapSizeBytes = 1 << 20 }) { environment in
        let helper = try HelperProcess("fill-environment", environment.path, "filling", "5")
        try helper.expect("filled")
        if !isReadFirst { try environment.write { _ = try $0.createDatabase(named: "own") } }
        let database = try #require(try environment.database(named: "filling"))
        #expect(try environment.read { try $0.view.statistics(database).entries } == 5)
        try environment.write { try $0.put(database, key: "own".bytes, value: "1".bytes) }
        #expect(try environment.read { try $0.view.statistics(database).entries } == 6)
      }
    }
  }

  @Test func `a read inside an older read cannot follow and says so`() throws {
    try withEnvironment({ $0.mapSizeBytes = 1 << 20 }) { environment in
      try environment.read { _ in
        let helper = try HelperProcess("fill-environment", environment.path, "filling", "5")
        try helper.expect("filled")
        #expect(errorCode { try environment.read { _ in } } == .mapResized)
        #expect(errorCode { _ = try environment.database(named: "filling") } == .mapResized)
      }
      #expect(try environment.database(named: "filling") != nil)
    }
  }

  @Test func `a limit of address space means a smaller map`() throws {
    let directory = try TemporaryDirectory()
    let helper = try HelperProcess("describe-environment", directory.path, limit: .addressSpaceBytes(6 << 30))
    let size = try helper.line()
    #expect(size == "\(4 << 30)")
    #expect(try helper.finish() == 0)
  }
}
