import Foundation
import RecordStore
import TestSupport
import Testing

@testable import RecordSync

/// People with devices, a folder between them, and one store that they share.
struct SharedDevicesTests {
  private typealias Device = DeviceSyncTests.Device
  private static let place = DeviceSyncTests.place

  private let root: TemporaryFolder
  private let folder: DeviceDirectory

  init() throws {
    root = try TemporaryFolder()
    folder = try DeviceDirectory(root.url)
  }

  private var sync: DeviceSync {
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    return DeviceSync(options: options)
  }

  private func shared(_ device: Device) -> SharedStore { SharedStore(at: device.directory.store(at: Self.place)) }

  @discardableResult
  private func settle(_ devices: Device..., isComplete: Bool = true) async throws -> [DeviceReport] {
    var reports: [DeviceReport] = []
    for device in devices {
      let report = try await sync.synchronize(device.directory, folder: folder)
      #expect(report.isComplete == isComplete, "\(report)")
      reports.append(report)
    }
    return reports
  }

  private func expectEqual(_ devices: Device..., tags: Int) throws {
    for device in devices {
      #expect(try device.dump() == devices[0].dump())
      #expect(try device.dump().count == tags)
      try expectSound(device.opened())
    }
  }

  private func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).sorted()
  }

  /// A founder with a record, and a device for each role.
  private func family(
    _ roles: FamilyRole...
  ) async throws -> (founder: Device, members: [Device]) {
    let founder = try Device()
    try founder.insertTag(1)
    try shared(founder).found(named: "Ann")
    var members: [Device] = []
    for (number, role) in roles.enumerated() {
      let device = try Device(hasStore: false)
      try shared(device).join(shared(founder).invite("member \(number)", as: role))
      members.append(device)
    }
    try await settle(founder)
    return (founder, members)
  }

  @Test func `three devices of two people become equal, and what a reader saves stays on its device`() async throws {
    let (phone, members) = try await family(.writer, .reader)
    let (laptop, tablet) = (members[0], members[1])
    try await settle(laptop, tablet)
    try expectEqual(phone, laptop, tablet, tags: 1)
    try laptop.insertTag(2)
    try await settle(laptop, phone, tablet)
    try expectEqual(phone, laptop, tablet, tags: 2)
    try tablet.insertTag(3)
    let before = try files()
    let report = try await sync.synchronize(tablet.directory, folder: folder)
    #expect(report.isComplete)
    #expect(report.warnings.contains { $0.contains("only reads") && $0.contains("1 transaction)") }, "\(report)")
    #expect(try files() == before)
    try await settle(phone, laptop)
    try expectEqual(phone, laptop, tags: 2)
    #expect(try tablet.dump().count == 3)
    #expect(try await sync.synchronize(phone.directory, folder: folder).isUnchanged)
    let names = try files().joined(separator: "\n")
    for word in [Self.place.group, "example", Self.place.name] { #expect(!names.contains(word), "\(word)") }
  }

  @Test func `a reader who becomes a writer gives what was kept`() async throws {
    let (phone, members) = try await family(.reader)
    let tablet = members[0]
    try await settle(tablet)
    try tablet.insertTag(2)
    try await settle(tablet)
    try shared(tablet).join(shared(phone).invite("member 0", as: .writer))
    try await settle(tablet, phone)
    try expectEqual(phone, tablet, tags: 2)
  }

  /// What a reader has: the secret that opens all files, and files with certificates of writers.
  private func forgeries(_ tablet: Device) throws -> [String: FamilyKey] {
    let file = try #require(try shared(tablet).family())
    let membership = file.membership
    let own = FounderKey()
    func key(_ pen: WriterPen?) -> FamilyKey {
      var key = file.key
      key.membership = Membership(
        family: membership.family, founder: membership.founder, pen: pen, isFounder: true)
      return key
    }
    var forgeries = ["a certificate by itself": key(try own.pen(for: file.family, keyID: file.key.id))]
    // Of a file that a writer has written.
    let opener = FileSeal(file.key, storeID: file.family)
    let exchange = Self.place.exchangeFolder(in: folder.url, key: file.key)
    let stream = try #require(try exchange.knownReplicas().flatMap { try exchange.listing(of: $0).files }.first)
    let sealed = Array(try Data(contentsOf: stream.url))
    let trailer = try #require(SignedTrailer(endOf: try opener.plaintext(of: sealed)))
    forgeries["a writer's certificate"] = key(
      WriterPen(secret: FounderKey().secret, certificate: trailer.certificate))
    return forgeries
  }

  @Test func `files that a reader forges with its key are refused by all, and named`() async throws {
    let (phone, members) = try await family(.writer, .reader)
    let (laptop, tablet) = (members[0], members[1])
    try await settle(laptop, tablet)
    try tablet.insertTag(9)
    for (name, key) in try forgeries(tablet) {
      var options = SyncOptions()
      options.key = key
      let engine = SyncEngine(
        store: try tablet.opened(), at: Self.place, sharedFolder: folder.url, options: options)
      _ = try await engine.sync()
      let own = try tablet.opened().read { try $0.replica }
      #expect(try files().contains { $0.contains("r/\(own)/s/") }, "\(name)")
      for device in [phone, laptop] {
        let report = try await sync.synchronize(device.directory, folder: folder)
        let refused = report.stores.flatMap(\.refused).filter { $0.file.contains("\(own)") }
        #expect(!refused.isEmpty, "\(name): \(report)")
        #expect(refused.allSatisfy { $0.reason.contains("by a writer of the family") }, "\(name): \(refused)")
        #expect(try device.dump().count == 1, "\(name)")
      }
      let exchange = Self.place.exchangeFolder(in: folder.url, key: key)
      try FileManager.default.removeItem(at: exchange.folder(of: own))
      try await settle(phone, laptop)
    }
  }

  @Test func `a file that the secret alone vouches for is refused where the family is shared`() async throws {
    let (phone, members) = try await family(.reader)
    let file = try #require(try shared(members[0]).family())
    var unsigned = file.key
    unsigned.membership = nil
    let seal = FileSeal(unsigned, storeID: file.family)
    let place = "r/0000000000000001/s"
    let sealed = try seal.seal([1, 2, 3], at: place)
    #expect(try seal.open(sealed, at: place, subject: "it") == [1, 2, 3])
    let key = try #require(try shared(phone).family()).key
    let error = #expect(throws: SyncError.self) {
      try FileSeal(key, storeID: file.family).open(sealed, at: place, subject: "the file")
    }
    #expect(error?.code == .foreignFile)
    // And the other way round: what a writer signs is taken for its place alone, byte by byte.
    let signing = FileSeal(key, storeID: file.family)
    let signed = try signing.seal([1, 2, 3], at: place)
    let reader = FileSeal(file.key, storeID: file.family)
    #expect(try reader.open(signed, at: place, subject: "it") == [1, 2, 3])
    #expect(syncErrorCode { _ = try reader.open(signed, at: "r/0000000000000002/s", subject: "it") } == .foreignFile)
    #expect(signed.count == signing.byteCount(ofContent: 3) && signing.contentByteCount(ofFile: signed.count) == 3)
    let refused = #expect(throws: SyncError.self) { try reader.seal([1], at: place) }
    #expect(refused?.code == .readOnly)
  }

  @Test func `a removed person reads nothing new and writes nothing, also with the help of one who stays`() async throws
  {
    let (phone, members) = try await family(.writer, .reader)
    let (laptop, tablet) = (members[0], members[1])
    try await settle(laptop, tablet)
    let before = try #require(try shared(laptop).family())
    let invitations = try shared(phone).remove("member 0")
    #expect(invitations.map(\.name) == ["member 1"])
    try phone.insertTag(2)
    try await settle(phone)
    #expect(try !files().contains { $0.contains(before.key.id) })
    try laptop.insertTag(8)
    let refused = try await sync.synchronize(laptop.directory, folder: folder)
    #expect(refused.stores.first?.failure?.contains("a member was removed") == true, "\(refused)")
    #expect(try laptop.dump().count == 2)
    // The reader lends the new secret, the removed writer its certificate and signing key.
    try shared(tablet).join(invitations[0])
    try await settle(tablet)
    try expectEqual(phone, tablet, tags: 2)
    let now = try #require(try shared(tablet).family())
    var key = now.key
    key.membership = Membership(
      family: now.family, founder: now.membership.founder, pen: before.membership.pen, isFounder: true)
    var options = SyncOptions()
    options.key = key
    _ = try await SyncEngine(
      store: try laptop.opened(), at: Self.place, sharedFolder: folder.url, options: options
    ).sync()
    let report = try await sync.synchronize(phone.directory, folder: folder)
    #expect(!report.stores[0].refused.isEmpty)
    #expect(try phone.dump().count == 2)
    // An old invitation takes nobody back, and replaces no newer one.
    let stale = #expect(throws: SyncError.self) {
      var file = now
      try file.rejoin(
        FamilyInvitation(
          before.key, before.membership, name: "x", from: "Ann", place: "a/b", meeting: nil))
    }
    #expect(stale?.message.contains("older than") == true)
  }

  @Test func `two people with the same group and name in one folder stay apart until one has joined`() async throws {
    let (ann, bob, eve) = (try Device(), try Device(), try Device())
    for (number, device) in [ann, bob, eve].enumerated() { try device.insertTag(UInt64(number + 1)) }
    try shared(ann).found(named: "Ann")
    try shared(bob).found(named: "Bob")
    for _ in 0..<2 { try await settle(ann, bob, eve) }
    for device in [ann, bob, eve] { #expect(try device.dump().count == 1) }
    #expect(try await sync.synchronize(ann.directory, folder: folder).isUnchanged)
    let invitation = try shared(ann).invite("Bob", as: .writer)
    let other = #expect(throws: SyncError.self) { try shared(bob).join(invitation) }
    #expect(other?.message.contains("tandem leave") == true)
    try shared(bob).leave()
    try shared(bob).join(invitation)
    try await settle(bob, ann)
    try expectEqual(ann, bob, tags: 2)
    #expect(try eve.dump().count == 1)
  }

  @Test func `a person joins on two devices and twice on one, and the founder not at all`() async throws {
    let (phone, members) = try await family()
    #expect(members.isEmpty)
    let invitation = try shared(phone).invite("Bob", as: .writer)
    let (laptop, tablet) = (try Device(hasStore: false), try Device(hasStore: false))
    for device in [laptop, laptop, tablet] { try shared(device).join(invitation) }
    try await settle(laptop, tablet)
    try tablet.insertTag(2)
    try await settle(tablet, laptop, phone)
    try expectEqual(phone, laptop, tablet, tags: 2)
    let own = #expect(throws: SyncError.self) { try shared(phone).join(invitation) }
    #expect(own?.message.contains("founded") == true)
    // Somebody who knows the family's id makes an invitation of its own.
    let forged = FounderKey()
    let lure = FamilyInvitation(
      FamilyKey(),
      Membership(family: invitation.family, founder: forged.publicKey, pen: nil, isFounder: false),
      name: "Bob", from: "Ann", place: "a/b", meeting: nil)
    let lured = #expect(throws: SyncError.self) { try shared(laptop).join(lure) }
    #expect(lured?.message.contains("not one of the family's founder") == true)
  }

  @Test func `a writer that joins with records gives them, and a reader keeps them`() async throws {
    let (phone, _) = try await family()
    let (laptop, third, tablet) = (try Device(), try Device(), try Device())
    // The laptop brings also what it has of a device that does not join.
    try third.insertTag(7)
    try laptop.insertTag(2)
    _ = try await sync.synchronize(laptop.directory, third.directory)
    try tablet.insertTag(3)
    try shared(laptop).join(shared(phone).invite("Bob", as: .writer))
    try shared(tablet).join(shared(phone).invite("Eve", as: .reader))
    try await settle(laptop, phone, tablet)
    try expectEqual(phone, laptop, tags: 3)
    #expect(try tablet.dump().count == 4)
  }

  @Test func `a founder whose history is trimmed gives all that it has`() async throws {
    let phone = try Device()
    for number in 1...5 { try phone.insertTag(UInt64(number)) }
    _ = try await settle(phone)
    let store = try phone.opened()
    let last = try store.read { try $0.lastHistoryNumber { $0.dot.sequence < 4 } }
    try store.trimHistory(through: try #require(last))
    try shared(phone).found(named: "Ann")
    let laptop = try Device(hasStore: false)
    try shared(laptop).join(shared(phone).invite("Bob", as: .writer))
    try await settle(phone, laptop)
    try expectEqual(phone, laptop, tags: 5)
    try laptop.insertTag(6)
    try phone.insertTag(7)
    try await settle(laptop, phone, laptop)
    try expectEqual(phone, laptop, tags: 7)
  }

  @Test func `a folder without the family's files is refused before anything is written`() async throws {
    let (phone, members) = try await family(.writer, .reader)
    let other = try TemporaryFolder()
    let wrong = try DeviceDirectory(other.url)
    for member in members {
      let report = try await sync.synchronize(member.directory, folder: wrong)
      #expect(report.stores.first?.failure?.contains("was invited to") == true, "\(report)")
      let plan = try await sync.plan(member.directory, folder: wrong)
      #expect(plan.stores.first?.failure?.contains("was invited to") == true)
      let remote = FolderTransport(other.url)
      let carried = try await sync.synchronize(member.directory, transport: remote)
      #expect(carried.stores.first?.failure?.contains("was invited to") == true, "\(carried)")
    }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: other.url.path) == [])
    try await settle(members[0])
    // A writer that has met the family may bring it to another folder.
    #expect(try await sync.synchronize(members[0].directory, folder: wrong).isComplete)
    #expect(try await sync.synchronize(members[1].directory, folder: wrong).isComplete)
    try expectEqual(phone, members[0], members[1], tags: 1)
  }

  @Test func `who leaves keeps the records, gives them to the devices of the place, and may come back`() async throws {
    let (phone, members) = try await family(.writer)
    let laptop = members[0]
    try await settle(laptop)
    try laptop.insertTag(2)
    try await settle(laptop, phone)
    let invitation = try shared(phone).invite("member 0", as: .writer)
    try shared(laptop).leave()
    #expect(try shared(laptop).leave() == nil)
    let desk = try Device()
    try desk.insertTag(3)
    try phone.insertTag(4)
    try await settle(laptop, desk, laptop, phone)
    // The desk gets what the laptop had from the family, without a device that could bring it.
    try expectEqual(laptop, desk, tags: 3)
    #expect(try phone.dump().count == 3)
    try shared(laptop).join(invitation)
    try await settle(laptop, phone, laptop)
    try expectEqual(laptop, phone, tags: 4)
    try shared(laptop).leave()
    try await settle(laptop, desk)
    try expectEqual(laptop, desk, tags: 4)
  }

  @Test func `a first synchronisation in the family that is cut is finished by the next one`() async throws {
    var point = 0
    var isOver = false
    while !isOver {
      let (root, phone, laptop) = (try TemporaryFolder(), try Device(), try Device())
      let folder = try DeviceDirectory(root.url)
      try phone.insertTag(1)
      try laptop.insertTag(2)
      try shared(phone).found(named: "Ann")
      try shared(laptop).join(shared(phone).invite("Bob", as: .writer))
      isOver = try await !isStopped(at: point) {
        for device in [phone, laptop] { _ = try await sync.synchronize(device.directory, folder: folder) }
      }
      // It may meet a head of the laptop whose files are not there yet.
      _ = try await sync.synchronize(phone.directory, folder: folder)
      for device in [laptop, phone] {
        let report = try await sync.synchronize(device.directory, folder: folder)
        #expect(report.isComplete, "point \(point): \(report)")
      }
      #expect(try phone.dump() == laptop.dump() && phone.dump().count == 2, "point \(point)")
      point += 11
    }
    #expect(point > 11)
  }

  @Test func `a shared store goes over a transport, where a reader brings nothing`() async throws {
    let (phone, members) = try await family(.writer, .reader)
    let shelf = TroubledTransport(folder.url)
    for device in [phone, members[0], members[1]] {
      #expect(try await sync.synchronize(device.directory, transport: shelf).isComplete)
    }
    try expectEqual(phone, members[0], members[1], tags: 1)
    try members[1].insertTag(2)
    _ = shelf.calls
    let report = try await sync.synchronize(members[1].directory, transport: shelf)
    #expect(report.isComplete && report.warnings.contains { $0.contains("only reads") })
    #expect(shelf.calls == ["list"])
    try members[0].insertTag(3)
    for device in [members[0], phone, members[1]] {
      #expect(try await sync.synchronize(device.directory, transport: shelf).isComplete)
    }
    try expectEqual(phone, members[0], tags: 2)
    #expect(try members[1].dump().count == 3)
  }

  @Test func `two directories meet where both have joined to write, and else are told why not`() async throws {
    let (phone, members) = try await family(.writer, .reader)
    #expect(try await sync.synchronize(phone.directory, members[0].directory).isComplete)
    try expectEqual(phone, members[0], tags: 1)
    let reading = try await sync.synchronize(phone.directory, members[1].directory)
    #expect(reading.stores.first?.failure?.contains("only reads") == true, "\(reading)")
    let stranger = try Device()
    try stranger.insertTag(9)
    let strange = try await sync.synchronize(phone.directory, stranger.directory)
    #expect(strange.stores.first?.failure?.contains("tandem join") == true, "\(strange)")
    #expect(try phone.dump().count == 1 && stranger.dump().count == 1)
  }
}
