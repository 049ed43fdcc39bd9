import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// From how many bytes on values lie beside a store, where its configuration says so.
struct LargeValueBytesTests {
  private func store(_ bytes: Int) throws -> TemporaryStore {
    try TemporaryStore(schema: Photos.schema) { $0.largeValueBytes = bytes }
  }

  @Test(arguments: [false, true])
  func `a value lies beside the store from the configured size on`(asDraft: Bool) throws {
    let temporary = try store(64)
    for (number, count) in [(1, 63), (2, 64), (3, 5_000)] {
      let image = Photos.bytes(count, seed: UInt64(number))
      try temporary.store.insertPhoto(UInt64(number), image: image, thumbnail: image, asDraft: asDraft)
      #expect(try (temporary.store.storedImage(UInt64(number)) != nil) == (count >= 64))
      #expect(try temporary.store.image(UInt64(number)) == image)
      #expect(try temporary.store.photo(UInt64(number)).value(of: temporary.store.field("thumbnail")) == .data(image))
    }
    try temporary.check()
  }

  @Test(arguments: [-1, 0, 63, 131_073, Int.max])
  func `a size that no store can keep is refused, and nothing is made`(bytes: Int) throws {
    let folder = try makeTemporaryFolder()
    let url = folder.appending(path: "refused.store")
    var configuration = StoreConfiguration(url: url)
    configuration.largeValueBytes = bytes
    let error = #expect(throws: StoreError.self) { try RecordStore.open(configuration, schema: Photos.schema) }
    #expect(error?.code == .invalidRequest && error?.message.contains("largeValueBytes is \(bytes)") == true)
    #expect(!FileManager.default.fileExists(atPath: url.path))
    try FileManager.default.removeItem(at: folder)
  }

  /// The two handles of one store stand for two processes.
  @Test func `processes with different sizes write one store, and what is there stays where it is`() throws {
    let temporary = try store(64)
    var configuration = temporary.configuration
    configuration.largeValueBytes = 131_072
    let other = try RecordStore.open(configuration)
    let image = Photos.bytes(1_000, seed: 7)
    try temporary.store.insertPhoto(1, image: image)
    try other.insertPhoto(2, image: image)
    #expect(try other.storedImage(1) != nil && temporary.store.storedImage(2) == nil)
    #expect(try other.image(1) == image && temporary.store.image(2) == image)
    // A change of something else moves no value.
    for number in 1...2 {
      for store in [temporary.store, other] {
        let write = try store.write("name", .string("\(number) \(store === other)"))
        try store.save(.update(entity: 0, id: fixtureID(UInt64(number)), fields: [write]))
      }
    }
    #expect(try other.storedImage(1) != nil && other.storedImage(2) == nil)
    try temporary.check()
  }

  @Test func `a value that lies elsewhere than it would now is no other value`() throws {
    let temporary = try store(64)
    var configuration = temporary.configuration
    configuration.largeValueBytes = 131_072
    let other = try RecordStore.open(configuration)
    let image = Photos.bytes(1_000, seed: 8)
    try temporary.store.insertPhoto(1, image: image)
    try other.insertPhoto(2, image: image)
    #expect(try other.commit(Photos.update(1, other, image: image)).changes.isEmpty)
    #expect(try temporary.store.commit(Photos.update(2, other, image: image)).changes.isEmpty)
    // One of the same length is.
    let changed = Photos.bytes(1_000, seed: 9)
    for number in [UInt64(1), 2] {
      #expect(try other.commit(Photos.update(number, other, image: changed)).changes.count == 1)
      #expect(try temporary.store.image(number) == changed)
    }
    try temporary.check()
  }

  /// A dump tells values, and not where they lay.
  @Test func `what a dump brings is kept as a save would keep it`() throws {
    let (source, target) = (try store(131_072), try store(64))
    let image = Photos.bytes(1_000, seed: 10)
    try source.store.insertPhoto(1, image: image)
    let facts = try #require(try source.store.read { try $0.facts(fixtureID(1), of: 0) })
    try target.store.restore(RestoredFacts(records: [facts]))
    #expect(try target.store.storedImage(1) != nil && target.store.image(1) == image)
    try target.check()
  }
}
