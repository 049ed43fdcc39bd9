import ForeignLayouts
import Foundation
import HelperProcess
import LMDB
import Testing

/// What the world may do to an environment: processes that die, fork or hold every slot, disks that fail.
struct TroubleTests {
  @Test func `a write clears dead readers when the last look was long ago`() throws {
    try withEnvironment({ $0.readerCheckIntervalSeconds = 0 }) { environment in
      let helper = try HelperProcess("read-environment", environment.path)
      try helper.expect("reading 0")
      helper.kill()
      try environment.write { _ = try $0.createDatabase(named: "people") }
      #expect(try environment.checkStaleReaders() == 0)
    }
  }

  @Test func `a dead reader is cleared, and its pages are reused`() throws {
    try withEnvironment({ $0.readerCheckIntervalSeconds = 3600 }) { environment in
      let database = try environment.write { try $0.createDatabase(named: "people") }
      let helper = try HelperProcess("read-environment", environment.path)
      try helper.expect("reading 1")
      helper.kill()
      func commitMany() throws -> Int {
        let value = [UInt8](repeating: 1, count: 500)
        for index in 0..<300 {
          try environment.write { try $0.put(database, key: "\(index % 7)".bytes, value: value) }
        }
        return try environment.information().usedBytes
      }
      let before = try environment.information().usedBytes
      let grown = try commitMany()
      #expect(grown > before + 300 * 4096)
      #expect(try environment.checkStaleReaders() == 1)
      #expect(try environment.checkStaleReaders() == 0)
      #expect(try commitMany() == grown)
    }
  }

  @Test func `when all slots are taken a reader is refused, and gets the slot of one that died`() throws {
    try withEnvironment({ $0.maximumReaders = 2 }) { environment in
      let helpers = try (0..<2).map { _ in
        let helper = try HelperProcess("read-environment", environment.path)
        try helper.expect("reading 0")
        return helper
      }
      // Opening took a slot for a moment and gave it back.
      #expect(errorCode { try environment.read { _ in } } == .readersFull)
      helpers[0].kill()
      try environment.read { _ in }
      try helpers[1].send("go")
      #expect(try helpers[1].finish() == 0)
    }
  }

  /// Both are process 1 of their containers, and the second could not open.
  @Test(.enabled(if: hasNamespaces && ForeignLayout.readers.isOn))
  func `two processes with one id in namespaces of their own share a store`() throws {
    let directory = try TemporaryDirectory()
    var helpers: [HelperProcess] = []
    var numbers: [String] = []
    // The second opens when the first one has.
    for _ in 0..<2 {
      let helper = try HelperProcess(inOwnNamespace: "hold-reader", directory.path)
      numbers.append(try #require(try helper.line()))
      helpers.append(helper)
    }
    #expect(numbers[0] == "1")
    let second = numbers[1].split(separator: " ")
    #expect(second.count == 2)
    #expect(second.contains("1"))
    for (index, helper) in helpers.enumerated() {
      try helper.send("go on")
      try helper.send("\(index)")
      try helper.expect("committed")
    }
    for helper in helpers { #expect(try helper.finish() == 0) }
    let environment = try Environment.open(at: directory.path)
    let people = try #require(try environment.database(named: "people"))
    #expect(try environment.read { try $0.view.statistics(people).entries } == 2)
  }

  /// The slot of the one that died counted as the new one's own, and kept its pages for ever.
  @Test(.enabled(if: hasNamespaces && ForeignLayout.readers.isOn))
  func `a process clears the slot of a dead one that had its id`() throws {
    let directory = try TemporaryDirectory()
    // Keeps the table: a process that is alone makes a new one.
    let environment = try Environment.open(at: directory.path)
    let first = try HelperProcess(inOwnNamespace: "hold-reader", directory.path)
    #expect(try first.line() == "1")
    first.kill()
    let second = try HelperProcess(inOwnNamespace: "hold-reader", directory.path)
    let line = try #require(try second.line())
    #expect(line != "1" && Int32(line) != nil)
    #expect(try !environment.readers().contains { $0.number == 1 })
    #expect(try second.finish() == 0)
  }

  @Test func `readers are listed with the commit that they see, and their process`() throws {
    try withEnvironment { environment in
      let helper = try HelperProcess("read-environment", environment.path)
      try helper.expect("reading 0")
      let reader = try #require(try environment.readers().first { $0.transactionID != nil })
      #expect(reader.number == helper.processID)
      #expect(reader.processID == helper.processID)
      #expect(reader.transactionID == 0)
    }
  }

  @Test func `a forked child is stopped, and its parent goes on`() throws {
    let directory = try TemporaryDirectory()
    let helper = try HelperProcess("use-after-fork", directory.path, environment: ["SWIFT_BACKTRACE": "enable=no"])
    let signal = try #require(try helper.line())
    // A Swift trap is an illegal instruction or a breakpoint, by processor.
    #expect(["signal \(SIGILL)", "signal \(SIGTRAP)"].contains(signal))
    #expect(try helper.finish() == 0)
  }

  @Test(.enabled(if: canMount))
  func `a full disk is called so, and every commit before it is kept`() throws {
    let script = """
      directory=$(mktemp -d) && mount -t tmpfs -o size=3m tmpfs "$directory" && "$0" fill-disk "$directory"
      status=$?; umount "$directory"; rmdir "$directory"; exit $status
      """
    let lines = try MachineCommand(["unshare", "-rm", "sh", "-c", script, try HelperProcess.executable().path]).lines
    #expect(lines == ["diskFull", "kept"])
  }

  @Test func `a process that can open no more files goes on to commit`() throws {
    let directory = try TemporaryDirectory()
    let helper = try HelperProcess("commit-without-descriptors", directory.path, limit: .descriptors(100))
    try helper.expect("committed")
    #expect(try helper.finish() == 0)
    let environment = try Environment.open(at: directory.path)
    let people = try #require(try environment.database(named: "people"))
    #expect(try environment.read { try $0.view.statistics(people).entries } == 10)
  }

  @Test(.enabled(if: canMount))
  func `on a read-only disk writers are refused and readers served`() throws {
    let script = """
      directory=$(mktemp -d) && mount -t tmpfs tmpfs "$directory" && "$0" create-database "$directory" people &&
        mount -o remount,ro "$directory" && "$0" open-on-read-only-disk "$directory" people
      status=$?; umount "$directory"; rmdir "$directory"; exit $status
      """
    let lines = try MachineCommand(["unshare", "-rm", "sh", "-c", script, try HelperProcess.executable().path]).lines
    #expect(lines == ["created", "readOnlyFileSystem", "value"])
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fdinfo")))
  func `a meta page that cannot be written leaves the outcome unknown until the store is opened again`() throws {
    let directory = try TemporaryDirectory()
    var environment: Environment? = try Environment.open(at: directory.path)
    let people = try environment?.write { transaction in
      let people = try transaction.createDatabase(named: "people")
      try transaction.put(people, key: "a".bytes, value: "before".bytes)
      return people
    }
    try breakMetaDescriptor(of: directory.path)
    let failure = errorCode {
      try environment?.write { try $0.put(try #require(people), key: "a".bytes, value: "after".bytes) }
    }
    #expect(failure == .outcomeUnknown)
    #expect(environment?.isUnusable == true)
    #expect(errorCode { try environment?.read { _ in } } == .panic)
    #expect(errorCode { try environment?.write { _ in } } == .panic)
    #expect(errorCode { _ = try Environment.open(at: directory.path) } == .panic)

    environment = nil
    let reopened = try Environment.open(at: directory.path)
    let database = try #require(try reopened.database(named: "people"))
    let value = try reopened.read { try $0.view.get(database, key: "a".bytes)?.text }
    #expect(["before", "after"].contains(value))
    try reopened.write { try $0.put(database, key: "a".bytes, value: "again".bytes) }
  }

  /// Puts a descriptor that cannot be written in the place of the one that LMDB keeps for meta pages.
  private func breakMetaDescriptor(of directory: String) throws {
    let flagDSync = 0o10000
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      // Other threads open and close descriptors meanwhile; one that is gone has no target.
      var target = [UInt8](repeating: 0, count: 4096)
      let length = readlink("/proc/self/fd/\(name)", &target, target.count)
      guard let descriptor = Int32(name), length > 0,
        String(decoding: target.prefix(length), as: UTF8.self) == directory + "/data.mdb"
      else { continue }
      let info = try String(contentsOfFile: "/proc/self/fdinfo/\(name)", encoding: .utf8)
      let flags = info.split(separator: "\n").first { $0.hasPrefix("flags:") }?.split(separator: "\t").last ?? ""
      guard (Int(flags, radix: 8) ?? 0) & flagDSync != 0 else { continue }
      let readOnly = open("/dev/null", O_RDONLY | O_CLOEXEC)
      #expect(dup2(readOnly, descriptor) == descriptor)
      close(readOnly)
      return
    }
    Issue.record("LMDB keeps no descriptor for meta pages")
  }

  private static let canMount = MachineCommand.succeeds("unshare", "-rm", "true")
  private static let hasNamespaces = MachineCommand.succeeds(
    "unshare", "-rpf", "--kill-child", "true")
}
