import Foundation
import TestSupport
import Testing

@testable import RecordStore
@testable import RecordSync

/// Devices whose store was restored, salvaged or rebuilt end equal to the others, and nothing has its effect twice.
struct RepairTests {
  private static let place = DeviceDirectory.Place(group: "group.com.example", name: "Shop")

  /// A device directory; its store is open only inside of ``using(_:)``.
  private final class Device {
    let root: TemporaryFolder
    let directory: DeviceDirectory
    var store: URL { directory.store(at: place) }

    init(hasStore: Bool = true) throws {
      root = try TemporaryFolder()
      directory = try DeviceDirectory(root.url)
      let folder = directory.store(at: place).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      guard hasStore else { return }
      var store: RecordStore? = try RecordStore.open(Device.configuration(self.store), schema: .fixture)
      try close(&store)
    }

    static func configuration(_ url: URL) -> StoreConfiguration {
      StoreConfiguration(url: url, durability: .unsafeNoFlush, mapSizeBytes: 64 << 20)
    }

    private func close(_ store: inout RecordStore?) throws {
      weak let core = store?.core
      store = nil
      while core != nil { sched_yield() }
    }

    func using<Result>(_ url: URL? = nil, _ body: (RecordStore) throws -> Result) throws -> Result {
      var store: RecordStore? = try RecordStore.open(Device.configuration(url ?? self.store))
      let result = try body(#require(store))
      try close(&store)
      return result
    }

    func insertTags(_ numbers: ClosedRange<UInt64>) throws {
      try using { store in
        let names = try FixtureNames(store)
        for number in numbers {
          try store.save(
            names.insert(
              "Tag", fixtureID(number), ["name": .string("tag \(number) \(String(repeating: "-", count: 300))")]))
        }
      }
    }

    func purchase(_ key: String) throws -> OnceOutcome? {
      try using { store in
        let names = try FixtureNames(store)
        let change = names.insert("City", fixtureID(1), ["name": .string(key)])
        return try store.commit(SaveRequest(changes: [change], once: try OnceKey(key))).once
      }
    }

    func tags() throws -> Set<UInt64> {
      try using { store in
        try store.read { snapshot in
          guard let tag = snapshot.catalogue.entity(named: "Tag") else { return [] }
          return try Set(snapshot.fetch(RecordQuery(entity: tag.number)).map(\.id.low))
        }
      }
    }

    /// Values of all records by id, as readers see them.
    func content() throws -> [RecordID: [FieldValue]] {
      try using { store in
        try expectSound(store)
        return try store.read { snapshot in
          var content: [RecordID: [FieldValue]] = [:]
          for entity in snapshot.catalogue.entities {
            for image in try snapshot.fetch(RecordQuery(entity: entity.number)) {
              content[image.id] = entity.fields.map { image.value(of: $0) }
            }
          }
          return content
        }
      }
    }

    /// Destroys a leaf of the index over the tags' names.
    func destroyIndexPage() throws {
      let file = store.appendingPathComponent("data.mdb")
      let sound = try Data(contentsOf: file)
      for page in (2..<sound.count / 4096).reversed() {
        var bytes = sound
        bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(count: 4096))
        try bytes.overwrite(file)
        let flaws = try RecordStore.pageFlaws(ofStoreAt: store)
        if !flaws.isEmpty, flaws.allSatisfy({ $0.contains("of table x") }) { return }
      }
      Issue.record("no page of an index was found")
    }

    /// Destroys the page that has a text, and no other.
    func destroyPage(with text: String) throws {
      let file = store.appendingPathComponent("data.mdb")
      var bytes = try Data(contentsOf: file)
      // Of several states of the page the newest is in the tree.
      let place = try #require(bytes.range(of: Data(text.utf8), options: .backwards))
      let start = place.lowerBound / 4096 * 4096
      bytes.replaceSubrange(start..<start + 4096, with: Data(count: 4096))
      try bytes.overwrite(file)
    }
  }

  private func sync(_ left: Device, _ right: Device) async throws -> DeviceReport {
    _ = try await DeviceSync().synchronize(left.directory, right.directory)
    return try await DeviceSync().synchronize(left.directory, right.directory)
  }

  private func expectEqual(_ left: Device, _ right: Device) throws {
    #expect(try left.content() == right.content())
  }

  @Test func `a device that was restored gets back what others have of its later saves, and keeps its own`()
    async throws
  {
    let (phone, laptop) = (try Device(), try Device(hasStore: false))
    try phone.insertTags(1...5)
    let backup = phone.root.url.appendingPathComponent("shop.backup")
    try phone.using { _ = try $0.backup(to: backup) }
    try phone.insertTags(6...8)
    _ = try await sync(phone, laptop)
    try phone.insertTags(9...10)
    #expect(try phone.purchase("credit") == .performed)
    _ = try await sync(phone, laptop)
    let restored = try RecordStore.restore(
      backupAt: backup, to: Device.configuration(phone.store), keepingReplaced: false)
    #expect(restored.manifest.lastTransactionNumber == 5)
    try phone.insertTags(20...21)
    try laptop.insertTags(30...31)
    let report = try await sync(phone, laptop)
    #expect(report.stores.compactMap(\.failure) == [])
    #expect(try phone.tags() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 21, 30, 31])
    #expect(try phone.purchase("credit") == .alreadyDone)
    try expectEqual(phone, laptop)
  }

  /// What was exported and is lost comes back; what was not is said again; what is known has no effect twice.
  @Test func `a salvaged device ends equal to the others, with its saves that nobody else had`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    try phone.insertTags(1...40)
    try laptop.insertTags(100...110)
    #expect(try phone.purchase("first") == .performed)
    _ = try await sync(phone, laptop)
    try phone.insertTags(41...60)
    #expect(try phone.purchase("second") == .performed)
    try phone.using { store in
      let names = try FixtureNames(store)
      try store.save(names.update("Tag", fixtureID(3), ["name": .string("changed")]))
      try store.save(names.delete("Tag", fixtureID(4)))
    }
    let before = try phone.content()
    try phone.destroyPage(with: "tag 20 -")
    let salvaged = phone.root.url.appendingPathComponent("salvaged.store")
    var salvage = try StoreSalvage(of: phone.store)
    try salvage.write(to: Device.configuration(salvaged))
    #expect(!salvage.report.isWhole)
    #expect(salvage.report.repeatedCount > 20)
    try FileManager.default.removeItem(at: phone.store)
    try FileManager.default.moveItem(at: salvaged, to: phone.store)
    #expect(try phone.purchase("first") == .alreadyDone)
    #expect(try phone.purchase("second") == .alreadyDone)
    _ = try await sync(phone, laptop)
    try expectEqual(phone, laptop)
    #expect(try phone.content() == before)
    #expect(try laptop.purchase("second") != nil)
    _ = try await sync(phone, laptop)
    try expectEqual(phone, laptop)
    #expect(try phone.content() == before)
    for device in [phone, laptop] {
      let told = try device.using { store in
        try store.read { snapshot throws in try SnapshotSource(snapshot).chunks(in: snapshot) }
      }
      #expect(told != nil, "what the device knows is of transactions that it counts")
    }
  }

  @Test func `a store of which only derived pages are damaged is salvaged with its outbox`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    try phone.insertTags(1...40)
    _ = try await sync(phone, laptop)
    try phone.insertTags(41...60)
    let before = try phone.content()
    try phone.destroyIndexPage()
    let salvaged = phone.root.url.appendingPathComponent("salvaged.store")
    var salvage = try StoreSalvage(of: phone.store)
    try salvage.write(to: Device.configuration(salvaged))
    #expect(salvage.report.isWhole)
    try FileManager.default.removeItem(at: phone.store)
    try FileManager.default.moveItem(at: salvaged, to: phone.store)
    _ = try await sync(phone, laptop)
    try expectEqual(phone, laptop)
    #expect(try laptop.content() == before)
  }

  /// Which records share a row depends on what authors had seen, which history tells of the newest transactions alone:
  /// salvage called such a store damaged, or could not make it.
  @Test(arguments: [false, true]) func `a sound store whose records share rows is salvaged whole`(
    isEditedAfterwards: Bool
  ) async throws {
    let (phone, laptop) = (try Device(), try Device())
    for (device, base) in [(phone, 0 as UInt64), (laptop, 100)] {
      try device.using { store in
        let names = try FixtureNames(store)
        for number in 1...5 as ClosedRange<UInt64> {
          try store.save(names.insert("Tag", fixtureID(base + number), ["name": .string("tag \(number)")]))
        }
      }
    }
    _ = try await sync(phone, laptop)
    if isEditedAfterwards {
      try phone.using { store in
        let names = try FixtureNames(store)
        try store.save(names.update("Tag", fixtureID(3), ["name": .string("renamed")]))
      }
    }
    let before = try phone.content()
    let salvaged = phone.root.url.appendingPathComponent("salvaged.store")
    var salvage = try StoreSalvage(of: phone.store)
    try salvage.write(to: Device.configuration(salvaged))
    #expect(salvage.report.isWhole && salvage.report.flaws == [])
    try FileManager.default.removeItem(at: phone.store)
    try FileManager.default.moveItem(at: salvaged, to: phone.store)
    #expect(try phone.content() == before)
    _ = try await sync(phone, laptop)
    try expectEqual(phone, laptop)
  }

  @Test func `a destroyed device is rebuilt from its exchange folder`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    let folder = try Device(hasStore: false)
    try phone.insertTags(1...10)
    try laptop.insertTags(11...20)
    for _ in 0..<2 {
      for device in [phone, laptop] {
        _ = try await DeviceSync().synchronize(device.directory, folder: folder.directory)
      }
    }
    try phone.insertTags(21...23)
    let before = try laptop.content()
    let replica = try phone.using { try $0.read { try $0.replica } }
    let last = try phone.using { try $0.read { try $0.lastTransactionNumber } }
    let left = phone.store.deletingLastPathComponent().appending(path: ".Shop.store.exchange.1.\(getpid()).partial")
    try FileManager.default.createDirectory(at: left.appending(path: "of a rebuild"), withIntermediateDirectories: true)
    let outcome = try await StoreRebuild(of: phone.store, from: folder.directory.url).run()
    #expect(!FileManager.default.fileExists(atPath: left.path))
    #expect(outcome.unexported == 3)
    #expect(outcome.lacking == [])
    #expect(outcome.formerReplica == replica.description && outcome.replica != replica.description)
    #expect(
      try outcome.replaced.map { try Set(FileManager.default.contentsOfDirectory(atPath: $0)).contains("data.mdb") }
        == true)
    #expect(try phone.content() == before)
    let error = try phone.using { store in
      #expect(throws: StoreError.self) { _ = try store.read { try $0.history(after: last) } }
    }
    #expect(error?.code == .historyTokenExpired)
    try phone.insertTags(30...31)
    for _ in 0..<2 {
      for device in [phone, laptop] {
        _ = try await DeviceSync().synchronize(device.directory, folder: folder.directory)
      }
    }
    try expectEqual(phone, laptop)
    let hidden = try FileManager.default.contentsOfDirectory(
      atPath: phone.store.deletingLastPathComponent().path
    ).filter { $0.hasPrefix(".") }
    #expect(hidden == [])
  }

  /// A disk that is not mounted is no device that has lost its stores.
  @Test func `a device that has lost all its folders gets the group's by a rebuild, but not its own`() async throws {
    let (phone, folder) = (try Device(), try Device(hasStore: false))
    try phone.insertTags(1...3)
    _ = try await DeviceSync().synchronize(phone.directory, folder: folder.directory)
    let before = try phone.content()
    let group = phone.store.deletingLastPathComponent()
    try FileManager.default.removeItem(at: group)
    let rebuild = StoreRebuild(of: phone.store, from: folder.directory.url)
    #expect(try await rebuild.run().replaced == nil)
    #expect(try phone.content() == before)
    let mode = try FileManager.default.attributesOfItem(atPath: group.path)[.posixPermissions]
    #expect(mode as? Int == 0o700)
    _ = try await DeviceSync().synchronize(phone.directory, folder: folder.directory)

    // Nothing stays of a rebuild that fails.
    try FileManager.default.removeItem(at: group)
    let replicas = folder.directory.exchange(at: Self.place).appending(path: "tandem1-\(Self.place.familyID)/r")
    for replica in try FileManager.default.contentsOfDirectory(at: replicas, includingPropertiesForKeys: nil) {
      try FileManager.default.removeItem(at: replica)
    }
    let empty = await #expect(throws: SyncError.self) { _ = try await rebuild.run() }
    #expect(empty?.code == .folderMissing)
    #expect(!FileManager.default.fileExists(atPath: group.path))
    try FileManager.default.removeItem(at: phone.root.url)
    let missing = await #expect(throws: SyncError.self) { _ = try await rebuild.run() }
    #expect(missing?.code == .unknownDevice)
    #expect(!FileManager.default.fileExists(atPath: phone.root.url.path))
    try FileManager.default.createDirectory(at: phone.root.url, withIntermediateDirectories: false)
  }

  @Test func `a rebuild is refused while the folder lacks what the store had, or the store is open`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    let folder = try Device(hasStore: false)
    try phone.insertTags(1...3)
    _ = try await DeviceSync().synchronize(phone.directory, folder: folder.directory)
    try laptop.insertTags(11...20)
    // Straight to the phone, past the folder; and its own copy of the files is lost.
    _ = try await sync(phone, laptop)
    try FileManager.default.removeItem(at: phone.directory.exchange(at: Self.place))
    let before = try phone.content()
    let missing = await #expect(throws: SyncError.self) {
      _ = try await StoreRebuild(of: phone.store, from: folder.directory.url).run()
    }
    #expect(missing?.code == .folderMissing && missing?.message.contains("transactions 1 to 10 of replica") == true)
    do {
      let store = try RecordStore.open(Device.configuration(phone.store))
      let busy = await #expect(throws: StoreError.self) {
        _ = try await StoreRebuild(of: phone.store, from: laptop.directory.url).run()
      }
      #expect(busy?.code == .busy)
      _ = store.url
    }
    let empty = try Device(hasStore: false)
    let none = await #expect(throws: SyncError.self) {
      _ = try await StoreRebuild(of: phone.store, from: empty.directory.url).run()
    }
    #expect(none?.code == .folderMissing)
    #expect(try phone.content() == before)
  }

  @Test func `a rebuild from another device needs no folder between them`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    try phone.insertTags(1...3)
    try laptop.insertTags(11...20)
    _ = try await sync(phone, laptop)
    let before = try phone.content()
    try Data(repeating: 9, count: 50_000).overwrite(phone.store.appendingPathComponent("data.mdb"))
    let outcome = try await StoreRebuild(of: phone.store, from: laptop.directory.url).run()
    #expect(outcome.unexported == nil)
    #expect(try phone.content() == before)
  }

  /// A change set that was cut off was left out without a word, and so was the end of a stream of which only heads
  /// told: the store that was made lacked them.
  @Test func `a rebuild names files that are cut off, and the end of a stream that heads tell of`() async throws {
    let (phone, laptop, folder) = (try Device(), try Device(), try Device(hasStore: false))
    try phone.insertTags(1...3)
    for device in [phone, laptop] { _ = try await DeviceSync().synchronize(device.directory, folder: folder.directory) }
    try laptop.insertTags(11...12)
    _ = try await DeviceSync().synchronize(laptop.directory, folder: folder.directory)
    let replica = try laptop.using { try $0.read { try $0.replica } }
    let stream = folder.directory.exchange(at: Self.place)
      .appending(path: "tandem1-\(Self.place.familyID)/r/\(replica)/s")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: stream.path).first)
    let file = stream.appending(path: name)
    let whole = try Data(contentsOf: file)
    let missing = "transactions 1 to 2 of replica \(replica) are in no file here"

    try FileManager.default.removeItem(at: phone.store.deletingLastPathComponent())
    try whole.prefix(whole.count / 2).overwrite(file)
    let rebuild = StoreRebuild(of: phone.store, from: folder.directory.url)
    let cut = try await rebuild.run().trouble
    #expect(cut.contains { $0.hasPrefix("refused: r/\(replica)/s/\(name): ") }, "\(cut)")
    #expect(cut.contains { $0.hasPrefix(missing) }, "\(cut)")

    // The device's own copy has it: then nothing is amiss.
    let own = phone.directory.exchange(at: Self.place).appending(path: "tandem1-\(Self.place.familyID)")
    let all = folder.directory.exchange(at: Self.place).appending(path: "tandem1-\(Self.place.familyID)")
    try FileManager.default.createDirectory(at: own.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: all, to: own)
    try whole.overwrite(own.appending(path: "r/\(replica)/s/\(name)"))
    #expect(try await rebuild.run().trouble == [])
    #expect(try phone.content() == laptop.content())

    try FileManager.default.removeItem(at: phone.store.deletingLastPathComponent())
    try FileManager.default.removeItem(at: file)
    let ended = try await rebuild.run().trouble
    #expect(ended.count == 1 && ended[0].hasPrefix(missing), "\(ended)")
  }

  /// They were counted as never exported, too, though others have them.
  @Test func `transactions that a folder lacks are not told as never exported`() async throws {
    let (phone, folder) = (try Device(), try Device(hasStore: false))
    for numbers in [1...3, 4...5] as [ClosedRange<UInt64>] {
      try phone.insertTags(numbers)
      _ = try await DeviceSync().synchronize(phone.directory, folder: folder.directory)
    }
    try phone.insertTags(6...6)
    try FileManager.default.removeItem(at: phone.directory.exchange(at: Self.place))
    let replica = try phone.using { try $0.read { try $0.replica } }
    let stream = folder.directory.exchange(at: Self.place)
      .appending(path: "tandem1-\(Self.place.familyID)/r/\(replica)/s")
    let last = try #require(try FileManager.default.contentsOfDirectory(atPath: stream.path).max())
    try FileManager.default.removeItem(at: stream.appending(path: last))
    var options = StoreRebuild.Options()
    options.acceptsLoss = true
    let outcome = try await StoreRebuild(of: phone.store, from: folder.directory.url, options: options).run()
    #expect(outcome.lacking.count == 1 && outcome.unexported == 1, "\(outcome)")
  }
}
