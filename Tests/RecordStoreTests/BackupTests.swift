import Foundation
import HelperProcess
import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// Backups of a store in use.
struct BackupTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = try makeTemporaryFolder()
    let outcome = Result { try body(folder) }
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  private func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private func insert(_ number: UInt64, into store: RecordStore) throws {
    let names = try FixtureNames(store)
    try store.save(names.insert("Tag", fixtureID(number), ["name": .string("tag \(number)")]))
  }

  @Test(arguments: [false, true])
  func `a backup holds what the store held, and is a store for reading`(isCompact: Bool) throws {
    try withTemporaryStore { store in
      try withFolder { folder in
        for number in 1...50 { try insert(UInt64(number), into: store) }
        let destination = folder.appendingPathComponent("shop.backup")
        let manifest = try store.backup(to: destination, compacting: isCompact)
        try insert(51, into: store)

        #expect(manifest.isCompact == isCompact)
        #expect(manifest.storeID == store.storeID)
        #expect(try manifest.replica == store.read { try $0.replica })
        #expect(try manifest.lastTransactionNumber == store.read { try $0.lastTransactionNumber } - 1)
        #expect(try BackupManifest(ofBackupAt: destination) == manifest)
        let copy = try RecordStore.open(StoreConfiguration(url: destination, isReadOnly: true))
        #expect(try copy.isVisible("Tag", fixtureID(50)) && !copy.isVisible("Tag", fixtureID(51)))
        try expectSound(copy)
        // Neither the backup nor its reader leaves anything beside the data.
        #expect(try names(in: destination) == ["backup", "data.mdb"])
        #expect(try names(in: folder) == ["shop.backup"])
        let error = #expect(throws: StoreError.self) { _ = try RecordStore.open(StoreConfiguration(url: destination)) }
        #expect(error?.code == .readOnly)
      }
    }
  }

  /// The newest entries of history have another place than the others.
  @Test(arguments: [1, 100])
  func `what tells a state of a store from another is its newest transaction, wherever it lies`(count: Int) throws {
    try withTemporaryStore { store in
      for number in 1...UInt64(count) { try insert(number, into: store) }
      let head = try store.read { try CopyHead($0) }
      #expect(head.lastNumber == UInt64(count))
      let newest = try #require(head.newest)
      let entry = try newest.withRawBytes { bytes throws in try HistoryEntry(decoding: bytes) }
      #expect(entry.changes.map(\.id) == [fixtureID(UInt64(count))])
    }
  }

  @Test func `a store in memory can be backed up`() throws {
    try withFolder { folder in
      let store = try RecordStore.open(StoreConfiguration(url: nil), schema: .fixture)
      try insert(1, into: store)
      try store.backup(to: folder.appendingPathComponent("memory.backup"))
      let copy = try RecordStore.open(
        StoreConfiguration(url: folder.appendingPathComponent("memory.backup"), isReadOnly: true))
      #expect(try copy.isVisible("Tag", fixtureID(1)))
    }
  }

  @Test func `a backup replaces an earlier one of the same store`() throws {
    try withTemporaryStore { store in
      try withFolder { folder in
        let destination = folder.appendingPathComponent("shop.backup")
        try insert(1, into: store)
        let first = try store.backup(to: destination)
        let reader = try RecordStore.open(StoreConfiguration(url: destination, isReadOnly: true))
        try insert(2, into: store)
        // The store takes another id; its backups are still its own.
        try store.adopt(storeID: .random())
        try store.renewReplica()
        let second = try store.backup(to: destination)
        #expect(first.lastTransactionNumber < second.lastTransactionNumber)
        #expect(try names(in: folder) == ["shop.backup"])
        // A reader of the earlier one goes on with it.
        #expect(try !reader.isVisible("Tag", fixtureID(2)))
        let later = try RecordStore.open(StoreConfiguration(url: destination, isReadOnly: true))
        #expect(try later.isVisible("Tag", fixtureID(2)))
      }
    }
  }

  @Test func `what is no backup of this store is never replaced`() throws {
    try withTemporaryStore { store in
      try withFolder { folder in
        try Data("mine".utf8).write(to: folder.appendingPathComponent("file"))
        let full = folder.appendingPathComponent("full")
        try FileManager.default.createDirectory(at: full, withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: full.appendingPathComponent("note"))
        let other = try RecordStore.open(
          StoreConfiguration(url: folder.appendingPathComponent("other.store")), schema: .fixture)
        try other.backup(to: folder.appendingPathComponent("other.backup"))
        let before = try names(in: folder)
        for name in ["file", "full", "other.store", "other.backup"] {
          let target = folder.appendingPathComponent(name)
          let error = #expect(throws: StoreError.self, "\(name)") { try store.backup(to: target) }
          #expect(error?.code == .invalidRequest, "\(name)")
        }
        for target in [store.url, store.url.appendingPathComponent("inside")] {
          let error = #expect(throws: StoreError.self) { try store.backup(to: target) }
          #expect(error?.code == .invalidRequest)
        }
        #expect(try names(in: folder) == before)
        #expect(try BackupManifest(ofBackupAt: folder.appendingPathComponent("other.backup"))?.storeID == other.storeID)
        // An empty directory holds nothing that could be lost.
        let empty = folder.appendingPathComponent("empty")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: false)
        try store.backup(to: empty)
        #expect(try names(in: empty) == ["backup", "data.mdb"])
      }
    }
  }

  @Test func `a damaged store is not backed up over a good backup`() throws {
    let temporary = try TemporaryStore()
    try withFolder { folder in
      let destination = folder.appendingPathComponent("shop.backup")
      try insert(1, into: temporary.store)
      let first = try temporary.store.backup(to: destination)
      // One record's last byte, where it lies in the map.
      let file = temporary.store.url.appendingPathComponent("data.mdb")
      var bytes = try Data(contentsOf: file)
      let name = try #require(bytes.range(of: Data("tag 1".utf8), options: .backwards))
      bytes[name.lowerBound] ^= 1
      try bytes.overwrite(file)
      let error = #expect(throws: StoreError.self) { try temporary.store.backup(to: destination) }
      #expect(error?.code == .damaged)
      #expect(try BackupManifest(ofBackupAt: destination) == first)
      #expect(try names(in: folder) == ["shop.backup"])
    }
  }

  @Test func `each backup beside processes that save shows one moment, with all that was acknowledged before`() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("bank.store").path
      #expect(try HelperProcess("create-bank", path).finish() == 0)
      // Beside most of the backups; without an end the store would grow with the time that they take.
      let writers = try (1...2).map { try HelperProcess("write-bank", path, "\($0)", "1000") }
      for writer in writers { try writer.expect("writing") }
      let store = try RecordStore.open(StoreConfiguration(url: URL(fileURLWithPath: path), timeoutSeconds: 60))
      for round in 0..<12 {
        let acknowledged = try writers.map { try $0.line() ?? "nothing" }
        let destination = folder.appendingPathComponent("bank.backup")
        try store.backup(to: destination, compacting: round.isMultiple(of: 2))
        let audit = try HelperProcess("audit-backup", destination.path, acknowledged[0], acknowledged[1])
        try audit.expect("sound")
        #expect(try audit.finish() == 0)
      }
      for writer in writers { #expect(try writer.finish() == 0) }
    }
  }

  @Test func `whatever step a backup is killed at, there is the earlier one or the new one`() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("bank.store").path
      let destination = folder.appendingPathComponent("bank.backup")
      #expect(try HelperProcess("create-bank", path).finish() == 0)
      var (step, known): (Int, UInt64) = (0, 0)
      while true {
        let helper = try HelperProcess("die-backing-up", path, destination.path, "\(step)")
        let status = try helper.finish()
        let manifest = try BackupManifest(ofBackupAt: destination)
        if let manifest {
          let audit = try HelperProcess("audit-backup", destination.path)
          try audit.expect("sound")
          #expect(try audit.finish() == 0)
          #expect(manifest.lastTransactionNumber >= known)
          known = manifest.lastTransactionNumber
        }
        if status == 0 { break }
        #expect(status == -SIGKILL)
        // With the first one there was none before.
        if step == 0 { #expect(manifest == nil) }
        if step == 3 { #expect(manifest != nil) }
        step += 1
      }
      #expect(step >= 4)
      #expect(try names(in: folder).filter { $0.contains("backup") } == ["bank.backup"])
    }
  }

  @Test(.enabled(if: HelperProcess.canMount, "only root can mount a small disk"))
  func `a backup to a full disk leaves the earlier one, and nothing else`() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("bank.store").path
      #expect(try HelperProcess("create-bank", path).finish() == 0)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
      let script = """
        disk="$2/disk"; mkdir "$disk"; mount -t tmpfs -o size=1m tmpfs "$disk"
        "$0" die-backing-up "$1" "$disk/bank.backup" 1000 || exit 1
        head -c 10m /dev/zero > "$disk/filler" 2> /dev/null
        "$0" die-backing-up "$1" "$disk/bank.backup" 1000
        "$0" audit-backup "$disk/bank.backup"; ls -A "$disk"
        """
      process.arguments = ["-rm", "sh", "-c", script, try HelperProcess.executable().path, path, folder.path]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      #expect(text.split(separator: "\n") == ["backed up", "diskFull", "sound", "bank.backup", "filler"])
    }
  }
}
