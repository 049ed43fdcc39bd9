import Foundation
import HelperProcess
import RecordStore
import Synchronization
import TestSupport
import Testing

struct ProcessesLockTests {
  @Test func `a second process gets busy when its time is up, and the lock when the first lets go`() throws {
    try withEmptyDirectory { directory in
      let holder = try HelperProcess("hold-writer-lock", directory.path)
      try holder.expect("held")
      let lock = try WriterLock(store: directory)
      let error = #expect(throws: StoreError.self) { try lock.withLock(timeoutSeconds: 0.05) {} }
      #expect(error?.code == .busy)
      #expect(error?.message.contains(directory.path) == true)
      #expect(error?.message.contains("process \(holder.processID)") == true)
      #expect(error?.message.contains("end that process") == true)
      try holder.send("go")
      try lock.withLock(timeoutSeconds: 30) {}
      #expect(try holder.finish() == 0)
    }
  }

  @Test func `a killed holder never blocks others`() throws {
    try withEmptyDirectory { directory in
      let lock = try WriterLock(store: directory)
      for _ in 0..<5 {
        let holder = try HelperProcess("hold-writer-lock", directory.path)
        try holder.expect("held")
        holder.kill()
        try lock.withLock(timeoutSeconds: 0.5) {}
      }
    }
  }

  @Test(arguments: [Double.infinity, 1e300, .nan, -1]) func `any number is a limit of time`(seconds: Double) throws {
    try withEmptyDirectory { directory in
      try WriterLock(store: directory).withLock(timeoutSeconds: seconds) {}
      let configuration = StoreConfiguration(
        url: directory.appending(path: "waits.store"), timeoutSeconds: seconds)
      let store = try RecordStore.open(configuration, schema: .fixture)
      try store.save(.insert(entity: 0, id: fixtureID(1), fields: [FieldWrite(0, .string("Rome"))]))
      #expect(try store.isVisible("Trip", fixtureID(1)))
    }
  }

  @Test func `two handles of one process exclude each other`() throws {
    try withEmptyDirectory { directory in
      let first = try WriterLock(store: directory)
      let second = try WriterLock(store: directory)
      try first.acquire(timeoutSeconds: 1)
      #expect(storeErrorCode { try second.withLock(timeoutSeconds: 0.02) {} } == .busy)
      first.release()
      try second.withLock(timeoutSeconds: 1) {}
    }
  }

  @Test func `an error inside releases the lock`() throws {
    struct Refused: Error {}
    try withEmptyDirectory { directory in
      let lock = CreationLock(store: directory)
      #expect(throws: Refused.self) { try lock.withLock(timeoutSeconds: 1) { throw Refused() } }
      try CreationLock(store: directory).withLock(timeoutSeconds: 0.5) {}
    }
  }

  @Test func `waiting for the creation lock of a removed directory does not make the old lock believed`() throws {
    try withEmptyDirectory { directory in
      let store = directory.appendingPathComponent("store")
      try FileManager.default.createDirectory(at: store, withIntermediateDirectories: false)
      let lockFile = store.appendingPathComponent("creation.lock")
      let isWaiting = DispatchSemaphore(value: 0)
      let hasEnded = DispatchSemaphore(value: 0)
      let inode = Mutex<Int?>(nil)
      try CreationLock(store: store).withLock(timeoutSeconds: 1) {
        Thread.detachNewThread {
          isWaiting.signal()
          do {
            try CreationLock(store: store).withLock(timeoutSeconds: 20) {
              let attributes = try FileManager.default.attributesOfItem(atPath: lockFile.path)
              inode.withLock { $0 = attributes[.systemFileNumber] as? Int }
            }
          } catch {
            Issue.record(error)
          }
          hasEnded.signal()
        }
        isWaiting.wait()
        try FileManager.default.removeItem(at: lockFile)
      }
      #expect(hasEnded.wait(timeout: .now() + 20) == .success)
      let current = try FileManager.default.attributesOfItem(atPath: lockFile.path)[.systemFileNumber] as? Int
      #expect(inode.withLock { $0 } == current)
    }
  }

  @Test func `processes that lock without a pause lose no update and starve nobody`() throws {
    try withEmptyDirectory { directory in
      try Data("0".utf8).write(to: directory.appendingPathComponent("number"))
      let helpers = try (0..<3).map { _ in try HelperProcess("contend-for-writer-lock", directory.path, "300") }
      for helper in helpers { try helper.expect("done") }
      let number = try String(contentsOf: directory.appendingPathComponent("number"), encoding: .utf8)
      #expect(number == "900")
    }
  }

  @Test func `the lock file is private, and a folder that is missing is named`() throws {
    try withEmptyDirectory { directory in
      let lock = try WriterLock(store: directory)
      let path = directory.appendingPathComponent("writer.lock").path
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
      withExtendedLifetime(lock) {}

      let missing = directory.appendingPathComponent("missing")
      let error = #expect(throws: StoreError.self) { _ = try WriterLock(store: missing) }
      #expect(error?.code == .notFound)
      #expect(error?.message.contains("missing") == true)
    }
  }
}

/// An empty directory that is removed afterwards.
func withEmptyDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("processes-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
  let outcome = Swift.Result { try body(url) }
  try FileManager.default.removeItem(at: url)
  return try outcome.get()
}
