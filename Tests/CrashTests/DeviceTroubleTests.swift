import Foundation
import HelperProcess
import RecordStore
import TestSupport
import Testing

/// Devices and processes that fail in the middle of a step, played by a library that is loaded before the system's.
@Suite(.enabled(if: PreloadedCalls.hasCompiler))
struct DeviceTroubleTests {
  /// What a device, a thin volume and a quota say.
  private static let failures = ["EIO", "ENOSPC", "EDQUOT"]

  /// One whose flushes fail so often, from where the process says that they may.
  private func device(_ library: URL, _ folder: URL, failing code: String, times: Int = 1) -> [String: String] {
    PreloadedCalls.environment(library, below: folder, ["CAMPAIGN_FAULT": "flush \(code) 1 \(times)"])
  }

  private func ask(_ process: HelperProcess, _ word: String, expecting answer: String) throws {
    try process.send(word)
    try process.expect(answer)
  }

  /// `ENOSPC` counted as a full disk, and the next flush succeeded without what the failed one had lost: 39
  /// acknowledged saves were zeros after the power cut.
  @Test(arguments: failures)
  func `after a flush that failed no process commits until it opened the environment anew`(code: String) throws {
    try PreloadedCalls.with { folder, library in
      let other = try HelperProcess("commit-on-request", folder.path)
      try other.expect("found 0")
      try ask(other, "before", expecting: "committed")
      let failing = try HelperProcess(
        "commit-on-request", folder.path, environment: device(library, folder, failing: code))
      try failing.expect("found 1")
      try ask(failing, "fail", expecting: "0")
      try ask(failing, "lost", expecting: "flushFailed")
      for process in [failing, other, failing, other] { try ask(process, "refused", expecting: "panic") }
      // Reading goes on, and sees what was committed.
      try ask(other, "count", expecting: "1")

      // The opening proves the file; a process that has it open from before does not know that.
      let later = try HelperProcess("commit-on-request", folder.path)
      try later.expect("found 1")
      try ask(later, "later", expecting: "committed")
      for process in [failing, other] {
        try ask(process, "refused", expecting: "panic")
        try ask(process, "reopen", expecting: "committed")
        try ask(process, "after", expecting: "committed")
      }
      try ask(later, "count", expecting: "3")
      for process in [other, failing, later] { #expect(try process.finish() == 0) }
    }
  }

  @Test(arguments: failures)
  func `a flush on request that failed is one, too`(code: String) throws {
    try PreloadedCalls.with { folder, library in
      let failing = try HelperProcess(
        "commit-on-request", folder.path, environment: device(library, folder, failing: code))
      try failing.expect("found 0")
      try ask(failing, "before", expecting: "committed")
      try ask(failing, "fail", expecting: "0")
      try ask(failing, "flush", expecting: "flushFailed")
      try ask(failing, "refused", expecting: "panic")
      try ask(failing, "reopen", expecting: "committed")
      try ask(failing, "after", expecting: "committed")
      #expect(try failing.finish() == 0)
    }
  }

  @Test func `an opening that cannot prove the file refuses it, and leaves the mark`() throws {
    try PreloadedCalls.with { folder, library in
      let failing = try HelperProcess(
        "commit-on-request", folder.path, environment: device(library, folder, failing: "EIO", times: 2))
      try failing.expect("found 0")
      try ask(failing, "before", expecting: "committed")
      try ask(failing, "fail", expecting: "0")
      try ask(failing, "lost", expecting: "flushFailed")
      // The proof's own flush is the second that fails.
      try ask(failing, "reopen", expecting: "inputOutput")
      try ask(failing, "reopen", expecting: "committed")
      try ask(failing, "count", expecting: "1")
      #expect(try failing.finish() == 0)
    }
  }

  @Test(arguments: failures)
  func `a save that the device did not take says so, and the next opening has all before it`(code: String) throws {
    try PreloadedCalls.with { folder, library in
      let store = folder.appendingPathComponent("saved.store")
      let saver = try HelperProcess(
        "transfer-until-refused", store.path, environment: device(library, folder, failing: code))
      try saver.expect("10 inputOutput inputOutput")
      #expect(try saver.finish() == 0)
      let serials = (1...10).map { "\($0)" }
      let auditor = try HelperProcess(arguments: ["audit-bank", store.path, "1"] + serials)
      try auditor.expect("sound 10")
      #expect(try auditor.finish() == 0)
    }
  }

  /// The growing map waited for the flush, and the flush for the writer.
  @Test func `a flush that fails while the map grows lets both go on`() throws {
    try PreloadedCalls.with { folder, library in
      let helper = try HelperProcess(
        "flush-while-growing", folder.path, environment: device(library, folder, failing: "EIO", times: 1000))
      let end = try #require(try helper.line())
      #expect(["flushFailed", "panic"].contains(end))
      #expect(try helper.finish() == 0)
    }
  }

  /// A device that failed with little room left was called a full disk, and a short write there an input or output
  /// error.
  @Test(.enabled(if: canMount), arguments: [true, false])
  func `a full disk and a failed flush are told apart where little room is left`(fails: Bool) throws {
    try PreloadedCalls.with { _, library in
      let script = """
        directory=$(mktemp -d) && mount -t tmpfs -o size=8m tmpfs "$directory" &&
          CAMPAIGN_FOLDER="$directory" LD_PRELOAD="$1" "$0" commit-on-nearly-full-disk "$directory" 600000
        status=$?; umount "$directory"; rmdir "$directory"; exit $status
        """
      let run = try MachineCommand(
        ["unshare", "-rm", "sh", "-c", script, try HelperProcess.executable().path, library.path],
        environment: fails ? ["CAMPAIGN_FAULT": "flush EIO 1"] : [:])
      #expect(run.lines == (fails ? ["flushFailed", "panic"] : ["diskFull", "committed"]))
    }
  }

  private static let canMount = MachineCommand.succeeds("unshare", "-rm", "true")

  /// Others waited for it without a limit.
  @Test func `while another process stands still in the middle of opening a store it is busy`() throws {
    try PreloadedCalls.with { folder, library in
      var configuration = StoreConfiguration(url: folder.appendingPathComponent("test.store"))
      _ = try RecordStore.open(configuration, schema: .fixture)
      let stopped = try HelperProcess(
        "open-store", folder.appendingPathComponent("test.store").path,
        environment: PreloadedCalls.environment(library, below: folder, ["CAMPAIGN_STOP": "/lock.mdb"]))
      try stopped.expect("stopping")
      configuration.timeoutSeconds = 0.1
      let error = #expect(throws: StoreError.self) { _ = try RecordStore.open(configuration) }
      #expect(error?.code == .busy)
      #expect(error?.message.contains("end that process") == true)
      stopped.kill()
      _ = try RecordStore.open(configuration)
    }
  }
}
