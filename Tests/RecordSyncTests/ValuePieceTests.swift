import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

/// Large values that travel in pieces over a transport.
struct ValuePieceTests {
  private typealias Device = LargeValueDeviceTests.Device
  private static let place = LargeValueDeviceTests.place

  private let root: TemporaryFolder
  private let shelf: TroubledTransport

  init() throws {
    root = try TemporaryFolder()
    let folder = root.url.appending(path: "shelf")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    shelf = TroubledTransport(folder)
  }

  private func sync(maximumBytes: Int? = nil) -> DeviceSync {
    var options = DeviceSync.Options()
    options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
    options.maximumBytes = maximumBytes
    return DeviceSync(options: options)
  }

  @discardableResult
  private func settle(_ devices: Device..., isComplete: Bool = true) async throws -> [DeviceReport] {
    var reports: [DeviceReport] = []
    for device in devices {
      let report = try await sync().synchronize(device.directory, transport: shelf)
      #expect(report.isComplete == isComplete, "\(report)")
      reports.append(report)
    }
    return reports
  }

  private func hand(_ key: FamilyKey, to devices: Device...) throws {
    for device in devices {
      var file = KeyFile(family: Self.place.familyID)
      file.key = key
      try file.write(to: device.directory.keyFile(at: Self.place))
    }
  }

  /// Three pieces, the last one short, no two of them alike.
  private static func image(_ seed: UInt8) -> Data {
    var image = Data(capacity: 2 * ValueSlice.pieceBytes + 1_000)
    for index in 0..<3 as Range<UInt8> {
      image.append(Data(repeating: seed &+ index, count: index == 2 ? 1_000 : ValueSlice.pieceBytes))
    }
    return image
  }

  private var pieces: [String] {
    get async throws { try await shelf.files.filter { $0.hasSuffix(".tlp") } }
  }

  private func expectEqual(_ devices: Device..., having image: Data) throws {
    for device in devices {
      #expect(try device.dump == devices[0].dump)
      #expect(try device.has(image) && device.image(1) == .data(image))
      try expectSound(device.opened())
    }
  }

  @Test(arguments: [false, true])
  func `a value of several pieces arrives, and a device that uses the place as a folder takes it`(isSealed: Bool)
    async throws
  {
    let (phone, laptop, desk) = (try Device(), try Device(hasStore: false), try Device())
    let key = FamilyKey()
    if isSealed { try hand(key, to: phone, laptop, desk) }
    let image = Self.image(1)
    try phone.insert(1, image)
    let report = try await settle(phone)[0]
    #expect(report.stores[0].devices.values.map(\.valuesDelivered) == [1])
    #expect(report.stores[0].devices.values.map(\.valueBytes) == [image.count])
    let paths = try await pieces
    #expect(paths.count == 3)
    #expect(try await !shelf.files.contains { $0.hasSuffix(".tlv") })
    var content = Data()
    let seal = isSealed ? FileSeal(key, storeID: Self.place.familyID(with: key)) : nil
    for path in paths {
      let file = try [UInt8](Data(contentsOf: shelf.folder.appending(path: path)))
      #expect(file.count <= ValueSlice.pieceBytes + 8_192)
      content.append(contentsOf: try seal?.plaintext(of: file) ?? file)
    }
    #expect(content == image, "in the order of their names the pieces are the value")
    let digest = try #require(ExternalReference(of: image)).name
    #expect(paths.allSatisfy { $0.contains(digest) } != isSealed)
    try await settle(laptop)
    try expectEqual(phone, laptop, having: image)
    _ = try await sync().synchronize(desk.directory, folder: DeviceDirectory(shelf.folder))
    try expectEqual(phone, desk, having: image)
    #expect(try await shelf.files.filter { $0.hasSuffix(".tlv") } == [], "the pieces are enough for all")
    try await settle(phone, laptop, desk)
    _ = shelf.calls
    #expect(try await settle(phone, laptop, desk).map(\.isUnchanged) == [true, true, true])
    #expect(shelf.calls == ["list", "list", "list"])
  }

  @Test(arguments: [false, true], ["failing", "cancelled"])
  func `a run that is cut off among the pieces is gone on with in both directions`(isSealed: Bool, how: String)
    async throws
  {
    let (phone, laptop) = (try Device(), try Device())
    if isSealed { try hand(FamilyKey(), to: phone, laptop) }
    let image = Self.image(isSealed ? 11 : 21)
    try phone.insert(1, image)
    /// Cuts the call off that moves pieces, after the first.
    func cutOff(_ device: Device) async throws {
      shelf.trouble.withLock {
        $0.refused = { $0.hasSuffix("1.tlp") }
        $0.isCancelling = how == "cancelled"
      }
      if how == "cancelled" {
        await #expect(throws: CancellationError.self) { try await settle(device) }
      } else {
        try await settle(device, isComplete: false)
      }
      shelf.trouble.withLock { $0 = TroubledTransport.Trouble() }
      _ = shelf.paths
    }
    try await cutOff(phone)
    let first = try await pieces
    #expect(first.count == 1)
    try await settle(phone)
    let all = try await pieces
    #expect(all.count == 3)
    #expect(shelf.paths.filter { $0.hasSuffix(".tlp") }.sorted() == all.filter { !first.contains($0) })
    try await cutOff(laptop)
    #expect(try !laptop.has(image))
    try await settle(laptop)
    #expect(shelf.paths.filter { $0.hasSuffix(".tlp") } == Array(all.dropFirst()))
    try await settle(phone, laptop)
    try expectEqual(phone, laptop, having: image)
  }

  @Test func `a bound smaller than the value lets one piece after the other through`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    let image = Self.image(31)
    try phone.insert(1, image)
    let bounded = sync(maximumBytes: ValueSlice.pieceBytes + (1 << 20))
    for device in [phone, laptop] {
      var runs = 0
      while runs < 10, device === phone ? try await pieces.count < 3 : try !device.has(image) {
        _ = try await bounded.synchronize(device.directory, transport: shelf)
        runs += 1
      }
      #expect((2...4).contains(runs), "\(runs) runs")
      try await settle(device)
    }
    try expectEqual(phone, laptop, having: image)
  }

  @Test func `pieces of which one is not the value's are refused once, and leave nothing`() async throws {
    let (phone, laptop) = (try Device(), try Device())
    let image = Self.image(41)
    try phone.insert(1, image)
    try await settle(phone)
    let file = shelf.folder.appending(path: try await pieces[1])
    var bytes = try Data(contentsOf: file)
    bytes[5_000] ^= 1
    try bytes.write(to: file)
    for isFirst in [true, false] {
      let report = try await settle(laptop, isComplete: false)[0]
      let own = try #require(report.stores[0].devices.values.first)
      #expect(own.awaited.count == 1 && own.refused.isEmpty != isFirst, "\(report)")
      _ = shelf.paths
    }
    #expect(try !laptop.has(image))
    try await settle(laptop, isComplete: false)
    #expect(shelf.paths.filter { $0.hasSuffix(".tlp") } == [])
    try expectSound(laptop.opened())
  }

  @Test func `pieces that two devices have put are one value, and each removes its own when nobody needs it`()
    async throws
  {
    let (phone, desk, laptop) = (try Device(), try Device(), try Device())
    let image = Self.image(51)
    try phone.insert(1, image)
    let folder = root.url.appending(path: "folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for device in [phone, desk] {
      _ = try await sync().synchronize(device.directory, folder: DeviceDirectory(folder))
    }
    shelf.trouble.withLock { $0.refused = { $0.hasSuffix("0000000000000001.tlp") } }
    try await settle(phone, isComplete: false)
    #expect(try await pieces.count == 1, "a call ends at the first that is refused")
    shelf.trouble.withLock { $0.refused = { _ in false } }
    try await settle(desk)
    let paths = try await pieces
    #expect(paths.count == 3)
    #expect(Set(paths.map { $0.components(separatedBy: "/b/")[0] }).count == 2)
    try await settle(laptop, phone, desk)
    try expectEqual(phone, desk, laptop, having: image)

    let small = Data([1])
    let store = try phone.opened()
    try store.save(FixtureNames(store).update("Photo", fixtureID(1), ["image": .data(small)]))
    for _ in 0..<3 {
      try await settle(phone, desk, laptop)
      for device in [phone, desk, laptop] {
        let store = try device.opened()
        try store.trimHistory(through: store.read { try $0.lastTransactionNumber })
        try ValueExchange(store: store).tidyList()
      }
    }
    try await settle(phone, desk, laptop)
    #expect(try await pieces == [])
    #expect(try laptop.image(1) == .data(small))
  }

  @Test(arguments: [false, true])
  func `a copy of an exchange folder has the value in one file`(isSealed: Bool) async throws {
    let phone = try Device()
    let key = isSealed ? FamilyKey() : nil
    if let key { try hand(key, to: phone) }
    let image = Self.image(61)
    try phone.insert(1, image)
    try await settle(phone)
    let value = try #require(ExternalReference(of: image))
    let source = Self.place.exchangeFolder(in: shelf.folder, key: key)
    let target = ExchangeFolder(root: root.url.appending(path: "copy"), storeID: source.storeID)
    for _ in 0..<2 { #expect(try ExchangeCopy(source: source, target: target).run().refused.isEmpty) }
    let owners = try ValueNames(in: target).owners(of: ValueSlice(value))
    #expect(owners.count == 1)
    #expect(try Data(contentsOf: target.file(value, of: try #require(owners.first))) == image)
    // Incomplete, they are no value.
    try FileManager.default.removeItem(at: shelf.folder.appending(path: try await pieces[2]))
    let second = ExchangeFolder(root: root.url.appending(path: "second"), storeID: source.storeID)
    #expect(try ExchangeCopy(source: source, target: second).run().refused.isEmpty)
    #expect(try !ValueNames(in: second).hasPart(of: value))
  }

  @Test func `only names of pieces that a value can have are taken`() throws {
    let digest = String(repeating: "ab", count: 32)
    let count = UInt64(ValueSlice.pieceBytes * 3)
    func piece(_ count: String, _ index: String, _ end: String = ".tlp") -> ValueSlice? {
      ValueSlice(pieceNamed: "\(digest).\(count).\(index)\(end)", digest: digest)
    }
    let last = try #require(piece(count.hexadecimal, UInt64(2).hexadecimal))
    #expect(last.range == 2 * ValueSlice.pieceBytes..<3 * ValueSlice.pieceBytes)
    #expect(last.fileName(digest: digest) == "\(digest).\(count.hexadecimal).\(UInt64(2).hexadecimal).tlp")
    #expect(ValueSlice.pieces(of: last.value).count == 3 && ValueSlice.pieces(of: last.value).last == last)
    for (count, index) in [
      (count, 3), (UInt64(ValueSlice.pieceBytes), 0), (0, 0), (.max, 0), (UInt64(Int.max), .max),
    ] as [(UInt64, UInt64)] {
      #expect(piece(count.hexadecimal, index.hexadecimal) == nil)
    }
    #expect(piece("30", "0") == nil && piece(count.hexadecimal, UInt64(0).hexadecimal, ".tlv") == nil)
    #expect(piece(count.hexadecimal, UInt64(0).hexadecimal, ".sync-conflict-1.tlp") == nil)
    #expect(ValueSlice.digest(in: "\(digest).tlv") == digest && ValueSlice.digest(in: ".\(digest).tlv") == nil)
    #expect(ValueSlice.digest(in: "\(digest).x.tlv") == nil && ValueSlice.digest(in: digest.uppercased()) == nil)
  }
}
