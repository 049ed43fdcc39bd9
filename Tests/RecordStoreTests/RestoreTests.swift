import Foundation
import HelperProcess
import StoreTables
import TestSupport
import Testing

@testable import RecordStore

/// A backup takes the place of a store.
struct RestoreTests {
  /// A store with ten tags, a backup of it, and two more tags since.
  private final class Home {
    let folder: URL
    let configuration: StoreConfiguration
    var url: URL { folder.appendingPathComponent("shop.store") }
    var backup: URL { folder.appendingPathComponent("shop.backup") }
    private(set) var manifest: BackupManifest?

    init() throws {
      folder = try makeTemporaryFolder()
      configuration = StoreConfiguration(
        url: folder.appendingPathComponent("shop.store"), durability: .unsafeNoFlush, mapSizeBytes: 64 << 20)
      try using { store in
        for number in 1...10 { try insert(UInt64(number), into: store) }
        manifest = try store.backup(to: backup)
        for number in 11...12 { try insert(UInt64(number), into: store) }
      }
    }

    deinit { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }

    func using<Result>(_ body: (RecordStore) throws -> Result) throws -> Result {
      var store: RecordStore? = try RecordStore.open(configuration, schema: .fixture)
      weak let core = store?.core
      let result = try body(#require(store))
      store = nil
      while core != nil { sched_yield() }
      return result
    }

    func insert(_ number: UInt64, into store: RecordStore) throws {
      let names = try FixtureNames(store)
      try store.save(names.insert("Tag", fixtureID(number), ["name": .string("tag \(number)")]))
    }

    func restore(keeping: Bool = true) throws -> RestoredBackup {
      try RecordStore.restore(backupAt: backup, to: configuration, keepingReplaced: keeping)
    }

    var names: [String] {
      get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }
  }

  @Test func `a restored store holds what the backup held, as a new replica, and keeps what it replaced`() throws {
    let home = try Home()
    let (replica, last) = try home.using { store in
      try store.read { (try $0.replica, try $0.lastTransactionNumber) }
    }
    let restored = try home.restore()
    #expect(restored.manifest == home.manifest)
    let replaced = try #require(restored.replaced)
    #expect(replaced.lastPathComponent.hasPrefix("shop.store.replaced-"))
    try home.using { store in
      #expect(try store.isVisible("Tag", fixtureID(10)) && !store.isVisible("Tag", fixtureID(11)))
      #expect(try store.read { try $0.replica } != replica)
      #expect(try store.read { try $0.formerReplicas } == [FormerReplica(replica: replica, reason: .setBack)])
      // A reader that has seen more than the backup has starts anew.
      for number in [1, last] {
        let error = #expect(throws: StoreError.self) { _ = try store.read { try $0.history(after: number) } }
        #expect(error?.code == .historyTokenExpired)
      }
      // What it had to tell others is still there, under the old id.
      var outgoing = 0
      try store.read {
        try $0.forEachOutgoing(of: replica, after: 0) { _ in
          outgoing += 1
          return true
        }
      }
      #expect(outgoing == 10)
      let after = try store.read { try $0.lastTransactionNumber }
      try home.insert(13, into: store)
      #expect(try store.read { try $0.history(after: after).count } == 1)
      try expectSound(store)
      let new = try store.read { try $0.replica }
      #expect(try store.confirmIdentity() == new)
    }
    let kept = try RecordStore.open(StoreConfiguration(url: replaced, isReadOnly: true))
    #expect(try kept.isVisible("Tag", fixtureID(12)))
    #expect(try home.names.count == 3)
  }

  @Test func `a store that is not to be kept goes, and copies from before migrations stay with the store`() throws {
    let home = try Home()
    let copies = home.url.appendingPathComponent("backups/20260101T000000Z-1.0.0")
    try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
    #expect(try home.restore(keeping: false).replaced == nil)
    #expect(try home.names == ["shop.backup", "shop.store"])
    #expect(try RecordStore.backups(of: home.url).count == 1)
  }

  /// A store that was moved to another disk stays there, under both names.
  @Test func `a store and a backup that links lead to are replaced where they lie`() throws {
    let home = try Home()
    let files = FileManager.default
    let disk = home.folder.appendingPathComponent("disk")
    try files.createDirectory(at: disk, withIntermediateDirectories: false)
    func move(_ url: URL) throws {
      let place = disk.appendingPathComponent(url.lastPathComponent)
      try files.moveItem(at: url, to: place)
      try files.createSymbolicLink(at: url, withDestinationURL: place)
    }
    try move(home.url)
    try move(home.backup)
    try home.using { store in
      _ = try store.backup(to: home.backup)
      try home.insert(13, into: store)
    }
    let kept = try #require(try home.restore().replaced)
    #expect(kept.deletingLastPathComponent().lastPathComponent == "disk")
    for url in [home.url, home.backup] {
      #expect(try files.destinationOfSymbolicLink(atPath: url.path) == disk.path + "/" + url.lastPathComponent)
    }
    #expect(try home.using { try $0.isVisible("Tag", fixtureID(12)) })
    #expect(try !home.using { try $0.isVisible("Tag", fixtureID(13)) })
    #expect(try home.restore(keeping: false).replaced == nil)
    #expect(try files.contentsOfDirectory(atPath: disk.path).count == 3)
  }

  @Test func `a missing store, and a destroyed one, are restored`() throws {
    let home = try Home()
    try FileManager.default.removeItem(at: home.url)
    #expect(try home.restore().replaced == nil)
    #expect(try home.using { try $0.isVisible("Tag", fixtureID(10)) })
    try Data(repeating: 7, count: 9000).overwrite(home.url.appendingPathComponent("data.mdb"))
    #expect(try home.restore().replaced != nil)
    #expect(try home.using { try $0.isVisible("Tag", fixtureID(10)) })
  }

  @Test func `a store that is open is not replaced, in this process or another`() throws {
    let home = try Home()
    try home.using { _ in
      let error = #expect(throws: StoreError.self) { _ = try home.restore() }
      #expect(error?.code == .busy)
    }
    let watcher = try HelperProcess("watch-store", home.url.path)
    try watcher.expect("watching")
    let error = #expect(throws: StoreError.self) { _ = try home.restore() }
    #expect(error?.code == .busy)
    #expect(try watcher.finish() == 0)
    #expect(try home.names == ["shop.backup", "shop.store"])
    _ = try home.restore()
  }

  /// An opening that waits for the lock file of the store that is being replaced would get the new data file with it.
  @Test func `processes that open a store while it is replaced share its new lock file`() throws {
    let home = try Home()
    for round in 0..<20 {
      let openers = try (0..<3).map { _ in try HelperProcess("open-store", home.url.path) }
      do {
        _ = try home.restore(keeping: false)
      } catch let error as StoreError {
        #expect(error.code == .busy)
      }
      for opener in openers { #expect(try opener.finish() == 0, "round \(round)") }
      try home.using { try expectSound($0) }
    }
  }

  @Test func `what is no backup, another store's, or damaged is not restored`() throws {
    let home = try Home()
    let before = try home.using { try $0.tables() }
    func expectRefused(_ backup: URL, _ code: StoreError.Code) {
      let error = #expect(throws: StoreError.self) {
        _ = try RecordStore.restore(backupAt: backup, to: home.configuration)
      }
      #expect(error?.code == code, "\(error?.message ?? "")")
    }
    expectRefused(home.folder, .invalidRequest)
    expectRefused(home.url, .invalidRequest)
    let other = try RecordStore.open(
      StoreConfiguration(url: home.folder.appendingPathComponent("other.store")), schema: .fixture)
    try other.backup(to: home.folder.appendingPathComponent("other.backup"))
    expectRefused(home.folder.appendingPathComponent("other.backup"), .invalidRequest)

    var random = SeededGenerator.announced()
    for name in ["data.mdb", "backup"] {
      let file = home.backup.appendingPathComponent(name)
      let sound = try Data(contentsOf: file)
      for _ in 0..<20 {
        var bytes = sound
        bytes[Int.random(in: 10..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        try bytes.write(to: file)
        expectRefused(home.backup, .damaged)
      }
      try sound.prefix(sound.count / 2).write(to: file)
      expectRefused(home.backup, .damaged)
      try sound.write(to: file)
    }
    #expect(try home.using { try $0.tables() } == before)
    #expect(try home.names.allSatisfy { !$0.hasPrefix(".") })
  }

  @Test func `whatever step a restore is killed at, the store is the former one or the backup`() throws {
    let home = try Home()
    var step = 0
    while true {
      let status = try HelperProcess("die-restoring", home.backup.path, home.url.path, "\(step)").finish()
      try home.using { store in
        #expect(try store.isVisible("Tag", fixtureID(10)))
        try expectSound(store)
      }
      if status == 0 { break }
      #expect(status == -SIGKILL)
      step += 1
    }
    #expect(step >= 2)
    _ = try home.restore()
    #expect(try home.names.allSatisfy { !$0.hasPrefix(".") })
  }

  /// Killed before the two changed places, it left its own copy under the name of what was replaced.
  @Test func `whatever step a restore is killed at, only the replaced store ever has the name of one`() throws {
    for step in 0... {
      let home = try Home()
      func replaced() throws -> [URL] {
        try home.names.filter { $0.contains(".replaced-") }.map { home.folder.appendingPathComponent($0) }
      }
      func isFormer(_ url: URL) throws -> Bool {
        try RecordStore.open(StoreConfiguration(url: url, isReadOnly: true)).isVisible("Tag", fixtureID(12))
      }
      let status = try HelperProcess("die-restoring", home.backup.path, home.url.path, "\(step)").finish()
      for url in try replaced() where !url.pathExtension.hasPrefix("unfinished") {
        #expect(try isFormer(url), "step \(step): \(url.lastPathComponent)")
      }
      let wasReplaced = try !home.using { try $0.isVisible("Tag", fixtureID(12)) }
      _ = try home.restore()
      let kept = try replaced()
      #expect(kept.allSatisfy { !$0.pathExtension.hasPrefix("unfinished") }, "step \(step): \(kept)")
      #expect(try home.names.allSatisfy { !$0.hasPrefix(".") }, "step \(step)")
      if status == 0 { return }
      #expect(kept.count == (wasReplaced ? 2 : 1), "step \(step): \(kept)")
      #expect(try kept.filter(isFormer).count == 1, "step \(step)")
    }
  }

  @Test(.enabled(if: HelperProcess.canBecomeAnother, "only root can become another user"))
  func `backups and stores that nobody can write to are read without a lock file`() throws {
    let home = try Home()
    _ = try home.using { try $0.read { try $0.replica } }
    for url in [home.backup, home.url] {
      for name in try FileManager.default.contentsOfDirectory(atPath: url.path)
      where name != "data.mdb" && name != "backup" {
        try FileManager.default.removeItem(at: url.appendingPathComponent(name))
      }
      #expect(chmod(url.appendingPathComponent("data.mdb").path, 0o444) == 0)
      #expect(chmod(url.path, 0o555) == 0)
      for file in ["backup"] { chmod(url.appendingPathComponent(file).path, 0o444) }
      let before = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
      chmod(home.folder.path, 0o755)
      let helper = try HelperProcess.asAnother("read-store", url.path)
      try helper.expect("read")
      #expect(try helper.finish() == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() == before)
      chmod(url.path, 0o700)
    }
  }

  @Test(.enabled(if: HelperProcess.canMount, "only root can mount a disk for reading only"))
  func `a read-only mount is read, unless another mount of it is being written to`() throws {
    let home = try Home()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    let script = """
      mkdir "$2/disk" "$2/view" && mount -t tmpfs tmpfs "$2/disk" && cp -r "$1/shop.store" "$1/shop.backup" "$2/disk"
      mount --bind "$2/disk" "$2/view" && mount -o remount,ro,bind "$2/view"
      "$0" read-store "$2/view/shop.store"; "$0" read-store "$2/view/shop.backup"
      mkfifo "$2/pipe"; "$0" watch-store "$2/disk/shop.store" < "$2/pipe" > "$2/said" & exec 3> "$2/pipe"
      until grep watching "$2/said"; do :; done
      "$0" read-store "$2/view/shop.store"; "$0" read-store "$2/view/shop.backup"
      exec 3>&-; wait
      """
    process.arguments = [
      "-rm", "sh", "-c", script, try HelperProcess.executable().path, home.folder.path, try makeTemporaryFolder().path,
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(text.split(separator: "\n") == ["read", "read", "watching", "busy", "read"])
  }
}
