import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

/// Large values whose way into a folder was cut off: the next run goes on behind what lies there.
struct ValueDepartureTests {
  private typealias Album = LargeValueTests.Album

  private static let pieceBytes = 1 << 20

  private static func bytes(_ seed: UInt8) -> Data {
    Data((0..<(3 * pieceBytes + 1_000)).map { UInt8(truncatingIfNeeded: $0 &* 37 >> 3) ^ seed })
  }

  /// Where the value lies in the folder, and where it lies before it is whole.
  private struct Place {
    let file: URL
    let draft: URL

    init(of image: Data, in album: Album) throws {
      file = album.exchange.file(try #require(ExternalReference(of: image)), of: try album.replicas[0].id)
      draft = file.deletingLastPathComponent().appending(path: ".\(file.lastPathComponent).partial")
    }

    var draftBytes: Int { (try? Data(contentsOf: draft))?.count ?? 0 }
    var hidden: [String] {
      get throws {
        try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
          .filter { $0.hasPrefix(".") }
      }
    }
  }

  /// The number of the file under a name.
  private func fileNumber(_ url: URL) throws -> UInt64 {
    var status = stat()
    try #require(lstat(url.path, &status) == 0, "\(url.path)")
    return UInt64(status.st_ino)
  }

  /// Has a run end while the value is on its way, as if the process had been killed.
  private func leaveDraft(of image: Data, in album: Album, bytes: Int) async throws {
    let place = try Place(of: image, in: album)
    var point = 0
    while place.draftBytes < bytes {
      let isStopped = try await isStopped(at: point) { try await album.sync(0) }
      try #require(isStopped, "no point leaves a draft")
      point += 1
    }
  }

  /// How often a run of the first replica writes to the value's file.
  private func writes(to place: Place, _ body: () async throws -> Void) async throws -> Int {
    let count = Mutex(0)
    let watcher: @Sendable (FileCall, String) -> Int32? = { call, path in
      if call == .write, path == place.file.path { count.withLock { $0 += 1 } }
      return nil
    }
    try await FileCall.$watcher.withValue(watcher, operation: body)
    return count.withLock { $0 }
  }

  private func expectArrives(_ image: Data, in album: Album) async throws {
    try await album.sync(1)
    #expect(try album.image(1, on: 1) == .data(image) && album.has(image, 1))
    try album.expectEqual()
  }

  @Test(arguments: [false, true])
  func `a value that a dead process left in part goes on where it stopped`(isSealed: Bool) async throws {
    let album = try Album(isSealed: isSealed)
    let image = Self.bytes(isSealed ? 1 : 2)
    try album.insert(1, image, on: 0)
    let place = try Place(of: image, in: album)
    try await leaveDraft(of: image, in: album, bytes: 2 * Self.pieceBytes + 1)
    let number = try fileNumber(place.draft)
    #expect(try album.valueFiles().allSatisfy { $0.lastPathComponent.hasPrefix(".") }, "a draft is no value")
    let count = try await writes(to: place) { try await album.sync(0) }
    #expect((1...3).contains(count), "the first two pieces are there: \(count)")
    #expect(try fileNumber(place.file) == number)
    #expect(try place.hidden == [])
    try await expectArrives(image, in: album)
  }

  @Test func `a value of a run that was cancelled goes on where it stopped`() async throws {
    let album = try Album()
    let image = Self.bytes(3)
    try album.insert(1, image, on: 0)
    let running = Mutex<SyncEngine?>(nil)
    let engine = album.engine(0) {
      $0.progress = { event in
        if case .copied = event { running.withLock { $0 }?.cancel() }
      }
    }
    running.withLock { $0 = engine }
    await #expect(throws: CancellationError.self) { try await engine.sync() }
    running.withLock { $0 = nil }
    let place = try Place(of: image, in: album)
    #expect(place.draftBytes == Self.pieceBytes)
    let number = try fileNumber(place.draft)
    #expect(try await writes(to: place) { try await album.sync(0) } == 3)
    #expect(try fileNumber(place.file) == number)
    try await expectArrives(image, in: album)
  }

  enum Lie: CaseIterable {
    case zeros, longer, otherEnd
  }

  @Test(arguments: Lie.allCases, [false, true])
  func `a wrong draft is noticed, and the value is written from its beginning`(lie: Lie, isSealed: Bool) async throws {
    let album = try Album(isSealed: isSealed)
    let image = Self.bytes(UInt8(4 + Lie.allCases.firstIndex(of: lie)! * 2) + (isSealed ? 1 : 0))
    try album.insert(1, image, on: 0)
    let place = try Place(of: image, in: album)
    try await leaveDraft(of: image, in: album, bytes: 2 * Self.pieceBytes + 1)
    var draft = try Data(contentsOf: place.draft)
    switch lie {
    case .zeros: draft = Data(repeating: 0, count: 2 * Self.pieceBytes)
    case .longer: draft = try await whole(image, isSealed, album) + [0]
    case .otherEnd: draft[draft.count - 1] ^= 1
    }
    try draft.write(to: place.draft)
    try await album.sync(0)
    #expect(try place.hidden == [])
    try await expectArrives(image, in: album)
  }

  /// The bytes of the value's file.
  private func whole(_ image: Data, _ isSealed: Bool, _ album: Album) async throws -> Data {
    let folder = ExchangeFolder(
      root: album.root.url.appending(path: "beside"), storeID: TestReplica.family, key: album.key)
    let (value, id) = (try #require(ExternalReference(of: image)), try album.replicas[0].id)
    try folder.publish(image, ValueSlice(value), of: id)
    return try Data(contentsOf: folder.file(value, of: id))
  }

  @Test func `nothing is written through a link, or into a file with another name, in the place of a draft`()
    async throws
  {
    for isLink in [true, false] {
      let album = try Album()
      let image = Self.bytes(isLink ? 20 : 21)
      try album.insert(1, image, on: 0)
      let place = try Place(of: image, in: album)
      let victim = album.root.url.appending(path: "victim")
      // Its bytes are those with which the value begins.
      try image.prefix(100).write(to: victim)
      try FileManager.default.createDirectory(
        at: place.draft.deletingLastPathComponent(), withIntermediateDirectories: true)
      if isLink {
        try FileManager.default.createSymbolicLink(at: place.draft, withDestinationURL: victim)
      } else {
        try FileManager.default.linkItem(at: victim, to: place.draft)
      }
      try await album.sync(0)
      #expect(try Data(contentsOf: victim) == image.prefix(100))
      #expect(try fileNumber(place.file) != fileNumber(victim))
      try await expectArrives(image, in: album)
    }
  }

  @Test func `a draft that another process fills is left to it, and the value comes all the same`() async throws {
    let album = try Album()
    let image = Self.bytes(22)
    try album.insert(1, image, on: 0)
    let place = try Place(of: image, in: album)
    try await leaveDraft(of: image, in: album, bytes: 1)
    let descriptor = open(place.draft.path, O_RDWR | O_CLOEXEC)
    #expect(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    let number = try fileNumber(place.draft)
    try await album.sync(0)
    #expect(try fileNumber(place.file) != number)
    #expect(try fileNumber(place.draft) == number)
    close(descriptor)
    try await expectArrives(image, in: album)
    try await album.sync(0)
    #expect(try place.hidden == [])
  }

  @Test func `a full disk keeps no draft`() async throws {
    let album = try Album()
    let image = Self.bytes(23)
    try album.insert(1, image, on: 0)
    let place = try Place(of: image, in: album)
    let count = Mutex(0)
    let watcher: @Sendable (FileCall, String) -> Int32? = { call, path in
      guard call == .write, path == place.file.path else { return nil }
      return count.withLock { count in
        count += 1
        return count > 2 ? ENOSPC : nil
      }
    }
    await FileCall.$watcher.withValue(watcher) {
      let error = await #expect(throws: SyncError.self) { try await album.engine(0).sync() }
      #expect(error?.message.contains("free some space") == true)
    }
    #expect(try place.hidden == [])
    try await album.sync(0)
    try await expectArrives(image, in: album)
  }

  @Test func `a draft goes once nobody needs its value, or another replica has put it there`() async throws {
    let album = try Album()
    let images = [Self.bytes(24), Self.bytes(25)]
    for (number, image) in images.enumerated() {
      try album.insert(UInt64(number + 1), image, on: 0)
      try await leaveDraft(of: image, in: album, bytes: 1)
      let place = try Place(of: image, in: album)
      if number == 0 {
        // The run ended before anything was listed or exported; the value is overwritten meanwhile.
        try album.update(1, nil, on: 0)
        try await album.sync(0)
      } else {
        try album.insert(3, image, on: 1)
        try await album.sync(1, 0)
      }
      #expect(try place.hidden == [], "\(number)")
    }
    try await album.sync(1, 0)
    try album.expectEqual()
  }

  @Test func `the encrypted file of a value is the same on every device of a family, and on no other's`() throws {
    let image = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 >> 5) })
    let value = try #require(ExternalReference(of: image))
    let root = try TemporaryFolder()
    let keys = [FamilyKey(secret: Array(1...16)), FamilyKey(secret: Array(1...16)), FamilyKey(secret: Array(2...17))]
    let files = try keys.enumerated().map { index, key in
      let folder = ExchangeFolder(
        root: root.url.appending(path: "\(index)"), storeID: TestReplica.family, key: key)
      try folder.publish(image, ValueSlice(value), of: ReplicaID(UInt64(index + 1)))
      return try Data(contentsOf: folder.file(value, of: ReplicaID(UInt64(index + 1))))
    }
    #expect(files[0] == files[1])
    // The same content in age's header and payload would tell that the values are equal.
    let starts = files.map { $0.prefix(184) }
    #expect(starts[0] != starts[2] && files[0].dropFirst(184) != files[2].dropFirst(184))
    // Chosen once: a device of another build goes on with the same bytes.
    #expect(ContentHash(of: files[0]).name == "5bea64bea68fb648fc760b3bf1f305c6")
  }
}
