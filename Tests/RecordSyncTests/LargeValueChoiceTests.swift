import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

/// Large values that come when a device asks for them, between device directories.
struct LargeValueChoiceTests {
  private typealias Device = LargeValueDeviceTests.Device
  private typealias Change = @Sendable (inout DeviceSync.Options) -> Void

  /// How two devices meet.
  enum Way: CaseIterable { case directly, folder, transport }

  /// The place where devices meet, unless they do so directly.
  private struct Place {
    let root: TemporaryFolder
    let way: Way

    init(_ way: Way) throws { (root, self.way) = (try TemporaryFolder(), way) }

    func sync(_ device: Device, _ other: Device, _ change: Change = { _ in }) async throws -> DeviceReport {
      try await Place.sync(way, root.url, device.directory, other.directory, change)
    }

    static func sync(
      _ way: Way, _ place: URL, _ device: DeviceDirectory, _ other: DeviceDirectory, _ change: Change
    ) async throws -> DeviceReport {
      var options = DeviceSync.Options()
      options.configuration = StoreConfiguration(url: nil, durability: .unsafeNoFlush, mapSizeBytes: 256 << 20)
      change(&options)
      let sync = DeviceSync(options: options)
      switch way {
      case .directly: return try await sync.synchronize(device, other)
      case .folder: return try await sync.synchronize(device, folder: DeviceDirectory(place))
      case .transport: return try await sync.synchronize(device, transport: FolderTransport(place))
      }
    }

    /// Files that lie in a folder and are not whole.
    func unfinished(_ device: Device) throws -> [String] {
      try [root.url, device.root.url].flatMap { folder in
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
          path.hasSuffix(DurableFile.partialSuffix) || path.contains("/placing/")
        }
      }
    }
  }

  private func own(_ report: DeviceReport, _ device: Device) throws -> SyncReport {
    try #require(report.stores.first?.devices[device.directory.url.path], "\(report)")
  }

  @Test(arguments: Way.allCases)
  func `values that are left stay until a run asks for one, or for all`(_ way: Way) async throws {
    let (phone, laptop, place) = (try Device(), try Device(), try Place(way))
    let images = (1...3).map { SeededGenerator.bytes(200_000, $0) }
    for (number, image) in images.enumerated() { try phone.insert(UInt64(number), image) }
    if way != .directly { _ = try await place.sync(phone, laptop) }
    let first = try await place.sync(laptop, phone) { $0.largeValues = .onDemand }
    #expect(first.isComplete, "\(first)")
    let left = try own(first, laptop)
    #expect(left.transactionsMerged == 3 && left.valuesReceived == 0)
    #expect(left.valuesLeft == 3 && left.valueBytesLeft == 600_000)
    for image in images { #expect(try !laptop.has(image)) }
    let idle = try await place.sync(laptop, phone) { $0.largeValues = .onDemand }
    #expect(try idle.isUnchanged && own(idle, laptop).valuesLeft == 3, "\(idle)")

    let digest = try #require(ExternalReference(of: images[1])).name
    let second = try await place.sync(laptop, phone) { $0.largeValues = .named([digest]) }
    #expect(try second.isComplete && own(second, laptop).valuesReceived == 1, "\(second)")
    #expect(try own(second, laptop).valuesLeft == 2)
    #expect(try laptop.has(images[1]) && !laptop.has(images[0]))

    let last = try await place.sync(laptop, phone)
    #expect(try last.isComplete && own(last, laptop).valuesReceived == 2, "\(last)")
    #expect(try own(last, laptop).valuesLeft == 0)
    for image in images { #expect(try laptop.has(image)) }
    #expect(try laptop.dump == phone.dump)
  }

  @Test(arguments: Way.allCases, [false, true])
  func `a value that is unique here comes unasked, for its stream waits for it`(_ way: Way, isAsked: Bool) async throws
  {
    var indexed = LargeValueTests.Album.schema
    indexed.entities[0].uniquenessConstraints = [["image"]]
    let (phone, laptop, place) = (try Device(), try Device(schema: indexed), try Place(way))
    let image = SeededGenerator.bytes(200_000, 4)
    try phone.insert(1, image)
    if way != .directly { _ = try await place.sync(phone, laptop) }
    // Over a transport the value is fetched after the merge that waits for it.
    for _ in 0..<2 { _ = try await place.sync(laptop, phone) { if !isAsked { $0.largeValues = .onDemand } } }
    #expect(try laptop.image(1) == .data(image))
    let report = try await place.sync(laptop, phone)
    #expect(report.isComplete, "\(report)")
  }

  @Test func `a value that nobody has put anywhere is named when a run asks for it`() async throws {
    let (phone, laptop, place) = (try Device(), try Device(), try Place(.folder))
    let image = SeededGenerator.bytes(200_000, 5)
    try phone.insert(1, image)
    _ = try await place.sync(phone, laptop)
    for path in try FileManager.default.subpathsOfDirectory(atPath: place.root.url.path)
    where path.hasSuffix(".tlv") {
      try FileManager.default.removeItem(at: place.root.url.appending(path: path))
    }
    let digest = try #require(ExternalReference(of: image)).name
    let asked = try await place.sync(laptop, phone) { $0.largeValues = .named([digest]) }
    #expect(try !asked.isComplete && own(asked, laptop).awaited.count == 1, "\(asked)")
    let unasked = try await place.sync(laptop, phone) { $0.largeValues = .onDemand }
    #expect(unasked.isComplete, "\(unasked)")
  }

  @Test(arguments: Way.allCases, [true, false])
  func `a value is copied piece by piece, and one that is cancelled goes on behind what has come`(
    _ way: Way, isOut: Bool
  ) async throws {
    let (phone, laptop, place) = (try Device(), try Device(), try Place(way))
    let image = SeededGenerator.bytes((5 << 20) + 3, 6)
    try phone.insert(1, image)
    if !isOut, way != .directly { _ = try await place.sync(phone, laptop) }
    // Directly, and over a transport, the value is copied on the device that takes it.
    let device = isOut && way == .folder ? phone : laptop
    if isOut, way == .transport { _ = try await place.sync(phone, laptop) }
    let watch = CopyWatch(byteCount: image.count)
    let url = place.root.url
    let (own, other) = (device.directory, device === phone ? laptop.directory : phone.directory)
    let (follow, cancel) = (watch.follow, watch.cancelled)
    let task = Task { try await Place.sync(way, url, own, other, follow) }
    cancel(task)
    await #expect(throws: CancellationError.self) { try await task.value }
    // On the way out what lies there is compared, piece by piece.
    let isCompared = isOut && way == .folder
    let parts = try place.unfinished(device)
    #expect(parts.count == 1 && parts[0].hasSuffix(isCompared ? ".tlv.partial" : ".part"), "\(parts)")
    #expect(try !laptop.has(image))
    watch.forget()
    let report = try await place.sync(device, device === phone ? laptop : phone, watch.follow)
    #expect(report.isComplete, "\(report)")
    let pieces = watch.pieces
    #expect(pieces == pieces.sorted() && pieces.last == image.count, "\(pieces)")
    #expect(pieces.count > (isCompared ? 4 : 1), "\(pieces)")
    #expect((pieces[0] > 1 << 20) != isCompared, "\(pieces)")
    #expect(try place.unfinished(device) == [])
    _ = try await place.sync(laptop, phone)
    #expect(try laptop.has(image))
  }
}

/// Hears of the pieces that a run copies, and cancels it at one.
private final class CopyWatch: Sendable {
  private let told = Mutex<[Int]>([])
  private let task = Mutex<Task<DeviceReport, any Error>?>(nil)
  /// Until the run is known that is to be cancelled, its first piece waits.
  private let isKnown = DispatchSemaphore(value: 0)
  private let byteCount: Int

  init(byteCount: Int) { self.byteCount = byteCount }

  var pieces: [Int] { told.withLock { $0 } }

  /// The run that is cancelled at its first piece.
  @Sendable func cancelled(_ running: Task<DeviceReport, any Error>) {
    task.withLock { $0 = running }
    isKnown.signal()
  }

  func forget() {
    task.withLock { $0 = nil }
    told.withLock { $0 = [] }
    isKnown.signal()
  }

  @Sendable func follow(_ options: inout DeviceSync.Options) {
    options.progress = { [self] _, _, event in
      guard case .copied(_, let bytes, let total) = event else { return }
      #expect(total == byteCount)
      let isFirst = told.withLock { told in
        told.append(bytes)
        return told.count == 1
      }
      if isFirst { isKnown.wait() }
      task.withLock { $0?.cancel() }
    }
  }
}
