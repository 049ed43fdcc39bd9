import Foundation
import HelperProcess
import RecordStore
import TestSupport
import Testing

/// What the world may do to a whole store: each gets one clear error, and leaves the store as it was.
struct StoreTroubleTests {
  @Test func `a save that cannot get the lock is busy, names the holder, and succeeds later`() throws {
    let temporary = try TemporaryStore()
    var configuration = temporary.configuration
    configuration.timeoutSeconds = 0.1
    let store = try RecordStore.open(configuration)
    let request = SaveRequest(attachments: [.init(key: Array("test/key".utf8), value: [1])])

    let holder = try HelperProcess("hold-writer-lock", temporary.store.url.path)
    try holder.expect("held")
    let error = #expect(throws: StoreError.self) { _ = try store.commit(request) }
    #expect(error?.code == .busy)
    #expect(error?.message.contains("process \(holder.processID)") == true)
    #expect(try store.read { try $0.attachment(Array("test/key".utf8)) } == nil)

    holder.kill()
    _ = try store.commit(request)
    #expect(try store.read { try $0.attachment(Array("test/key".utf8)) } == [1])
    try temporary.check()
  }

  /// LMDB waited for it without a limit.
  @Test func `a backup beside a process that stands still in a save is busy, and a compact one is made`() throws {
    let temporary = try TemporaryStore()
    var configuration = temporary.configuration
    configuration.timeoutSeconds = 0.1
    let store = try RecordStore.open(configuration)
    let backup = temporary.store.url.appendingPathExtension("backup")

    let holder = try HelperProcess("stand-in-a-save", temporary.store.url.path)
    try holder.expect("saving")
    let error = #expect(throws: StoreError.self) { try store.backup(to: backup) }
    #expect(error?.code == .busy)
    #expect(error?.message.contains("cannot copy the store at ") == true)
    #expect(error?.message.contains("process \(holder.processID)") == true)
    #expect(!FileManager.default.fileExists(atPath: backup.path))
    try store.backup(to: backup, compacting: true)

    holder.kill()
    try store.backup(to: backup)
    try temporary.check()
  }

  /// A copy by a machine whose clock was wrong: every opening ended the process.
  @Test(arguments: [Int.min, -1, 0, Int.max])
  func `a store is opened whatever the time of its file`(seconds: Int) throws {
    // There, times have 64 bits.
    let folder = URL(fileURLWithPath: "/dev/shm/tandem-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let url = folder.appendingPathComponent("a.store")
    let configuration = StoreConfiguration(url: url, durability: .unsafeNoFlush, mapSizeBytes: 64 << 20)
    var store: RecordStore? = try RecordStore.open(configuration, schema: .fixture)
    #expect(store?.storeID != nil)
    store = nil
    let time = timespec(tv_sec: seconds, tv_nsec: 0)
    #expect(utimensat(AT_FDCWD, url.appendingPathComponent("data.mdb").path, [time, time], 0) == 0)
    let reader = try HelperProcess("read-store", url.path)
    try reader.expect("read")
    #expect(try reader.finish() == 0)
  }

  /// The first save takes the locks, which it finds by the path.
  @Test(arguments: [false, true])
  func `a store that was moved refuses to save where another is in its place`(hasSaved: Bool) throws {
    let folder = try makeTemporaryFolder()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let url = folder.appendingPathComponent("a.store")
    let configuration = StoreConfiguration(url: url, durability: .unsafeNoFlush, mapSizeBytes: 64 << 20)
    func save(_ store: RecordStore) throws {
      _ = try store.commit(SaveRequest(attachments: [.init(key: [1], value: [1])]))
    }
    try save(RecordStore.open(configuration, schema: .fixture))
    let store = try RecordStore.open(configuration)
    if hasSaved { try save(store) }
    try FileManager.default.moveItem(at: url, to: folder.appendingPathComponent("b.store"))
    let other = try RecordStore.open(configuration, schema: .fixture)
    let error = #expect(throws: StoreError.self) { try save(store) }
    #expect(error?.code == .filesReplaced)
    #expect(error?.message.contains("its directory was moved, and another was put in its place") == true)
    #expect(try other.read { try $0.attachment([1]) } == nil)
    #expect(try store.read { try $0.attachment([1]) } == [1])
    try save(other)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/locks")))
  func `a reader that stands still is named, with the commits that it is behind`() throws {
    let temporary = try TemporaryStore()
    let store = temporary.store
    func save() throws { _ = try store.commit(SaveRequest(attachments: [.init(key: [1], value: [1])])) }
    try save()
    #expect(try store.readers().isEmpty)
    let reader = try HelperProcess("read-environment", store.url.path)
    #expect(try reader.line()?.hasPrefix("reading") == true)
    for _ in 0..<3 { try save() }
    let running = try #require(try store.readers().first)
    #expect(running.processIdentifier == reader.processID)
    #expect(running.commitsBehind == 3)
    #expect(!running.isInTheWay)
    kill(reader.processID, SIGSTOP)
    // The signal is delivered; the system takes a moment to say so.
    let deadline = ContinuousClock.now + .seconds(60)
    while try store.readers().first?.isStopped != true, ContinuousClock.now < deadline { usleep(1_000) }
    let stopped = try #require(try store.readers().first)
    #expect(stopped.isInTheWay)
    #expect(stopped.description.contains("process \(reader.processID) (store-test-help"))
    #expect(stopped.description.contains("stopped, 3 commits behind"))
    reader.kill()
    #expect(try store.readers().isEmpty)
    try temporary.check()
  }

  @Test func `processes that create one store at the same time all open the same`() throws {
    for _ in 0..<5 {
      let folder = try makeTemporaryFolder()
      let path = folder.appendingPathComponent("new.store").path
      let helpers = try (0..<4).map { _ in try HelperProcess("open-store", path) }
      let identities = try helpers.map { try $0.line() }
      for helper in helpers { #expect(try helper.finish() == 0) }
      #expect(identities.first != .some(nil))
      #expect(Set(identities).count == 1)
      try FileManager.default.removeItem(at: folder)
    }
  }

  @Test(.enabled(if: canMount))
  func `on a full disk the save fails and every earlier one is kept`() throws {
    let lines = try onTemporaryDisk(
      """
      "$0" create-bank "$disk/bank.store" && "$0" fill-bank "$disk/bank.store"
      """, sizeMegabytes: 3)
    #expect(lines == ["created", "diskFull", "kept"])
  }

  @Test(.enabled(if: canMount))
  func `on a read-only disk the store can be read, and writers are told why not`() throws {
    let lines = try onTemporaryDisk(
      """
      "$0" create-bank "$disk/bank.store" && mount -o remount,ro "$disk" && "$0" open-read-only "$disk/bank.store"
      """, sizeMegabytes: 16)
    #expect(lines == ["created", "readOnlyFileSystem", "read 0"])
  }

  private static let canMount = MachineCommand.succeeds("unshare", "-rm", "true")

  /// Runs a script with `$disk`, a file system in memory that only the script sees, and `$0`, the helper.
  private func onTemporaryDisk(_ script: String, sizeMegabytes: Int) throws -> [String] {
    let whole = """
      disk=$(mktemp -d) && mount -t tmpfs -o size=\(sizeMegabytes)m tmpfs "$disk" && { \(script); }
      status=$?; umount "$disk"; rmdir "$disk"; exit $status
      """
    return try MachineCommand(["unshare", "-rm", "sh", "-c", whole, try HelperProcess.executable().path]).lines
  }
}
