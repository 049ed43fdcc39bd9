import Foundation
import HelperProcess
import Synchronization
import Testing

@testable import LMDB

/// What an opening meets: writers, growing files, other processes that open.
struct OpeningTests {
  /// Two commits between the snapshot and the look at its meta page made an opening say that a sound file was cut
  /// short.
  /// `TANDEM_OPENINGS=100000` makes it a long run.
  @Test(arguments: [16 << 30, 1 << 20])
  func `an opening beside a process that commits, and lets the file grow, is never refused`(mapBytes: Int) throws {
    let directory = try TemporaryDirectory()
    let count = ProcessInfo.processInfo.environment["TANDEM_OPENINGS"] ?? "500"
    var options = Environment.Options()
    options.durability = .unsafeNoSync
    let environment = try Environment.open(at: directory.path, options: options)
    let database = try environment.write { try $0.createDatabase(named: "people") }
    let helper = try HelperProcess("open-repeatedly", directory.path, count, "\(mapBytes)")
    let isDone = Flag()
    let ended = DispatchSemaphore(value: 0)
    let trouble = Mutex<(any Error)?>(nil)
    Thread {
      do {
        try commit(until: isDone, environment, database)
      } catch {
        trouble.withLock { $0 = error }
      }
      ended.signal()
    }.start()
    let helperEnd = Result {
      try helper.expect("opened")
      return try helper.finish()
    }
    // The environment's folder stays until the last commit has ended.
    isDone.set()
    ended.wait()
    if let error = trouble.withLock({ $0 }) { throw error }
    #expect(try helperEnd.get() == 0)
  }

  /// Commits small changes, and every fiftieth time one that the file must grow for.
  private func commit(until isDone: Flag, _ environment: Environment, _ database: Database) throws {
    var number = 0
    while !isDone.isSet {
      number += 1
      // Pages that are allocated and freed in one commit leave the file shorter than its last page number.
      let large = [UInt8](repeating: 1, count: number % 50 == 0 ? 40 << 12 : 100)
      try environment.write { transaction in
        try transaction.put(database, key: "\(number % 7)".bytes, value: large)
        try transaction.put(database, key: "passing".bytes, value: [UInt8](repeating: 2, count: 20 << 12))
        try transaction.delete(database, key: "passing".bytes)
      }
    }
  }

  /// The snapshot's meta page is overwritten by the second commit after it.
  @Test func `a snapshot that was overtaken by two commits says nothing about the length of the file`() throws {
    try withEnvironment { environment in
      let database = try environment.write { try $0.createDatabase(named: "people") }
      let file = try DataFile(directory: environment.path, isReadOnly: true)
      let pages = try #require(try DataFileMeta.newest(file.descriptor)).pageSize
      func commit() throws {
        try environment.write { transaction in
          try transaction.put(database, key: "a".bytes, value: [UInt8](repeating: 1, count: 100))
          try transaction.put(database, key: "large".bytes, value: [UInt8](repeating: 1, count: 40 << 12))
          try transaction.delete(database, key: "large".bytes)
        }
      }
      try commit()
      let id = try environment.read { $0.view.id }
      #expect(
        try isSame(
          DataFileExtent(file.descriptor, directory: environment.path, transactionID: id, pageSize: pages), .whole))
      try commit()
      try commit()
      #expect(
        try isSame(
          DataFileExtent(file.descriptor, directory: environment.path, transactionID: id, pageSize: pages), .unknown))
    }
  }

  private func isSame(_ left: DataFileExtent, _ right: DataFileExtent) -> Bool { "\(left)" == "\(right)" }

  @Test func `a read of the data file that fails throws, and says nothing about the file`() throws {
    let directory = try TemporaryDirectory()
    // A directory has a descriptor, and no bytes to read.
    let descriptor = open(directory.path, O_RDONLY)
    defer { close(descriptor) }
    #expect(errorCode { _ = try DataFileMeta.newest(descriptor) } == .other(EISDIR))
  }

  /// LMDB waits for its lock without a limit.
  @Test func `another process that opens the environment is waited for up to the limit`() throws {
    let directory = try TemporaryDirectory()
    try Environment.open(at: directory.path).write { _ = try $0.createDatabase(named: "people") }
    let lock = open(directory.path + "/lock.mdb", O_RDWR | O_CLOEXEC)
    defer { close(lock) }
    func set(_ type: Int32) -> Int32 {
      var range = flock()
      range.l_type = Int16(type)
      range.l_whence = Int16(SEEK_SET)
      range.l_len = 1
      return fcntl(lock, openFileDescriptionSetLock, &range)
    }
    #expect(set(F_WRLCK) == 0)
    var options = Environment.Options()
    options.openingTimeoutSeconds = 0.05
    #expect(errorCode { _ = try Environment.open(at: directory.path, options: options) } == .timedOut)
    #expect(set(F_UNLCK) == 0)
    #expect(errorCode { _ = try Environment.open(at: directory.path, options: options) } == nil)
  }
}
