import Foundation
import HelperProcess
import RecordStore
import TestSupport
import Testing

/// Devices and processes that fail in the middle of a step, played by a library that is loaded before the system's.
@Suite(.enabled(if: WriteLogger.hasCompiler))
struct DeviceTroubleTests {
  /// A flush that succeeds after one that failed says nothing of what the first one lost, so the log stays.
  @Test func `saves that only the log has are done again where the data file could not be flushed`() throws {
    try WriteLogger.with { folder, logger in
      let store = folder.appendingPathComponent("saved.store")
      let saver = try HelperProcess(
        "save-until-refused", store.path, "5",
        environment: ["LD_PRELOAD": logger.path, "POWER_CUT_FAILING": "1000"])
      let words = try #require(try saver.line()).split(separator: " ")
      #expect(try saver.finish() == 0)
      #expect(words.dropFirst() == ["inputOutput", "inputOutput"])
      #expect(try hasRecord(store))
      let last = try #require(words.first.map(String.init))
      #expect(try HelperProcess("check-power-cut", store.path, "5", last, last).finish() == 0)
    }
  }

  /// The system tells of a failed flush once; the next one would succeed, and the log would be erased.
  @Test func `after a flush on request that failed nothing is written, and the log stays`() throws {
    try WriteLogger.with { folder, logger in
      try failFlush(of: folder, logger)
      #expect(try hasRecord(folder))
    }
  }

  /// The system tells some processes alone; another one's flush succeeded, and it erased the log.
  @Test func `after a flush that failed in one process no other one writes until the log was done again`() throws {
    try WriteLogger.with { folder, logger in
      let other = try HelperProcess("commit-on-request", folder.path)
      try other.expect("found 0")
      try failFlush(of: folder, logger)
      let later = try HelperProcess("commit-on-request", folder.path)
      try later.expect("found 2")
      for process in [other, later] {
        for _ in 0..<2 {
          try process.send("commit")
          try process.expect("panic")
        }
        #expect(try hasRecord(folder))
        #expect(try process.finish() == 0)
      }
      #expect(try hasRecord(folder))
      let alone = try HelperProcess("commit-on-request", folder.path)
      try alone.expect("found 2")
      #expect(try !hasRecord(folder))
      try alone.send("commit")
      try alone.expect("committed")
      #expect(try alone.finish() == 0)
    }
  }

  /// It seemed to be erased, and whoever wrote next could write over pages that it needs on the device.
  @Test func `a log whose erasing could not be flushed is there for others`() throws {
    try WriteLogger.with { folder, logger in
      let helper = try HelperProcess(
        "log-until-flush-fails", folder.path, "people", "rest",
        environment: ["LD_PRELOAD": logger.path, "POWER_CUT_FAILING_LOG": "1000"])
      try helper.expect("inputOutput")
      #expect(try hasRecord(folder))
      #expect(try helper.finish() == 0)
      let other = try HelperProcess("commit-on-request", folder.path)
      try other.expect("found 2")
      try other.send("commit")
      try other.expect("committed")
      #expect(try other.finish() == 0)
    }
  }

  /// On a file system that writes to new places, what is written over needs room as well.
  @Test func `saves go on where there is no room to write to a log that is there`() throws {
    try WriteLogger.with { folder, logger in
      let helper = try HelperProcess(
        "log-and-tell", folder.path, "100", environment: ["LD_PRELOAD": logger.path, "POWER_CUT_FULL": "1000"])
      try helper.expect("committed")
      #expect(try helper.finish() == 0)
    }
  }

  /// Others waited for it without a limit.
  @Test func `while another process stands still in the middle of opening a store it is busy`() throws {
    try WriteLogger.with { folder, logger in
      var configuration = StoreConfiguration(url: folder.appendingPathComponent("test.store"))
      _ = try RecordStore.open(configuration, schema: .fixture)
      let stopped = try HelperProcess(
        "open-store", folder.appendingPathComponent("test.store").path,
        environment: ["LD_PRELOAD": logger.path, "POWER_CUT_STOPPING": ""])
      try stopped.expect("stopping")
      configuration.timeoutSeconds = 0.1
      let error = #expect(throws: StoreError.self) { _ = try RecordStore.open(configuration) }
      #expect(error?.code == .busy)
      #expect(error?.message.contains("end that process") == true)
      stopped.kill()
      _ = try RecordStore.open(configuration)
    }
  }

  private func failFlush(of directory: URL, _ logger: URL) throws {
    let helper = try HelperProcess(
      "log-until-flush-fails", directory.path, "people", "flush",
      environment: ["LD_PRELOAD": logger.path, "POWER_CUT_FAILING": "1000"])
    try helper.expect("inputOutput")
    try helper.expect("panic")
    #expect(try helper.finish() == 0)
  }

  private func hasRecord(_ directory: URL) throws -> Bool {
    try Data(contentsOf: directory.appendingPathComponent("redo.log")).prefix(4) == Data("TRDO".utf8)
  }
}
