import Foundation
import HelperProcess
import RecordStore
import RecordSync
import Testing

/// A process that is killed while it takes or gives a large value: the next one goes on with what lies there.
struct PartialValueCrashTests {
  private static let pieceBytes = 1 << 20
  private static let value = Data((0..<(4 * pieceBytes + 777)).map { UInt8(truncatingIfNeeded: $0 &* 37 >> 4) })

  private let schema = StoreSchema(entities: [
    EntityDefinition(
      name: "Value",
      attributes: [AttributeDefinition(name: "bytes", type: .data, isOptional: true, isStoredExternally: true)])
  ])

  private func makeRoot() throws -> URL {
    let root = FileManager.default.temporaryDirectory.appending(path: "part-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    return root
  }

  /// Makes a store whose record 1 has the value.
  private func author(at root: URL) throws -> RecordStore {
    let store = try RecordStore.open(StoreConfiguration(url: root.appending(path: "author.store")), schema: schema)
    _ = try store.commit(
      SaveRequest(changes: [
        .insert(entity: 0, id: RecordID(high: 1, low: 1), fields: [FieldWrite(0, .data(Self.value))])
      ]))
    return store
  }

  /// Puts record 1 with the value into a folder, and gives its digest.
  private func publish(into folder: URL, at root: URL, _ key: FamilyKey?) async throws -> String {
    let store = try author(at: root)
    var options = SyncOptions()
    options.storeID = RecordID(high: 0xFA, low: 1)
    options.key = key
    let report = try await SyncEngine(store: store, folder: folder, options: options).sync()
    #expect(report.valuesDelivered == 1)
    return try #require(ExternalReference(of: Self.value)).name
  }

  /// Takes the value until so many pieces have come, and is killed there. Nil where it ended before; then the last line
  /// says that it has the value whole.
  private func pieces(_ count: Int, _ arguments: [String]) throws -> (counts: [Int], end: String?) {
    let helper = try HelperProcess(arguments: ["receive-large-value"] + arguments)
    var counts: [Int] = []
    while let line = try helper.line() {
      guard let piece = line.hasPrefix("piece ") ? Int(line.dropFirst(6)) : nil else {
        #expect(try helper.finish() == 0)
        return (counts, line)
      }
      counts.append(piece)
      // It waits for an answer, so it dies between two pieces, with the store open and its locks held.
      if counts.count == count { break }
      try helper.send("on")
    }
    helper.kill()
    return (counts, nil)
  }

  @Test(arguments: [false, true])
  func `a process that follows one that was killed goes on with its part, and has the value whole`(
    isSealed: Bool
  ) async throws {
    let root = try makeRoot()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: root) } }
    let folder = root.appending(path: "exchange")
    let key = isSealed ? FamilyKey() : nil
    let digest = try await publish(into: folder, at: root, key)
    let store = root.appending(path: "reader.store")
    let arguments = [store.path, folder.path, key?.recoveryCode ?? "none"]
    let part = store.appending(path: "blobs/placing/\(digest).part")
    var there = 0
    // Twice, so that a part is gone on with that was gone on with before.
    for run in 1...2 {
      let (counts, end) = try pieces(1, arguments)
      try #require(end == nil, "run \(run) ended with \(end ?? "")")
      let first = try #require(counts.first)
      #expect(first > there, "run \(run) began anew: \(counts) after \(there)")
      let now = try #require(FileManager.default.contents(atPath: part.path))
      #expect(now.count > there && now.count <= first && now == Self.value.prefix(now.count), "run \(run)")
      #expect(!FileManager.default.fileExists(atPath: store.appending(path: "blobs/\(digest)").path))
      there = now.count
    }
    let (counts, end) = try pieces(.max, arguments)
    #expect(counts.allSatisfy { $0 > there } && counts.last == Self.value.count, "\(counts) after \(there)")
    #expect(end == "whole \(Self.value.count) \(digest)")
    #expect(!FileManager.default.fileExists(atPath: part.path))
  }

  @Test func `a part whose bytes were changed meanwhile is noticed, and the value comes from its beginning`()
    async throws
  {
    let root = try makeRoot()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: root) } }
    let folder = root.appending(path: "exchange")
    let digest = try await publish(into: folder, at: root, nil)
    let store = root.appending(path: "reader.store")
    let arguments = [store.path, folder.path, "none"]
    #expect(try pieces(2, arguments).end == nil)
    let part = store.appending(path: "blobs/placing/\(digest).part")
    var bytes = try Data(contentsOf: part)
    #expect(!bytes.isEmpty)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: part)
    let (counts, end) = try pieces(.max, arguments)
    #expect(counts.contains { $0 <= bytes.count }, "\(counts) after \(bytes.count)")
    #expect(end == "whole \(Self.value.count) \(digest)")
  }

  @Test(arguments: [false, true])
  func `a process that follows one that was killed goes on with what it has put into the folder`(
    isSealed: Bool
  ) async throws {
    let root = try makeRoot()
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: root) } }
    let folder = root.appending(path: "exchange")
    let key = isSealed ? FamilyKey() : nil
    _ = try author(at: root)
    let arguments = [root.appending(path: "author.store").path, folder.path, key?.recoveryCode ?? "none"]
    func values(_ suffix: String) throws -> [URL] {
      try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(suffix) }
        .map { folder.appending(path: $0) }
    }
    #expect(try pieces(3, arguments).end == nil)
    let draft = try #require(try values(".tlv.partial").first)
    let (bytes, number) = (try Data(contentsOf: draft), try fileNumber(draft))
    #expect(bytes.count > Self.pieceBytes && bytes.count < Self.value.count)
    let end = try pieces(.max, arguments).end
    let digest = try #require(ExternalReference(of: Self.value)).name
    #expect(end == "whole \(Self.value.count) \(digest)")
    let file = try #require(try values(".tlv").first)
    #expect(try Data(contentsOf: file).prefix(bytes.count) == bytes && fileNumber(file) == number)
    #expect(try values(".partial").isEmpty)
    let reader = [root.appending(path: "reader.store").path, folder.path, key?.recoveryCode ?? "none"]
    #expect(try pieces(.max, reader).end == "whole \(Self.value.count) \(digest)")
  }

  private func fileNumber(_ url: URL) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber] as? Int)
  }
}
