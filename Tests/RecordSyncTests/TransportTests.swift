import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

/// Device directories, and a transport between them.
struct TransportTests {
  typealias Device = DeviceSyncTests.Device
  static let place = DeviceSyncTests.place

  private let root: TemporaryFolder
  let shelf: TroubledTransport

  init() throws {
    root = try TemporaryFolder()
    let folder = root.url.appending(path: "shelf")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    shelf = TroubledTransport(folder)
  }

  func sync(accepting: Bool = false) -> DeviceSync {
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    options.acceptsForeignDirectories = accepting
    return DeviceSync(options: options)
  }

  @discardableResult
  func settle(_ devices: Device..., isComplete: Bool = true) async throws -> [DeviceReport] {
    var reports: [DeviceReport] = []
    for device in devices {
      let report = try await sync().synchronize(device.directory, transport: shelf)
      #expect(report.isComplete == isComplete, "\(report)")
      reports.append(report)
    }
    return reports
  }

  func expectEqual(_ devices: Device..., tags: Int) throws {
    for device in devices {
      #expect(try device.dump() == devices[0].dump())
      #expect(try device.dump().count == tags)
      try expectSound(device.opened())
    }
  }

  func hand(_ key: FamilyKey?, to devices: Device...) throws {
    for device in devices {
      var file = KeyFile(family: Self.place.familyID)
      file.key = key
      try file.write(to: device.directory.keyFile(at: Self.place))
    }
  }

  @Test func `devices become equal, and a run without news is one list`() async throws {
    let (phone, laptop, fresh) = (try Device(), try Device(), try Device(hasStore: false))
    try phone.insertTag(1)
    try laptop.insertTag(2)
    try await settle(phone)
    #expect(shelf.calls == ["list", "put", "put"], "the marker, then files")
    try await settle(laptop)
    #expect(shelf.calls == ["list", "get", "put"])
    try await settle(phone, laptop, phone, fresh)
    try expectEqual(phone, laptop, fresh, tags: 2)
    try await settle(phone, laptop, fresh)
    _ = shelf.calls
    let reports = try await settle(phone, laptop, fresh)
    #expect(shelf.calls == ["list", "list", "list"])
    #expect(reports.map(\.isUnchanged) == [true, true, true])
    #expect(try FileManager.default.contentsOfDirectory(atPath: phone.root.url.path) == ["group.com.example"])
  }

  @Test func `a device that uses the same place as a folder meets those that use it as a transport`() async throws {
    let (phone, laptop) = (try Device(), try Device(hasStore: false))
    try phone.insertTag(1)
    try await settle(phone)
    let folder = try DeviceDirectory(shelf.folder)
    #expect(try await sync().synchronize(laptop.directory, folder: folder).isComplete)
    try laptop.insertTag(2)
    #expect(try await sync().synchronize(laptop.directory, folder: folder).isComplete)
    try await settle(phone)
    try expectEqual(phone, laptop, tags: 2)
  }

  @Test func `a family with a key shows neither names nor contents, and one without it writes nothing`() async throws {
    let (phone, laptop, stranger) = (try Device(), try Device(), try Device())
    try hand(FamilyKey(), to: phone, laptop)
    try phone.insertTag(1)
    try laptop.insertTag(2)
    try stranger.insertTag(3)
    try await settle(phone, laptop, phone, laptop)
    try expectEqual(phone, laptop, tags: 2)
    let before = try await shelf.files
    #expect(!before.joined().contains("example") && !before.joined().contains("Default"))
    _ = shelf.calls
    try await settle(phone, laptop)
    #expect(shelf.calls == ["list", "list"])
    for _ in 0..<2 {
      let report = try await settle(stranger, isComplete: false)[0]
      #expect(report.stores.first?.failure?.contains("tandem key join") == true, "\(report)")
    }
    // Also where only the marker can be seen yet.
    shelf.trouble.withLock { $0.hidden = { !$0.hasSuffix("STORE") } }
    let report = try await settle(stranger, isComplete: false)[0]
    #expect(report.stores.first?.failure?.contains("tandem key join") == true, "\(report)")
    #expect(try await shelf.files == before)
  }

  @Test func `files of a key that was replaced go once all is there with the new one`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    let key = FamilyKey()
    try hand(key, to: phone, laptop)
    try phone.insertTag(1)
    try await settle(phone, laptop, phone)
    let next = key.rotated()
    try hand(next, to: phone)
    try await settle(phone)
    let strays = try await shelf.files.filter { !($0.contains(next.id) || $0.hasSuffix("STORE")) }
    #expect(strays.isEmpty)
    let refused = try await settle(laptop, isComplete: false)[0]
    #expect(refused.stores.first?.failure?.contains("tandem key") == true, "\(refused)")
    try hand(next, to: laptop)
    try laptop.insertTag(2)
    try await settle(laptop, phone)
    try expectEqual(phone, laptop, tags: 2)
  }

  @Test func `a file that is hidden is missed by name, and taken when it shows`() async throws {
    let (phone, laptop) = (try Device(), try Device(hasStore: false))
    try phone.insertTag(1)
    try await settle(phone, laptop, phone)
    try phone.insertTag(2)
    try await settle(phone)
    let newest = try #require(try await shelf.files.filter { $0.contains("/s/0000000000000002-") }.first)
    shelf.trouble.withLock { $0.hidden = { $0 == newest } }
    let report = try await settle(laptop, isComplete: false)[0]
    #expect(report.stores.first?.devices.values.first?.missing.isEmpty == false, "\(report)")
    shelf.trouble.withLock { $0.hidden = { _ in false } }
    try await settle(laptop)
    try expectEqual(phone, laptop, tags: 2)
  }

  @Test func `a file that is cut short is refused by one device and mended by another that has it`() async throws {
    let (phone, laptop) = (try Device(), try Device(hasStore: false))
    try phone.insertTag(1)
    try await settle(phone, laptop, phone)
    try phone.insertTag(2)
    try await settle(phone)
    let newest = try #require(try await shelf.files.filter { $0.contains("/s/0000000000000002-") }.first)
    let file = shelf.folder.appending(path: newest)
    let whole = try Data(contentsOf: file)
    try whole.prefix(whole.count / 2).write(to: file)
    for _ in 0..<2 {
      let report = try await settle(laptop, isComplete: false)[0]
      #expect(report.stores.first?.refused.isEmpty == false, "\(report)")
    }
    _ = shelf.calls
    _ = try await settle(laptop, isComplete: false)
    #expect(shelf.calls == ["list"], "what was refused is not fetched again")
    try await settle(phone)
    #expect(try Data(contentsOf: file) == whole)
    try await settle(laptop)
    try expectEqual(phone, laptop, tags: 2)
  }

  @Test func `foreign files and copies are left where they are, and are fetched once`() async throws {
    let (phone, laptop) = (try Device(), try Device(hasStore: false))
    try phone.insertTag(1)
    try await settle(phone, laptop, phone, laptop)
    let stream = try #require(try await shelf.files.filter { $0.hasSuffix(".tcs") }.first)
    let file = shelf.folder.appending(path: stream)
    let copy = file.deletingPathExtension().path + " (conflicted copy).tcs"
    try Data(contentsOf: file).write(to: URL(filePath: copy))
    try Data("garbage".utf8).write(to: file.deletingLastPathComponent().appending(path: "notes.tcs"))
    try Data("garbage".utf8).write(to: shelf.folder.appending(path: "notes.txt"))
    let before = try await shelf.files
    try await settle(laptop, isComplete: false)
    _ = shelf.calls
    try await settle(laptop, isComplete: false)
    #expect(shelf.calls == ["list"])
    #expect(try await shelf.files == before)
    try expectEqual(phone, laptop, tags: 1)
  }

  @Test(arguments: ["get", "put", "remove"], [0, 1])
  func `a call that fails in the middle leaves whole files, and the next run ends the work`(
    _ call: String, moved: Int
  ) async throws {
    let (phone, laptop) = (try Device(), try Device())
    try phone.insertTag(1)
    try laptop.insertTag(2)
    try await settle(phone)
    shelf.trouble.withLock { $0.failing = [call: moved] }
    let report = try await sync().synchronize(laptop.directory, transport: shelf)
    if call != "remove" {
      #expect(report.stores.first?.undelivered.first?.contains("broken on purpose") == true, "\(report)")
      #expect(report.stores.first?.failure == nil)
    }
    shelf.trouble.withLock { $0.failing = [:] }
    try await settle(laptop, phone, laptop)
    try expectEqual(phone, laptop, tags: 2)
  }

  private func plant(_ path: String, byteCount: Int) throws {
    let file = shelf.folder.appending(path: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
    #expect(truncate(file.path, off_t(byteCount)) == 0)
  }

  @Test(arguments: [false, true])
  func `a file that is longer than any of its kind is named and not fetched`(hasKey: Bool) async throws {
    let (phone, laptop) = (try Device(), try Device())
    if hasKey { try hand(FamilyKey(secret: Array(repeating: 7, count: 16)), to: phone, laptop) }
    try phone.insertTag(1)
    try await settle(phone, laptop, phone, laptop)
    let hash = String(repeating: "ab", count: 16)
    let family = try #require(try await shelf.files.first { $0.contains("/r/") }?.components(separatedBy: "/r/").first)
    let replica = "\(family)/r/0000000000000001"
    try plant("\(replica)/h/\(HeadName(counter: 7, content: []).text)", byteCount: ReplicaHead.maximumFileBytes + 4096)
    try plant("\(replica)/n/\(hash)-\(hash)/\(SnapshotName.manifest)", byteCount: 100)
    try plant("\(replica)/n/\(hash)-\(hash)/\(SnapshotName.chunk(0))", byteCount: SnapshotChunk.maximumFileBytes + 4096)
    try plant("\(replica)/s/\(ChangeSetName(from: 1, to: 2, hash: .none).text)", byteCount: 2 << 30)
    _ = shelf.calls
    for report in try await settle(laptop, laptop, isComplete: false) {
      let refused = report.stores.flatMap(\.refused).filter { $0.reason.contains("larger than any file of its kind") }
      #expect(refused.count == 3, "\(report)")
      #expect(report.stores[0].failure == nil && report.stores[0].undelivered.isEmpty)
    }
    #expect(shelf.calls == ["list", "list"])
    try laptop.insertTag(2)
    try await settle(laptop, phone, isComplete: false)
    try expectEqual(phone, laptop, tags: 2)
  }

  @Test func `a marker that is longer than any is no word on whether files may be written in clear`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    try hand(FamilyKey(), to: phone)
    try phone.insertTag(1)
    try laptop.insertTag(2)
    try await settle(phone)
    let marker = try #require(try await shelf.files.first { $0.hasSuffix("/STORE") })
    try plant(marker, byteCount: StoreMarker.maximumFileBytes + 1)
    let before = try await shelf.files
    for device in [phone, laptop] {
      _ = shelf.calls
      let report = try await sync().synchronize(device.directory, transport: shelf)
      #expect(report.stores[0].failure != nil, "\(report)")
      #expect(shelf.calls == ["list"])
    }
    #expect(try await shelf.files == before)
  }

  @Test func `a place that cannot be listed throws, and nothing was done`() async throws {
    let phone = try Device()
    try phone.insertTag(1)
    shelf.trouble.withLock { $0.failing = ["list": 0] }
    let error = await #expect(throws: SyncError.self) {
      try await sync().synchronize(phone.directory, transport: shelf)
    }
    #expect(error?.code == .transportFailed)
    let here = try FileManager.default.subpathsOfDirectory(atPath: phone.root.url.path)
    #expect(!here.contains { $0.hasSuffix("STORE") })
  }

  @Test func `own files that were joined go from the place, and those of others stay`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    for number in 1...4 {
      try phone.insertTag(UInt64(number))
      try laptop.insertTag(UInt64(number + 10))
      try await settle(phone, laptop)
    }
    try await settle(phone, laptop)
    let replica = try phone.opened().read { try $0.replica }.description
    let others = try await shelf.files.filter { !$0.contains(replica) && $0.contains("/s/") }
    var options = SyncOptions()
    options.storeID = Self.place.familyID
    options.recreatesMissingFolder = true
    let engine = SyncEngine(
      store: try phone.opened(), folder: phone.directory.exchange(at: Self.place), options: options)
    _ = try await engine.compact()
    let kept = try phone.files().filter { $0.contains("\(replica)/s/") }.map { $0.split(separator: "/").last }
    try await settle(phone)
    let there = try await shelf.files.filter { $0.contains("\(replica)/s/") }.map { $0.split(separator: "/").last }
    #expect(there == kept)
    #expect(try await shelf.files.filter { !$0.contains(replica) && $0.contains("/s/") } == others)
    try await settle(laptop, phone, laptop)
    _ = shelf.calls
    try await settle(phone, laptop)
    #expect(shelf.calls == ["list", "list"])
    try expectEqual(phone, laptop, tags: 8)
  }

  @Test func `heads of the own replica do not gather there`() async throws {
    let phone = try Device()
    for number in 1...6 {
      try phone.insertTag(UInt64(number))
      try await settle(phone)
    }
    #expect(try await shelf.files.filter { $0.hasSuffix(".thd") }.count <= 2)
  }

  @Test func `a place that was emptied is refused, and begun anew when a person says so`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    try phone.insertTag(1)
    try laptop.insertTag(2)
    try await settle(phone, laptop, phone)
    try FileManager.default.removeItem(at: shelf.folder)
    try FileManager.default.createDirectory(at: shelf.folder, withIntermediateDirectories: true)
    let report = try await settle(phone, isComplete: false)[0]
    #expect(report.stores.first?.failure?.contains("--begin-anew") == true, "\(report)")
    #expect(try await shelf.files.isEmpty)
    let plan = try await sync().plan(phone.directory, transport: shelf, beginningAnew: true)
    #expect(plan.stores.map(\.isBegunAnew) == [true])
    #expect(try await sync().synchronize(phone.directory, transport: shelf, beginningAnew: true).isComplete)
    try await settle(laptop, phone)
    try expectEqual(phone, laptop, tags: 2)
  }

  @Test func `files without their marker are waited for`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    try phone.insertTag(1)
    try laptop.insertTag(2)
    try await settle(phone)
    let before = try await shelf.files
    shelf.trouble.withLock { $0.hidden = { $0.hasSuffix("STORE") } }
    let report = try await settle(laptop, isComplete: false)[0]
    #expect(report.stores.first?.failure?.contains("wait") == true, "\(report)")
    #expect(try await shelf.files == before)
  }

  @Test func `a plan says what a run does, and changes nothing`() async throws {
    let (phone, laptop) = (try Device(), try Device(hasStore: false))
    try phone.insertTag(1)
    try await settle(phone)
    try phone.insertTag(2)
    let before = (try await shelf.files, try phone.files())
    let plan = try await sync().plan(phone.directory, transport: shelf)
    #expect(plan.stores.first?.devices.values.first?.transactionsExported == 1, "\(plan)")
    let fresh = try await sync().plan(laptop.directory, transport: shelf)
    #expect(fresh.stores.first?.devices.values.first?.isCreated == true, "\(fresh)")
    #expect(fresh.stores.first?.devices.values.first?.transactionsMerged == 1, "\(fresh)")
    let after = (try await shelf.files, try phone.files())
    #expect(before == after)
    #expect(try FileManager.default.contentsOfDirectory(atPath: laptop.root.url.path).isEmpty)
  }

  @Test func `a place with other things, and one that is missing, need a word`() async throws {
    let phone = try Device()
    try Data("x".utf8).write(to: shelf.folder.appending(path: "letter.txt"))
    let foreign = await #expect(throws: SyncError.self) {
      try await sync().synchronize(phone.directory, transport: shelf)
    }
    #expect(foreign?.code == .foreignDirectory && foreign?.message.contains("letter.txt") == true)
    let nowhere = FolderTransport(root.url.appending(path: "nowhere"))
    let missing = await #expect(throws: SyncError.self) {
      try await sync().synchronize(phone.directory, transport: nowhere)
    }
    #expect(missing?.code == .folderMissing)
    #expect(try await sync(accepting: true).synchronize(phone.directory, transport: nowhere).isComplete)
    #expect(try await nowhere.list()?.isEmpty == false)
  }

  /// The folder around it is missing where a disk is not mounted.
  @Test func `a folder is made as a transport's place only in a folder that is there`() async throws {
    let phone = try Device()
    try phone.insertTag(1)
    let disk = root.url.appending(path: "disk")
    let transport = FolderTransport(disk.appending(path: "shelf"))
    let report = try await sync(accepting: true).synchronize(phone.directory, transport: transport)
    #expect(report.stores.first?.undelivered.first?.contains("neither \(transport.name) is there") == true, "\(report)")
    #expect(!FileManager.default.fileExists(atPath: disk.path))
    try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: false)
    #expect(try await sync(accepting: true).synchronize(phone.directory, transport: transport).isComplete)
    // Used now: missing again, it needs more than that word.
    try FileManager.default.removeItem(at: disk.appending(path: "shelf"))
    let gone = try await sync(accepting: true).synchronize(phone.directory, transport: transport)
    #expect(gone.stores.first?.failure?.contains("held \(Self.place) before") == true, "\(gone)")
    #expect(!FileManager.default.fileExists(atPath: disk.appending(path: "shelf").path))
    let anew = try await sync().synchronize(phone.directory, transport: transport, beginningAnew: true)
    let files = try await transport.list() ?? []
    #expect(anew.isComplete && !files.isEmpty, "\(anew)")
  }

  @Test func `paths that lead out of a folder are not taken from a list`() {
    let paths = ["../x", "/x", "a//b", "a/../b", "a/./b", "", "a\nb", "good/x"]
    let accented = ["../\u{301}x", "a/../\u{301}b", "/\u{301}x", "good/\u{301}y"]
    let listing = TransportListing((paths + accented).map { TransportFile(path: $0, byteCount: 1) })
    #expect(listing.topNames == ["good"])
    #expect(listing.paths(below: "good") == ["good/x", "good/\u{301}y"])
  }
}
